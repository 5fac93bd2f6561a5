export {
  createChallenge,
  findChallengeOfBrowser,
  signInMail,
  type Registration,
} from './challenges.ts';
export { proveOwner, requireOwner, type Proof } from './reauthentication.ts';
export { findLinkedAccount, refuseLink, signInByMail } from './sign-in.ts';
