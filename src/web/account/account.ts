export { enterByMail, mailCode } from './sign-in-by-mail.ts';
