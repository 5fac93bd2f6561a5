export { listGrants, withdrawGrant } from './grants.ts';
export { scopeText } from './texts.ts';
