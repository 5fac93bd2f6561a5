import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { createPublished, signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('the closing date on the page of a petition', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService();
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  const pageOf = async ({ slug }: { slug: string }, language = 'en'): Promise<string> => {
    const headers = { 'accept-language': language };
    return (await service.api.get(`/p/${slug}`, { headers })).body;
  };

  it('is in words, with the time zone and how long is left', async () => {
    const closesAt = new Date(Date.now() + 73 * 3_600_000);
    const petition = await createPublished(creator, { closesAt: closesAt.toISOString() });
    for (const [language, start] of Object.entries({ en: 'Closes on', de: 'Endet am' })) {
      const page = await pageOf(petition, language);
      const date = closesAt.toLocaleString(language, {
        dateStyle: 'long',
        timeStyle: 'short',
        timeZone: 'UTC',
      });
      assert.ok(page.includes(start), language);
      assert.ok(page.includes(`<time datetime="${closesAt.toISOString()}">${date} UTC</time>`));
      assert.ok(page.includes(new Intl.RelativeTimeFormat(language).format(3, 'day')), language);
    }
    assert.ok(!(await pageOf(await createPublished(creator))).includes('Closes on'));
  });

  it('ends the form that signs as soon as it has passed', async () => {
    const closesAt = new Date(Date.now() + 3_600_000).toISOString();
    const petition = await createPublished(creator, { closesAt });
    assert.match(await pageOf(petition), /id="sign"/);
    service.advanceClock(3_601_000);
    // Pages are cached for a second.
    await eventually(async () => !(await pageOf(petition)).includes('id="sign"'));
    const page = await pageOf(petition);
    assert.match(page, /This petition is closed/);
    assert.doesNotMatch(page, /id="sign"|Closes on/);
    assert.equal(
      (await service.api.get(`/v1/petitions/${petition.id}`)).body.data.status,
      'closed',
    );
  });
});
