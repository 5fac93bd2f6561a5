export {
  changeClient,
  deleteClient,
  getClient,
  listClients,
  registerClient,
  rotateSecret,
} from './clients.ts';
