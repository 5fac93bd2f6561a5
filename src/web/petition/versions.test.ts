import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { logInBrowser } from '../../../test/support/browser.ts';
import {
  createDraft,
  createPublished,
  logInAsAdmin,
  petitionInput,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { signByMany } from '../../../test/support/signing.ts';

describe('the versions of a text', () => {
  let service: Service;
  let creator: Person;
  let admin: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
    admin = await logInAsAdmin(service);
  });
  after(() => service[Symbol.asyncDispose]());

  const { description } = petitionInput;
  const patch = async ({ id }: { id: string }, changes: object) => {
    const { status, body } = await creator.api.patch(`/v1/petitions/${id}`, changes);
    assert.equal(status, 200, JSON.stringify(body));
  };
  const read = ({ slug }: { slug: string }, query = '', headers: Record<string, string> = {}) =>
    service.api.get(`/p/${slug}/versions${query}`, { headers });
  /** The text of the comparison without the words for screen readers. */
  const compared = (body: string) => {
    const [section] = /<section class="compared">.*<\/section>/s.exec(body) ?? [''];
    return section.replaceAll(/<bdi class="visually-hidden"[^>]*>.*?<\/bdi>/gs, '');
  };

  it('are linked by a line on the page of a petition that many had signed', async () => {
    const petition = await createPublished(creator);
    const page = async (headers = {}) => service.api.get(`/p/${petition.slug}`, { headers });
    await signByMany(service, petition, 100);
    const link = `href="/p/${petition.slug}/versions"`;
    assert.ok(!(await page()).body.includes(link));
    await patch(petition, { title: 'Light the river path' });
    const browser = await logInBrowser(service, creator);
    const { body } = await browser.open(`/p/${petition.slug}`);
    assert.match(
      body,
      /The text was changed on <time[^>]*>[^<]+<\/time>; 100 people had signed before\./,
    );
    assert.ok(body.includes(link));
    const versions = await read(petition);
    assert.match(versions.body, /100 people had signed before/);
    assert.match(versions.headers.get('cache-control')!, /max-age=5/);
    const german = await read(petition, '', { 'accept-language': 'de' });
    assert.match(german.body, /Fassungen des Textes/);
  });

  it('are compared, by default the last one before the change with the newest', async () => {
    const petition = await createPublished(creator);
    await patch(petition, { title: 'Keep the river path open by day' });
    await signByMany(service, petition, 100);
    await patch(petition, { title: 'Keep the river path closed by day' });
    await patch(petition, { description: `${description} Always.` });
    const { status, body } = await read(petition, '?from=2&to=3');
    assert.equal(status, 200);
    assert.match(compared(body), /Keep the river path <del>open<\/del><ins>closed<\/ins> by day/);
    assert.match(body, /<del><bdi class="visually-hidden" lang="en">removed: <\/bdi>open/);
    assert.match(body, /This is the same in both versions\./);
    // The newest change, after 100 signatures too.
    assert.match((await read(petition)).body, /From version 3 to version 4/);
    assert.match(compared((await read(petition)).body), /after ten\.<ins> Always\.<\/ins>/);
    assert.match(compared((await read(petition, '?from=4&to=1')).body), /<del> Always\.<\/del>/);
    assert.doesNotMatch(compared((await read(petition, '?from=2&to=2')).body), /<ins>|<del>/);
  });

  it('are shown whole where they have too little in common', async () => {
    const petition = await createPublished(creator);
    const words = (prefix: string) =>
      Array.from({ length: 3000 }, (_, n) => prefix + n.toString(36)).join(' ');
    await patch(petition, { description: words('a') });
    await patch(petition, { description: words('b') });
    const { body } = await read(petition);
    assert.match(body, /too little in common/);
    assert.doesNotMatch(compared(body), /<ins>|<del>/);
    assert.ok(compared(body).includes(words('a')) && compared(body).includes(words('b')));
  });

  it('are escaped', async () => {
    const hostile = '</p><script>alert(1)</script> <img src=x onerror=alert(1)> "\' &amp;';
    const petition = await createPublished(creator, {
      title: `${hostile} one`,
      description: `${hostile} ${description}`,
    });
    await patch(petition, { title: `two ${hostile}`, description: `${description} ${hostile}` });
    const { body } = await read(petition, '?from=1&to=2');
    assert.doesNotMatch(body, /<script>alert|<img src=x/);
    assert.match(compared(body), /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
    assert.match(compared(body), /&amp;amp;/);
    const odd = await read(petition, `?from=${encodeURIComponent('"><script>')}`);
    assert.equal(odd.status, 404);
    assert.doesNotMatch(odd.body, /"><script>/);
  });

  it('show the reason in the place of what a moderator has removed', async () => {
    const leaver = await signUp(service, 'Leaver');
    const petition = await createPublished(leaver, { title: 'John Doe of 5 Mill Lane must go' });
    await leaver.api.post(`/v1/petitions/${petition.id}/signatures`);
    const redaction = { title: 'The lamps must stay', reason: 'It names <b>somebody</b>.' };
    const path = `/v1/admin/petitions/${petition.id}/redact`;
    assert.equal((await admin.api.post(path, redaction)).status, 200);
    const { body } = await read(petition);
    assert.doesNotMatch(body, /Mill Lane/);
    assert.match(body, /removed this text: <bdi>It names &lt;b&gt;somebody&lt;\/b&gt;\.<\/bdi>/);
    assert.match(compared(body), /The lamps must stay/);
    await leaver.api.delete('/v1/users/me', { password: leaver.password });
    assert.match((await read(petition)).body, /A moderator has removed this text\.</);
  });

  it('are seen by those who see the petition', async () => {
    assert.equal((await read({ slug: 'no-such-petition' })).status, 404);
    const draft = await createDraft(creator);
    assert.equal((await read(draft)).status, 404);
    const browser = await logInBrowser(service, creator);
    const own = await browser.open(`/p/${draft.slug}/versions`);
    assert.match(own.body, /The text was not changed/);

    const secret = await createPublished(creator, { visibility: 'private' });
    await patch(secret, { title: 'Light the river path' });
    assert.equal((await read(secret)).status, 403);
    assert.equal((await read(secret, '?access_code=wrong')).status, 403);
    const { body } = await creator.api.get(`/v1/petitions/${secret.id}`);
    const code = body.data.access_code;
    const opened = await read(secret, `?access_code=${code}`);
    assert.equal(opened.status, 200);
    assert.equal(opened.headers.get('cache-control'), 'no-store');
    // Its form and links carry the code.
    assert.ok(opened.body.includes(`name="access_code" value="${code}"`));

    const petition = await createPublished(creator);
    for (const query of ['?from=2', '?to=2', '?from=0', '?to=x', '?from=9999999999']) {
      assert.equal((await read(petition, query)).status, 404, query);
    }
  });

  it('are listed by pages', async () => {
    const petition = await createPublished(creator);
    await service.ctx.db`
      insert into petition_versions (petition_id, version, title, description)
      select ${petition.id}, n, 'Version number ' || n, ${description}
      from generate_series(2, 130) n`;
    await service.ctx.db`update petitions set version = 130 where id = ${petition.id}`;
    const first = await read(petition);
    const [, next] = /rel="next nofollow" href="([^"]+)"/.exec(first.body)!;
    const second = await service.api.get(next!.replaceAll('&amp;', '&'));
    assert.match(second.body, /Version 30</);
    assert.doesNotMatch(second.body, /Version 31</);
    assert.doesNotMatch(second.body, /class="compared"/);
    // Versions that are not on the page can be compared.
    assert.match((await read(petition, '?from=1&to=130')).body, /From version 1 to version 130/);
  });

  it('of a changed text are approved on the page of moderators', async () => {
    const moderator = await signUp(service, 'Moderator');
    await admin.api.patch(`/v1/admin/users/${moderator.id}`, { role: 'moderator' });
    const browser = await logInBrowser(service, moderator);
    const petition = await createPublished(creator);
    await signByMany(service, petition, 100);
    await patch(petition, { title: 'Light the <river> path' });
    const queue = '/moderation/petitions?status=changed';
    assert.match((await browser.open(queue)).body, /Light the &lt;river&gt; path/);
    const path = `/moderation/petitions/${petition.id}`;
    const page = await browser.open(path);
    assert.ok(page.body.includes(`href="/p/${petition.slug}/versions"`));
    // The text that the moderator has not seen is not approved.
    await patch(petition, { title: 'Light another path' });
    const late = await browser.submit(page, {}, `${path}/approve-change`);
    assert.equal(late.status, 409);
    assert.match(late.body, /role="alert"/);
    const approved = await browser.submit(late, {}, `${path}/approve-change`);
    assert.match(approved.body, /role="status"/);
    assert.doesNotMatch((await browser.open(queue)).body, /Light another path/);
    assert.doesNotMatch((await browser.open(path)).body, /approve-change/);
  });
});
