import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { logInBrowser, type Browser } from '../../../test/support/browser.ts';
import {
  createPublished,
  signUp,
  signUpProven,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { linkToken } from '../../campaigns/organizers/links.ts';

describe('pages of organizers', () => {
  let service: Service;
  let creator: Person;
  let karim: Person;
  let petition: { id: string; slug: string };
  let creators: Browser;
  let karims: Browser;
  let path: string;

  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Anna');
    karim = await signUpProven(service, 'Karim');
    petition = await createPublished(creator);
    creators = await logInBrowser(service, creator);
    karims = await logInBrowser(service, karim);
    path = `/dashboard/petitions/${petition.id}`;
  });
  after(() => service[Symbol.asyncDispose]());

  const tabsIn = (body: string) =>
    [...body.matchAll(/href="\/dashboard\/petitions\/[\w-]+(\/[\w-]+)?"[^>]*>/g)].map(
      ([, at]) => at ?? '',
    );

  it('ask for a verified address, then invite', async () => {
    const unverified = await creators.open(`${path}/organizers`);
    assert.match(String(unverified.body), /Confirm your email address to invite/);
    await verifyAddress(service, creator);
    const page = await creators.open(`${path}/organizers`);
    const refused = await creators.submit(page, { email: 'none', role: 'editor' });
    assert.equal(refused.status, 422);
    const sent = await creators.submit(refused, { email: karim.email, role: 'author' });
    assert.match(String(sent.body), /The invitation is on its way/);
    assert.ok(String(sent.body).includes(karim.email));
  });

  it('lead from the mail to accepting, by whoever is logged in', async () => {
    const { body } = await creator.api.get(`/v1/petitions/${petition.id}/organizers`);
    const link = `/organizers/${linkToken(service.ctx, body.data[0].id)}`;
    const page = await karims.open(link);
    assert.match(String(page.body), /Anna.*asks you to organize/s);
    const confirm = await karims.open(`${link}/accept`);
    const becomesYours = /If <bdi>Anna<\/bdi> deletes their account, the petition can become yours/;
    for (const { body: shown } of [page, confirm]) assert.match(String(shown), becomesYours);
    assert.match(String(confirm.body), /You accept as <bdi>Karim/);
    const accepted = await karims.submit(confirm, {}, `${link}/accept`);
    assert.match(String(accepted.body), /Leave/);
    assert.equal((await karims.open(link)).status, 410);
  });

  it('offer each role what it may do', async () => {
    const list = String((await karims.open('/dashboard')).body);
    assert.match(list, /Petitions that you organize with others/);
    const asAuthor = String((await karims.open(path)).body);
    assert.match(asAuthor, /You organize this petition with .*Anna.*as an author/);
    assert.deepEqual(new Set(tabsIn(asAuthor)), new Set(['', '/updates', '/organizers']));
    assert.equal((await karims.open(`${path}/edit`)).status, 403);
    assert.equal((await karims.open(`${path}/finish`)).status, 403);
    const updates = await karims.open(`${path}/updates`);
    const preview = await karims.submit(updates, { title: 'Lamps', body: 'Soon.' });
    assert.match(String((await karims.submit(preview, {})).body), /Lamps/);

    await service.ctx.db`update petition_organizers set role = 'editor'`;
    const asEditor = String((await karims.open(path)).body);
    const expected = ['', '/edit', '/updates', '/decision-makers', '/organizers'];
    assert.deepEqual(new Set(tabsIn(asEditor)), new Set(expected));
    const edit = await karims.open(`${path}/edit`);
    assert.ok(!String(edit.body).includes('name="visibility"'));
    const saved = await karims.submit(edit, { title: 'Light the whole path' }, `${path}/edit`);
    assert.match(String(saved.body), /Saved/);
    assert.match(String(saved.body), /Light the whole path/);
    assert.equal((await karims.open(`${path}/decision-makers`)).status, 200);
  });

  it('hand a petition over, with both agreeing', async () => {
    const page = await creators.open(`${path}/organizers`);
    const action = /action="([^"]+\/hand-over)"/.exec(String(page.body))![1]!;
    const confirm = await creators.submit(page, {}, action);
    assert.match(String(confirm.body), /You then have no rights to it any more/);
    const offered = await creators.submit(confirm, {});
    assert.match(String(offered.body), /The petition was offered to/);
    const offer = await karims.open(`${path}/organizers`);
    assert.match(String(offer.body), /wants to hand this petition over to you/);
    const taken = await karims.submit(offer, {}, `${path}/organizers/hand-over/accept`);
    assert.match(String(taken.body), /The petition is now yours/);
    assert.equal((await creators.open(path)).status, 403);
    assert.equal((await creators.open(`${path}/edit`)).status, 403);
  });
});
