import { organizationsById } from '../../identity/organizations/organizations.ts';
import { listVersionDates } from '../../campaigns/petitions/list.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { plainStartOf, plainTextOf } from '../../platform/markdown/markdown.ts';
import { dayText, formatList, formatNumber, plainText } from '../../platform/pages/catalog.ts';
import { directionOf, isLanguage, type Language } from '../../platform/pages/language.ts';
import { pageUrl } from '../../reach/embeds/embeds.ts';
import { maxLineNumbers, type SheetContent } from './sheet-content.ts';
import { sheetTexts } from './texts.ts';

/** More than the first page has room for. */
const maxTextCharacters = 1200;

interface SheetOptions {
  caller: Caller | null;
  code: string | undefined;
  pages: number;
}

/** What the sheet of a petition shows, in the language of the petition if the pages have it. */
export async function sheetContentOf(
  ctx: Context,
  petition: Petition,
  options: SheetOptions,
): Promise<SheetContent> {
  const { defaultLanguage, name: site } = ctx.site.current;
  const language = isLanguage(petition.language) ? petition.language : defaultLanguage;
  const say = (name: Parameters<typeof plainText<SheetText>>[2], values = {}) =>
    plainText(sheetTexts, language, name, values);
  const title = plainTextOf(petition.title) || petition.title;
  const { creator } = petition;
  const url = pageUrl(ctx.config, petition.slug);
  const privacy = creator
    ? say('privacy', { name: creator.display_name, site })
    : say('privacy_unnamed', { site });
  return {
    language,
    direction: directionOf(language),
    documentTitle: say('document_title', { title }),
    heading: say('heading', { site }),
    warning: petition.status === 'active' ? null : say('draft'),
    title,
    by: await linesAboutPeople(ctx, petition, language),
    text: plainStartOf(petition.description, maxTextCharacters),
    source: say('source', { ...(await versionOf(ctx, petition, language, options)), url }),
    url,
    scan: say('scan'),
    columns: {
      number: say('column_number'),
      name: say('column_name'),
      town: say('column_town'),
      contact: say('column_contact'),
      signature: say('column_signature'),
    },
    privacy: `${privacy}\n${say('contact_use')}`,
    pages: Array.from({ length: options.pages }, (_, index) =>
      say('page_of', { page: index + 1, pages: options.pages }),
    ),
    lineNumbers: Array.from({ length: maxLineNumbers }, (_, index) =>
      formatNumber(language, index + 1),
    ),
  };
}

type SheetText =
  typeof sheetTexts extends Record<string, Record<infer Name, unknown>> ? Name : never;

/** Who asks, whom, and until when. */
async function linesAboutPeople(
  ctx: Context,
  { creator, org_id, decision_makers: makers, closes_at }: Petition,
  language: Language,
): Promise<string[]> {
  const found = org_id === null ? undefined : await organizationsById(ctx.db, [org_id]);
  const organization = found?.get(org_id!)?.name;
  const lines: string[] = [];
  if (creator) {
    const { display_name: name } = creator;
    lines.push(
      organization === undefined
        ? plainText(sheetTexts, language, 'started_by', { name })
        : plainText(sheetTexts, language, 'started_for', { name, organization }),
    );
  }
  if (makers.length > 0) {
    const names = formatList(
      language,
      makers.map(({ name, title }) => (title === null ? name : `${name} (${title})`)),
    );
    lines.push(plainText(sheetTexts, language, 'addressed_to', { names }));
  }
  if (closes_at !== null) {
    const day = dayText(language, new Date(closes_at));
    lines.push(plainText(sheetTexts, language, 'open_until', { day }));
  }
  return lines;
}

/** The number and the day of the text's newest version. A draft has its first one once it is published. */
async function versionOf(
  ctx: Context,
  petition: Petition,
  language: Language,
  { caller, code }: SheetOptions,
): Promise<{ version: number; day: string }> {
  const { items } = await listVersionDates(ctx, caller, petition.id, {
    limit: 1,
    ...(code !== undefined && { access_code: code }),
  });
  const newest = items[0] ?? { version: 1, created_at: petition.created_at };
  return { version: newest.version, day: dayText(language, new Date(newest.created_at)) };
}
