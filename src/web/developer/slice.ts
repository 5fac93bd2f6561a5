import { Type } from 'typebox';
import type { Route } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import type { KeyCallers } from '../../identity/api-keys/api-keys.ts';
import type { Site } from '../site/site.ts';
import * as clients from './clients.ts';
import * as keys from './keys.ts';
import { webhookRoutes } from './webhooks.ts';

const params = Type.Object({ id: Type.String({ format: 'uuid' }) });
const access = 'user';

/** What developers need: webhooks, keys and applications. */
export const developerSlice = (site: Site, callers: KeyCallers): Slice => ({
  routes: [...webhookRoutes(site), ...keyRoutes(site, callers), ...clientRoutes(site)],
});

function keyRoutes(site: Site, callers: KeyCallers): Route[] {
  const all = '/dashboard/keys';
  const one = `${all}/{id}`;
  return [
    ...site.page({
      id: 'showKeys',
      path: all,
      access,
      show: (view, { query }) => keys.keysPage(view, callers, { query }),
    }),
    site.form({
      id: 'submitKey',
      path: all,
      access,
      act: (view, { fields }) => keys.create(view, callers, fields),
      again: (view, { fields }, problem) =>
        keys.keysPage(view, callers, { state: { values: fields, problem } }),
    }),
    ...site.page({
      id: 'showKey',
      path: one,
      access,
      params,
      show: (view, { params: { id }, query }) => keys.keyPage(view, callers, id, { query }),
    }),
    site.form({
      id: 'submitKeyChange',
      path: one,
      access,
      params,
      act: (view, { params: { id }, fields }) => keys.save(view, callers, id, fields),
      again: (view, { params: { id }, fields }, problem) =>
        keys.keyPage(view, callers, id, { state: { values: fields, problem } }),
    }),
    site.form({
      id: 'submitKeyRotation',
      path: `${one}/rotate`,
      access,
      params,
      act: (view, { params: { id } }) => keys.rotate(view, callers, id),
    }),
    site.form({
      id: 'submitKeyDeletion',
      path: `${one}/delete`,
      access,
      params,
      act: (view, { params: { id } }) => keys.revoke(view, callers, id),
    }),
  ];
}

function clientRoutes(site: Site): Route[] {
  const all = '/dashboard/applications';
  const one = `${all}/{id}`;
  return [
    ...site.page({
      id: 'showClients',
      path: all,
      access,
      show: (view, { query }) => clients.clientsPage(view, query),
    }),
    site.form({
      id: 'submitClient',
      path: all,
      access,
      act: (view, { fields }) => clients.create(view, fields),
      again: (view, { fields }, problem) =>
        clients.clientsPage(view, {}, { values: fields, problem }),
    }),
    ...site.page({
      id: 'showClient',
      path: one,
      access,
      params,
      show: (view, { params: { id }, query }) => clients.clientPage(view, id, { query }),
    }),
    site.form({
      id: 'submitClientChange',
      path: one,
      access,
      params,
      act: (view, { params: { id }, fields }) => clients.save(view, id, fields),
      again: (view, { params: { id }, fields }, problem) =>
        clients.clientPage(view, id, { state: { values: fields, problem } }),
    }),
    site.form({
      id: 'submitClientRotation',
      path: `${one}/rotate`,
      access,
      params,
      act: (view, { params: { id } }) => clients.rotate(view, id),
    }),
    site.form({
      id: 'submitClientDeletion',
      path: `${one}/delete`,
      access,
      params,
      act: (view, { params: { id } }) => clients.remove(view, site.sessions, id),
    }),
  ];
}
