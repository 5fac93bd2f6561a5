export { listGrants, withdrawGrant } from './grants.ts';
