import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addDecisionMaker, deliver } from '../../../test/support/decision-makers.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createOrganization,
  createPublished,
  logInAsAdmin,
  signUp,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const description =
  '# Why\n\nThe path is **dark**, see [the plan](https://plan.example/uniquehost).\n\n- Light it\n- Keep it open';
const descriptionHtml = `<h2>Why</h2>
<p>The path is <strong>dark</strong>, see <a href="https://plan.example/uniquehost" rel="nofollow ugc noopener">the plan</a>.</p>
<ul><li>Light it</li>
<li>Keep it open</li>
</ul>
`;
const plain = 'Why The path is dark, see the plan. ';

describe('texts in Markdown', () => {
  let service: Service;
  let creator: Person;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
  });
  after(() => service[Symbol.asyncDispose]());

  const page = async (path: string) => {
    const { status, body } = await service.api.get(path, { headers: { accept: 'text/html' } });
    assert.equal(status, 200, path);
    return body as string;
  };
  const textElement = (html: string) => `<div class="text" dir="auto">\n${html}</div>`;

  it('are rendered on the page and by the API, and plain elsewhere', async () => {
    const petition = await createPublished(creator, { description });
    assert.equal(petition.description, description);
    assert.equal(petition.description_html, descriptionHtml);
    for (const api of [service.api, creator.api]) {
      const { data } = (await api.get(`/v1/petitions/${petition.slug}`)).body;
      assert.equal(data.description_html, descriptionHtml);
    }
    const [listed] = (await service.api.get('/v1/petitions')).body.data;
    assert.equal(listed.description, description);
    assert.equal('description_html' in listed, false);

    const body = await page(`/p/${petition.slug}`);
    assert.ok(body.includes(textElement(descriptionHtml)));
    assert.ok(body.includes(`<meta name="description" content="${plain}Light it Keep it open">`));
    await eventually(async () => {
      const feed = (await service.api.get('/feeds/new.atom')).body as string;
      return feed.includes('see the plan.\n\n- Light it\n- Keep it open</summary>');
    });
    const card = /<p class="small clamp quiet" dir="auto">Why\s+The path is dark, see the plan\./;
    await eventually(async () => card.test(await page('/petitions')));
  });

  it('are plain in the mail to decision makers, whose page shows them rendered', async () => {
    const petition = await createPublished(creator, { description });
    const maker = await addDecisionMaker(creator, petition);
    const { mail, token } = await deliver(service, creator, maker, { summary: 'none' });
    for (const line of [
      '> Why\n> \n> The path is dark, see the plan (https //plan[.]example/uniquehost).',
      '> - Light it\n> - Keep it open',
    ]) {
      assert.ok(mail.text.includes(line), mail.text);
    }
    assert.ok((await page(`/respond/${token}`)).includes(textElement(descriptionHtml)));
    const portal = await service.api.get(`/respond/${token}`);
    assert.equal(portal.body.data.petition.description_html, descriptionHtml);

    const { status, body } = await service.api.post(`/respond/${token}`, { body: '_Yes_' });
    assert.equal(status, 201);
    assert.equal(body.data.body_html, '<p><em>Yes</em></p>\n');
    const published = await creator.api.post(`/v1/responses/${body.data.id}/publish`);
    assert.equal(published.body.data.body_html, '<p><em>Yes</em></p>\n');
    const [listed] = (await service.api.get(`/v1/petitions/${petition.id}/responses`)).body.data;
    assert.equal(listed.body, '_Yes_');
    assert.equal('body_html' in listed, false);
    await eventually(async () =>
      (await page(`/p/${petition.slug}`)).includes(textElement('<p><em>Yes</em></p>\n')),
    );
  });

  it('of updates, victories and organizations are rendered', async () => {
    const petition = await createPublished(creator, { description });
    const update = await creator.api.post(`/v1/petitions/${petition.id}/updates`, {
      title: 'News',
      body: 'It is **lit**',
    });
    assert.equal(update.body.data.body_html, '<p>It is <strong>lit</strong></p>\n');
    await creator.api.post(`/v1/petitions/${petition.id}/victory`, {
      victory_message: 'We **won**',
    });
    await eventually(async () => {
      const body = await page(`/p/${petition.slug}`);
      return ['<p>It is <strong>lit</strong></p>\n', '<p>We <strong>won</strong></p>\n'].every(
        (html) => body.includes(textElement(html)),
      );
    });
    const news = await page(`/p/${petition.slug}/updates`);
    assert.ok(news.includes(textElement('<p>It is <strong>lit</strong></p>\n')));

    const { slug } = await createOrganization(creator, { description: '> Friends' });
    assert.match(
      await page(`/o/${slug}`),
      /<div class="text lead" dir="auto">\n<blockquote><p>Friends<\/p>/,
    );
    const { data } = (await service.api.get(`/v1/organizations/${slug}`)).body;
    assert.equal(data.description_html, '<blockquote><p>Friends</p>\n</blockquote>\n');
    const silent = await createOrganization(creator);
    assert.equal(silent.description_html, null);
  });

  it('are found by their words, not by the addresses of their links', async () => {
    const { id } = await createPublished(creator, {
      title: 'A lamp for the searched path',
      description: `${description}\n\nSearchable.`,
    });
    const find = async (q: string): Promise<string[]> =>
      (await service.api.get(`/v1/search/petitions?q=${q}`)).body.data.map(
        (one: { id: string }) => one.id,
      );
    await eventually(async () => (await find('searchable')).includes(id));
    assert.deepEqual(await find('uniquehost'), []);
  });

  it('have documents of an earlier version written again', async () => {
    const { pools } = service.ctx;
    const { id } = await createPublished(creator, { title: 'An indexed lamp', description });
    const wordsOf = () => pools.main.value<string>`
      select document::text from search_documents where petition_id = ${id}`;
    await eventually(async () => ((await wordsOf()) ?? '').includes('dark'));
    await pools.main`
      update search_documents set document = document || to_tsvector('simple', 'uniquehost')
      where petition_id = ${id}`;
    await pools.main`
      update backfills set completed_at = null, cursor = null where name = 'search-markdown-links'`;
    await pools.main`
      select graphile_worker.add_job('backfill:search-markdown-links', '{}'::json)`;
    await eventually(async () => !((await wordsOf()) ?? '').includes('uniquehost'));
  });

  it('are not rendered where a moderator has removed them', async () => {
    const petition = await createPublished(creator, {
      description: `${description}\n\nWhat nobody may **read**.`,
    });
    const admin = await logInAsAdmin(service);
    const redacted = await admin.api.post(`/v1/admin/petitions/${petition.id}/redact`, {
      description: `${description}\n\nRedacted by a moderator.`,
      reason: 'It names a person.',
    });
    assert.equal(redacted.status, 200);
    assert.ok(!JSON.stringify(redacted.body).includes('nobody may'));
    const { body } = await service.api.get(`/v1/petitions/${petition.id}`);
    assert.ok(body.data.description_html.includes('<p>Redacted by a moderator.</p>'));
    assert.ok(!JSON.stringify(body).includes('nobody may'));
  });
});
