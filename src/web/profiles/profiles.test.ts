import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser } from '../../../test/support/browser.ts';
import {
  createOrganization,
  logInAsAdmin,
  createPublished,
  signUp,
  signUpProven,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('public profiles', () => {
  let service: Service;
  let creator: Person;
  let browser: Browser;
  before(async () => {
    service = await startService();
    creator = await signUpProven(service, 'Ada <Lovelace>');
    browser = new Browser(service.api);
  });
  after(() => service[Symbol.asyncDispose]());

  it('show public petitions and signatures of a user', async () => {
    const open = await createPublished(creator, { title: 'Public title' });
    const hidden = await createPublished(creator, {
      title: 'Unlisted title',
      visibility: 'unlisted',
    });
    await creator.api.patch('/v1/users/me', { show_signatures: true });
    await creator.api.post(`/v1/petitions/${open.id}/signatures`, { comment: 'For <us>' });
    await creator.api.post(`/v1/petitions/${hidden.id}/signatures`, {});
    const profile = await browser.open(`/u/${creator.slug}`);
    assert.match(profile.body, /<h1><bdi>Ada &lt;Lovelace&gt;<\/bdi><\/h1>/);
    assert.match(profile.body, /Public title/);
    assert.match(profile.body, /rel="canonical" href="http:\/\/petitions\.test\/u\//);
    assert.doesNotMatch(profile.body, /Unlisted title/);
    const signed = await browser.open(`/u/${creator.slug}/signatures`);
    assert.match(signed.body, /Public title.*For &lt;us&gt;/s);
    assert.doesNotMatch(signed.body, /Unlisted title/);
    assert.equal((await browser.open('/u/unknown')).status, 404);
    assert.equal((await browser.open('/u/unknown/signatures')).status, 404);
  });

  it('have pages', async () => {
    const prolific = await signUp(service, 'Prolific');
    for (let n = 0; n < 13; n++)
      await createPublished(prolific, { title: `Petition number ${n}.` });
    const first = await browser.open(`/u/${prolific.slug}`);
    const next = /rel="next nofollow" href="([^"]+)"/.exec(first.body)![1]!;
    const second = await browser.open(next.replaceAll('&amp;', '&'));
    assert.match(first.body, /Petition number 12\./);
    assert.match(second.body, /Petition number 0\./);
    assert.doesNotMatch(second.body, /Petition number 12\.|rel="next nofollow"/);
  });

  it('show organizations, and the verified ones only', async () => {
    const plain = await createOrganization(creator, { name: 'Friends of plain things' });
    const verified = await createOrganization(creator, {
      name: 'Friends of the river',
      description: 'We <look> after it.',
      website: 'https://river.example/',
    });
    await createPublished(creator, { title: 'In its name', orgId: verified.id });
    const admin = await logInAsAdmin(service);
    await admin.api.patch(`/v1/admin/organizations/${verified.id}`, { verified: true });
    const page = await browser.open(`/o/${verified.slug}`);
    assert.match(
      page.body,
      /Friends of the river.*Verified.*We &lt;look&gt; after it\..*In its name/s,
    );
    assert.match(page.body, /href="https:\/\/river\.example\/" rel="nofollow noopener"/);
    const all = await browser.open('/organizations');
    assert.match(all.body, new RegExp(`/o/${plain.slug}"`));
    const some = await browser.open('/organizations?verified=true');
    assert.match(some.body, new RegExp(`/o/${verified.slug}"`));
    assert.doesNotMatch(some.body, new RegExp(`/o/${plain.slug}"`));
    assert.equal((await browser.open('/o/unknown')).status, 404);
  });
});
