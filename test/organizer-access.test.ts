import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { newId } from '../src/platform/ids.ts';
import type { Route } from '../src/platform/http/route.ts';
import { logInBrowser, type Browser } from './support/browser.ts';
import { addOrganizer, type OrganizerRole as Role } from './support/organizers.ts';
import { createPublished, signUp } from './support/people.ts';
import { startService } from './support/service.ts';
import { bodyFor, encode, fill, newcomer, paramsFor, type Params } from './contract/fixtures.ts';

const roles: Role[] = ['editor', 'author'];

/** What organizers may do of all that is the owner's; everything else is refused. */
const allowed: Record<string, readonly Role[]> = {
  updatePetition: ['editor'],
  addDecisionMaker: ['editor'],
  listDecisionMakers: ['editor'],
  removeDecisionMaker: ['editor'],
  changeUpdate: ['editor'],
  deleteUpdate: ['editor'],
  postUpdate: roles,
  listOrganizers: roles,
  getHandOver: roles,
};

/** Forms of the dashboard that organizers may send. */
const allowedForms: Record<string, readonly Role[]> = {
  submitEdit: ['editor'],
  submitPetitionPicture: ['editor'],
  submitPetitionPictureAlt: ['editor'],
  removePetitionPicture: ['editor'],
  submitMaker: ['editor'],
  submitMakerRemoval: ['editor'],
  submitUpdate: roles,
  submitUpdateDraft: roles,
};
const allowedPages: Record<string, readonly Role[]> = {
  showOwnPetition: roles,
  showOrganizers: roles,
  showOwnUpdates: roles,
  showEdit: ['editor'],
  showMakers: ['editor'],
};

const service = await startService();
after(() => service[Symbol.asyncDispose]());

/** Returns the petition that the call is about. */
async function petitionOf({ path }: Route, { id }: Params): Promise<string> {
  const { db } = service.ctx;
  if (path.startsWith('/v1/updates/')) {
    return db.value<string>`select petition_id from updates where id = ${id!}`;
  }
  if (path.startsWith('/v1/responses/')) {
    return db.value<string>`select petition_id from decision_maker_responses where id = ${id!}`;
  }
  return id!;
}

const ofPetitions = /^\/v1\/(?:petitions\/\{id\}|updates\/\{id\}|responses\/\{id\})/;

describe('what organizers may do', () => {
  const routes = service.app.routes.filter(
    ({ page, auth, path }) => !page && auth.access === 'owner' && ofPetitions.test(path),
  );

  it('is listed for operations that exist', () => {
    const ids = new Set(routes.map(({ id }) => id));
    assert.deepEqual(
      Object.keys(allowed).filter((id) => !ids.has(id)),
      [],
    );
  });

  for (const route of routes) {
    it(`${route.id}: ${allowed[route.id]?.join(', ') ?? 'nobody but the creator'}`, async () => {
      for (const role of roles) {
        const owner = await newcomer(service, route);
        const person = await newcomer(service, route);
        const params = await paramsFor(route, service, owner);
        await addOrganizer(service, await petitionOf(route, params), person, role);
        const call = () =>
          person.api.send(
            route.method,
            fill(route.path, params),
            ...encode(route, bodyFor(route, person)),
          );
        const { status, body } = await call();
        const isAllowed = allowed[route.id]?.includes(role);
        if (isAllowed) assert.ok(status < 400, `${role}: ${status} ${JSON.stringify(body)}`);
        // What is not found would be the creator's own, such as a payment.
        else assert.ok([403, 404].includes(status), `${role}: ${status}`);
        await service.ctx.db`delete from petition_organizers where user_id = ${person.id}`;
        const afterwards = await call();
        assert.ok([403, 404].includes(afterwards.status), `no longer ${role}`);
      }
    });
  }
});

describe('what organizers see of the dashboard', () => {
  const prefix = '/dashboard/petitions/{id}';
  const routes = service.app.routes.filter(({ path }) => path.startsWith(prefix));

  /** A petition with an update and a decision maker, and somebody who organizes it, logged in. */
  async function organized(role: Role) {
    const owner = await signUp(service);
    const person = await signUp(service);
    const { id } = await createPublished(owner);
    await addOrganizer(service, id, person, role);
    const maker = { name: 'Grace', email: 'grace@example.org' };
    const added = await owner.api.post(`/v1/petitions/${id}/decision-makers`, maker);
    const update = { title: 'News', body: 'There is some.' };
    const posted = await owner.api.post(`/v1/petitions/${id}/updates`, update);
    const browser = await logInBrowser(service, person);
    return {
      browser,
      values: {
        id: id as string,
        maker: added.body.data.id as string,
        update: posted.body.data.id as string,
        organizer: newId(),
        response: newId(),
      },
    };
  }

  const stateOf = async (id: string) => [
    ...(await service.ctx.db`
      select title, status, version, image_url, creator_id, deleted_at from petitions
      where id = ${id}`),
    ...(await service.ctx.db`select id, title from updates where petition_id = ${id}`),
    ...(await service.ctx.db`select id from decision_makers where petition_id = ${id}`),
  ];

  const pathOf = ({ path }: Route, values: Record<string, string>) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? newId());

  /** Sends a form with the token of the browser. */
  async function submit(browser: Browser, path: string) {
    const page = String((await browser.open('/dashboard')).body);
    const token = /name="_token" value="([^"]+)"/.exec(page)![1]!;
    return browser.send(path, { _token: token });
  }

  for (const role of roles) {
    it(`follows the role of ${role}`, async () => {
      const { browser, values } = await organized(role);
      const before = await stateOf(values.id);
      const wrong: string[] = [];
      for (const route of routes) {
        const path = pathOf(route, values);
        const isForm = route.method === 'POST';
        const { status } = isForm ? await submit(browser, path) : await browser.open(path);
        const isAllowed = (isForm ? allowedForms : allowedPages)[route.id]?.includes(role);
        const isOwnUpdates = route.path.startsWith(`${prefix}/updates/{update}`);
        // Authors see the page of an update of others, and cannot change it.
        if (isOwnUpdates && !isForm) continue;
        const mayChange = isAllowed || (isOwnUpdates && role === 'editor');
        if (mayChange ? status === 403 : ![403, 404, 415, 422].includes(status)) {
          wrong.push(`${route.method} ${route.path} (${route.id}): ${status}`);
        }
      }
      assert.deepEqual(wrong, []);
      // Forms without fields are refused before or after the right is checked; none has changed anything.
      if (role === 'author') assert.deepEqual(await stateOf(values.id), before);
    });
  }
});
