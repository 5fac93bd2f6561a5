export { earlierAccountNotice } from './earlier-account.ts';
export { enterByMail, mailCode } from './sign-in-by-mail.ts';
