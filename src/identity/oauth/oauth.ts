export {
  changeClient,
  deleteClient,
  getClient,
  listClients,
  registerClient,
  rotateSecret,
} from './clients.ts';
export { listGrants, withdrawGrant } from './grants.ts';
export { scopeText } from './texts.ts';
