import { tokenOf } from '../../src/campaigns/decision-makers/links.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { draft, published, signUp, type Person } from '../support/people.ts';
import type { Service } from '../support/service.ts';

/** Values for the path parameters of one call, made so that the call can succeed for its owner. */
export type Params = Record<string, string>;

/**
 * Makes what an operation needs and gives its path parameters. An operation whose path has parameters
 * must be named here, so that a new one is not left untested.
 */
export async function paramsFor(route: Route, service: Service, owner: Person): Promise<Params> {
  if (!route.path.includes('{') && !makers[route.id]) return {};
  const make = makers[route.id] ?? byPrefix.find(([prefix]) => route.path.startsWith(prefix))?.[1];
  if (!make) throw new Error(`test/contract/fixtures.ts does not know how to call ${route.id}`);
  return make(service, owner);
}

type Maker = (service: Service, owner: Person) => Promise<Params>;

const activePetition: Maker = async (_, owner) => ({ id: (await published(owner)).id });

const comment: Maker = async (_, owner) => {
  const { id } = await published(owner);
  const { body } = await owner.api.post(`/v1/petitions/${id}/comments`, { body: 'Yes.' });
  return { id: body.data.id };
};

/** A decision maker of a petition of the owner's. */
const decisionMaker = async (owner: Person) => {
  const { id } = await published(owner);
  const input = { name: 'Grace', email: 'grace@example.org' };
  const { body } = await owner.api.post(`/v1/petitions/${id}/decision-makers`, input);
  return { id: id as string, dm_id: body.data.id as string };
};

/** The link that a decision maker would find in the mail. */
const respondToken = async (service: Service, owner: Person) => {
  const { id, dm_id } = await decisionMaker(owner);
  await owner.api.post(`/v1/petitions/${id}/decision-makers/${dm_id}/deliver`);
  const [link] = await service.ctx.pools.main`
    select id from decision_maker_links where decision_maker_id = ${dm_id}`;
  return { token: tokenOf(service.ctx, link!.id) };
};

const response: Maker = async (service, owner) => {
  const { token } = await respondToken(service, owner);
  const { body } = await service.api.post(`/respond/${token}`, { body: 'Yes.' });
  return { id: body.data.id };
};

/** The petition that the next comment's body names, since its path names none. */
let commented = '';

const makers: Record<string, Maker> = {
  publishPetition: async (_, owner) => ({ id: (await draft(owner)).id }),
  withdrawSignature: async (service, owner) => {
    const { id } = await published(owner);
    const admin = await service.api.post('/v1/auth/login', {
      email: service.ctx.config.admin!.email,
      password: service.ctx.config.admin!.password,
    });
    for (const api of [owner.api, service.api.as(admin.body.access_token)]) {
      await api.post(`/v1/petitions/${id}/signatures`);
    }
    return { id };
  },
  removeSignature: async (_, owner) => {
    const { id } = await published(owner);
    const { body } = await owner.api.post(`/v1/petitions/${id}/signatures`);
    return { id: body.data.id };
  },
  renameCategory: async (service) => {
    const { body } = await service.api.get('/v1/categories');
    return { id: body.data[0].id };
  },
  createComment: async (_, owner) => {
    commented = (await published(owner)).id;
    return {};
  },
  connectRealtime: async () => ({}),
  explainError: async () => ({ slug: 'not-found' }),
};

const byPrefix: [string, Maker][] = [
  ['/v1/users/{slug}', async (_, owner) => ({ slug: owner.slug })],

  ['/v1/petitions/{id}/decision-makers/{dm_id}', (_, owner) => decisionMaker(owner)],
  ['/respond/{token}', respondToken],
  ['/v1/responses/{id}', response],
  ['/v1/petitions/{id}', activePetition],
  ['/v1/comments/{id}', comment],
  ['/v1/admin/comments/{id}', comment],
];

/** A body that the operation takes, for this caller. */
export function bodyFor(route: Route, person: Person | undefined): unknown {
  switch (route.id) {
    case 'register':
      return { ...(route.example as object), email: `new-${Math.random()}@example.org` };
    case 'eraseOwnAccount':
      return { password: person?.password ?? 'any password' };
    case 'login':
      return { email: person?.email, password: person?.password };
    case 'refresh':
    case 'logout':
      return { refresh_token: person?.refreshToken };
    case 'addCategory':
    case 'renameCategory':
      return { name: `Category ${Math.random()}` };
    case 'createComment':
      return { ...(route.example as object), petition_id: commented };
    default:
      return route.example;
  }
}

/** Somebody new, for calls after which nothing works for them any more. */
export const newcomer = (service: Service) => signUp(service, 'Newcomer');

/** The path with the parameters in their places. */
export const fill = (path: string, params: Params) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
