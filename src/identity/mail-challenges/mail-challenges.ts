export { createChallenge, findChallengeOfBrowser, type Registration } from './challenges.ts';
export { findLinkedAccount, signInByMail, type EndAccess } from './sign-in.ts';
