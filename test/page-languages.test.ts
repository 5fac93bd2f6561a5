import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { composeDeliveryMail } from '../src/campaigns/decision-makers/decision-makers.ts';
import { showPetition } from '../src/campaigns/petitions/read.ts';
import { composeMessage } from '../src/platform/mail.ts';
import { directionOf, type Language } from '../src/platform/pages/language.ts';
import { languageAttributes } from '../src/platform/pages/text-language.ts';
import { mailSamples } from '../src/web/design/mail-samples.ts';
import { allPages, type PageState } from './support/every-page.ts';
import { browsersOf, openState } from './support/first-loads.ts';
import { makePageWorld, type PageWorld } from './support/page-world.ts';
import { createPublished } from './support/people.ts';
import { startService, type Service } from './support/service.ts';
import { textNodesOf, type TextNode } from './support/text-nodes.ts';

/** A word that only petitions have. */
const word = 'Uferweglicht';

/** Elements whose text cannot have a language of its own, and why. */
const unmarked: Record<string, string> = {
  title: 'has no elements, and the language of the page',
  script: 'is data for search engines',
  textarea:
    'is a message in the language of the page around the title, or a text that changes while it is typed',
};

const isUnmarked = ({ path }: TextNode): boolean => path.some((name) => name in unmarked);

/** Texts with the word, where they can be marked, and the wrongly marked ones of these. */
function petitionTextsIn(html: string, expected: { lang: string; dir: string }) {
  const texts = textNodesOf(html).filter((node) => node.text.includes(word) && !isUnmarked(node));
  const wrong = texts.filter(({ lang, dir }) => lang !== expected.lang || dir !== expected.dir);
  return { texts, wrong };
}

describe('the language of texts', () => {
  let service: Service;
  let world: PageWorld;
  before(async () => {
    service = await startService({ worker: true });
    world = await makePageWorld(service, ({ title, description, ...more }) => ({
      ...more,
      ...(title && { title: `${word} ${title}`, language: 'de' }),
      ...(description && { description: `${word} ${description}`, language: 'de' }),
    }));
  });
  after(() => service[Symbol.asyncDispose]());

  /** Opens the pages, and returns what is marked wrongly on each. */
  async function wrongTextsOn(pages: PageState[], pageLanguage: Language) {
    const api = service.api.with({ accept: 'text/html', 'accept-language': pageLanguage });
    const browsers = await browsersOf({ api }, world.people);
    const wrong = [];
    let seen = 0;
    for (const state of pages) {
      const { body } = await openState(browsers.get(state.as)!, state);
      const found = petitionTextsIn(String(body), { lang: 'de', dir: 'ltr' });
      seen += found.texts.length;
      wrong.push(...found.wrong.map((node) => ({ page: state.path, ...node })));
    }
    assert.ok(seen > 100, `${seen} texts of petitions`);
    return wrong;
  }

  it('is that of petitions on every page in English', async () => {
    assert.deepEqual(await wrongTextsOn(Object.values(allPages(world)).flat(), 'en'), []);
  });

  it('and their direction, on every page in Arabic', async () => {
    const pages = Object.values(allPages(world)).flat();
    const translated = pages.filter(({ onlyEnglish, send }) => !onlyEnglish && !send);
    assert.deepEqual(await wrongTextsOn(translated, 'ar' as Language), []);
  });

  it('is that of titles in widgets and embedded links', async () => {
    const { creator } = world.people;
    const title = 'أنيروا الممر على ضفاف النهر';
    const { id, slug } = await createPublished(creator, { title, language: 'ar' });
    const { body: widget } = await service.api.get(`/embed/p/${slug}`);
    assert.match(widget, new RegExp(`<h1 lang="ar" dir="rtl"><a [^>]*>${title}`));
    const { body: embed } = await service.api.post(`/v1/petitions/${id}/embed`);
    assert.match(embed.data.html, new RegExp(`^<blockquote><a [^>]* lang="ar" dir="rtl">${title}`));
    const { body: page } = await service.api.get(`/p/${slug}`, {
      headers: { accept: 'text/html', 'accept-language': 'ar' },
    });
    assert.match(page, new RegExp(`<h1 dir="rtl">${title}`));
    assert.match(page, /"inLanguage":"ar"/);
  });

  it('is that of titles and summaries in feeds', async () => {
    const { body } = await service.api.get('/feeds/new.atom');
    assert.match(body, new RegExp(`<title xml:lang="de">${word}`));
    assert.match(body, new RegExp(`<summary xml:lang="de">${word}`));
    assert.match(body, /<title xml:lang="en">[^<]+<\/title>\n<updated>/);
  });

  it('is that of titles in mails', async () => {
    const { ctx } = service;
    const htmlOf = (mail: Parameters<typeof composeMessage>[0]) =>
      composeMessage(mail, { ...ctx.config.mail, site: () => ctx.site.current }).html;
    let seen = 0;
    for (const language of ['de', 'ar'] as Language[]) {
      for (const { compose } of Object.values(mailSamples)) {
        for (const mail of await compose(ctx, language)) {
          if (mail.language === 'en') continue;
          const texts = textNodesOf(htmlOf(mail)).filter(
            (node) => node.text.includes('Keep the river path') && !isUnmarked(node),
          );
          seen += texts.length;
          for (const { text, lang, dir } of texts) {
            assert.deepEqual({ lang, dir }, { lang: 'en', dir: 'ltr' }, `${mail.kind}: ${text}`);
          }
        }
      }
    }
    assert.ok(seen > 20, String(seen));
    const petition = await showPetition(ctx, null, world.petition, undefined);
    const now = new Date();
    const delivery = await composeDeliveryMail(
      ctx,
      {
        id: petition.id,
        petition_id: petition.id,
        name: 'Grace Hopper',
        title: 'Mayor',
        email: 'grace@example.org',
        summary: 'none',
        message: null,
        created_at: now,
        expires_at: now,
      },
      petition,
    );
    const { texts, wrong } = petitionTextsIn(htmlOf(delivery), { lang: 'de', dir: 'ltr' });
    assert.equal(texts.length, 2, 'the title and the start of the text');
    assert.deepEqual(wrong, []);
  });
});

describe('attributes of a text', () => {
  const of = (text: string | null, page: string) =>
    String(languageAttributes(text, page as Language));

  it('name a language other than that of the page, and its direction', () => {
    assert.equal(of('de', 'en'), ' lang="de" dir="ltr"');
    assert.equal(of('ar', 'en'), ' lang="ar" dir="rtl"');
    assert.equal(of('he', 'ar'), ' lang="he" dir="rtl"');
    assert.equal(of('pt-BR', 'es'), ' lang="pt-BR" dir="ltr"');
  });

  it('name no language that is that of the page', () => {
    assert.equal(of('en', 'en'), ' dir="ltr"');
    assert.equal(of('en-GB', 'en'), ' dir="ltr"');
    assert.equal(of('ar', 'ar'), ` dir="${directionOf('ar' as Language)}"`);
  });

  it('leave the direction of an unknown language to the text', () => {
    for (const unknown of [null, 'und', 'zz', 'not a tag', '"><b>', '']) {
      assert.equal(of(unknown, 'en'), ' dir="auto"', String(unknown));
    }
  });
});
