import type { Route } from '../../src/platform/http/route.ts';
import { draft, manyIds, published, signUp, type Person } from '../support/people.ts';
import { signatureOf } from '../../src/reach/payments/provider.ts';
import { paymentSecret, type Service } from '../support/service.ts';

/**
 * Values for the path parameters of one call, and for query parameters that it cannot do without, made so
 * that the call can succeed for its owner.
 */
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

const apiKey: Maker = async (_, owner) => {
  const { body } = await owner.api.post('/v1/api-keys', { name: 'A key' });
  return { id: body.data.id };
};

const organization: Maker = async (_, owner) => {
  const input = { name: `Organization ${Math.random()}` };
  const { body } = await owner.api.post('/v1/organizations', input);
  return { org_id: body.data.id };
};

/** Of an admin: whatever may be done to members may be done to them by the owner. */
const membership: Maker = async (service, owner) => {
  const { org_id } = await organization(service, owner);
  const [user_id] = await manyIds(service, 1);
  const input = { user_id, role: 'admin' };
  const { body } = await owner.api.post(`/v1/organizations/${org_id}/members`, input);
  return { org_id: org_id!, membership_id: body.data.id };
};

/** The user whom the next addMember's body names. */
let invited = '';

const webhook: Maker = async (_, owner) => {
  const input = { url: 'http://localhost:9/', events: ['petition.created'] };
  const { body } = await owner.api.post('/v1/webhooks', input);
  return { id: body.data.id };
};

/** The petition that the next comment's body names, since its path names none. */
let commented = '';

/** The payment that the next callback's body names. */
let due = '';

const payment: Maker = async (_, owner) => {
  const { id } = await published(owner);
  const input = { amount: 5000, currency: 'EUR' };
  const { body } = await owner.api.post(`/v1/petitions/${id}/promotions`, input);
  due = body.data.id;
  return { id: due };
};

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
  addMember: async (service, owner) => {
    [invited] = (await manyIds(service, 1)) as [string];
    return organization(service, owner);
  },
  redeliverWebhook: async (service, owner) => {
    const { id } = (await webhook(service, owner)) as { id: string };
    const { body } = await owner.api.post(`/v1/webhooks/${id}/test`);
    return { id, delivery_id: body.data.id };
  },
  explainError: async () => ({ slug: 'not-found' }),
  settlePayment: payment,
  getOEmbed: async (_, owner) => ({ url: (await published(owner)).share_url }),
};

const pageOfPetition: Maker = async (_, owner) => ({ slug: (await published(owner)).slug });

const byPrefix: [string, Maker][] = [
  ['/p/{slug}', pageOfPetition],
  ['/embed/p/{slug}', pageOfPetition],
  ['/v1/users/{slug}', async (_, owner) => ({ slug: owner.slug })],

  ['/v1/petitions/{id}', activePetition],
  ['/v1/comments/{id}', comment],
  ['/v1/webhooks/{id}', webhook],
  ['/v1/admin/comments/{id}', comment],
  ['/v1/payments/{id}', payment],
  ['/v1/api-keys/{id}', apiKey],
  ['/v1/organizations/{org_id}/members/{membership_id}', membership],
  ['/v1/organizations/{org_id}', organization],
  ['/v1/admin/organizations/{org_id}', organization],
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
    case 'createOrganization':
      return { name: `Organization ${Math.random()}` };
    case 'addMember':
      return { user_id: invited, role: 'member' };
    case 'createComment':
      return { ...(route.example as object), petition_id: commented };
    case 'settlePayment':
      return { ...(route.example as object), payment_id: due };
    default:
      return route.example;
  }
}

/** Somebody new, for calls after which nothing works for them any more. */
export const newcomer = (service: Service) => signUp(service, 'Newcomer');

/** The path with the parameters in their places; those that have none there are its query. */
export function fill(path: string, params: Params): string {
  const { ...query } = params;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    delete query[name];
    return encodeURIComponent(params[name]!);
  });
  return Object.keys(query).length === 0
    ? filled
    : `${filled}?${new URLSearchParams(query).toString()}`;
}

/** Whether the operation takes bodies of that type. */
export const takes = (
  { takes: types = ['application/json'] }: Route,
  type: NonNullable<Route['takes']>[number],
) => types.includes(type);

/** What shows that a text comes from where the operation wants it to come from. */
export const proof = ({ verifyBody }: Route, text: string): Record<string, string> =>
  verifyBody ? { 'x-payment-signature': signatureOf(paymentSecret, text) } : {};

/** A body and its headers, as the operation takes them: a form where it takes nothing else. */
export function encode(
  route: Route,
  body: unknown,
): [body: unknown, options?: { headers: Record<string, string> }] {
  if (route.verifyBody) {
    const text = JSON.stringify(body);
    return [text, { headers: { 'content-type': 'application/json', ...proof(route, text) } }];
  }
  if (body === undefined || takes(route, 'application/json')) return [body];
  const fields = Object.entries(body as object).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const form = new URLSearchParams(fields).toString();
  return [form, { headers: { 'content-type': 'application/x-www-form-urlencoded' } }];
}
