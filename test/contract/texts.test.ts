import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { textKeyword } from '../../src/platform/http/schema.ts';
import { normalizeText, textProblem, type TextLines } from '../../src/platform/http/text.ts';
import { logInAsAdmin } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { bodyFor, fill, newcomer, paramsFor, takes } from './fixtures.ts';

const service = await startService();
const admin = await logInAsAdmin(service);

/** Texts that break what takes no care, with the words of a petition around them where there is room. */
const awkward: [name: string, text: string][] = [
  ['a zero-width space', '\u200b'],
  ['zero-width spaces around', '\u200bplain\u200b'],
  ['a word joiner', '\u2060'],
  ['a soft hyphen', '\u00ad'],
  ['a byte order mark', '\ufeff'],
  ['a Hangul filler', '\u3164'],
  ['an empty Braille pattern', '\u2800'],
  ['a no-break space', '\u00a0'],
  ['an ideographic space', '\u3000'],
  ['sixty spaces', ' '.repeat(60)],
  ['spaces around', '  plain  '],
  ['a null', 'a\u0000b'],
  ['a bell', 'a\u0007b'],
  ['an escape sequence', 'a\u001b[31mb'],
  ['a delete', 'a\u007fb'],
  ['a next line', 'a\u0085b'],
  ['a C1 control', 'a\u009bb'],
  ['a line feed', 'a\nb'],
  ['a carriage return', 'a\rb'],
  ['both', 'a\r\nb'],
  ['a tab', 'a\tb'],
  ['a line separator', 'a\u2028b'],
  ['a reversal', 'a\u202egpj.exe'],
  ['an override', 'a\u202db'],
  ['an embedding', 'a\u202ab\u202c'],
  ['an open isolate', 'a\u2067b'],
  ['a closed isolate', 'a\u2067\u05d0\u2069b'],
  ['an isolate that closes nothing', 'a\u2069b'],
  ['marks of direction', 'a\u200e\u200fb'],
  ['half of a character', 'a\ud800b'],
  ['the other half', 'a\udc00b'],
  ['no character', 'a\uffffb'],
  ['no character of a later plane', 'a\u{1fffe}b'],
  ['a private character', 'a\ue000b'],
  ['a decomposed letter', 'Cafe\u0301'],
  ['a stack of marks', `a${'\u0301'.repeat(40)}`],
  ['a lone mark', '\u0301'],
  ['a family', '👩\u200d👩\u200d👧\u200d👦'],
  ['a flag of tags', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
  ['a variation', 'a\ufe0f'],
  ['a joiner', 'می\u200cخواهم'],
  ['full-width letters', 'ｐｌａｉｎ'],
  ['markup', '<b onclick=alert(1)>x</b>'],
  ['a template', '{{title}} ${7*7}'],
  ['SQL', "'; drop table users; --"],
  ['a formula', '=1+1'],
];

interface TextField {
  name: string;
  lines: TextLines;
  minLength: number;
  maxLength: number;
  pattern: string | undefined;
}

const routes = service.app.routes.filter(
  (route) => !route.page && route.body?.schema && takes(route, 'application/json'),
);

/** The fields of a body that people read. */
const textFields = (schema: object): TextField[] =>
  Object.entries((schema as { properties: Record<string, object> }).properties).flatMap(
    ([name, field]) => {
      const { minLength = 0, maxLength = 0, pattern, ...rest } = field as Record<string, never>;
      const lines = rest[textKeyword] as TextLines | undefined;
      return lines ? [{ name, lines, minLength, maxLength, pattern }] : [];
    },
  );

/** Makes a text as long as the field needs. */
const padded = (text: string, { minLength, maxLength }: TextField): string =>
  text.length > maxLength ? text : text + (minLength > 1 ? 'x'.repeat(minLength) : '');

/** Names of organizations have single spaces. */
const inWords = (text: string) => text.trim().replaceAll(/\s+/g, ' ');

/** Sends awkward texts to every field that people read: stored as normalised, or refused by name. */
describe('texts', () => {
  after(() => service[Symbol.asyncDispose]());

  let fields = 0;
  for (const route of routes) {
    const all = textFields(route.body!.schema!);
    fields += all.length;
    if (all.length === 0) continue;
    it(`${route.id}: ${all.map(({ name }) => name).join(', ')}`, async () => {
      const isStaff = ['admin', 'moderator'].includes(route.auth.access);
      const caller = isStaff ? admin : await newcomer(service, route);
      const path = fill(route.path, await paramsFor(route, service, caller));
      const good = bodyFor(route, caller) as Record<string, unknown>;
      for (const field of all) {
        for (const [what, awkwardText] of awkward) {
          const text = padded(awkwardText, field);
          const isNeeded = field.minLength > 0;
          const problem = textProblem(text, { lines: field.lines, isNeeded });
          const answer = await caller.api.send(route.method, path, { ...good, [field.name]: text });
          const place = `${field.name}, ${what}: ${answer.status}`;
          assert.ok(answer.status < 500, place);
          if (problem !== undefined) {
            assert.equal(answer.status, 422, place);
            const found = answer.body.errors.find(
              (error: { field: string }) => error.field === field.name,
            );
            assert.equal(found?.message, problem, place);
            assert.equal(found.code, 'invalid_characters', place);
            continue;
          }
          const shown: unknown = answer.body?.data?.[field.name];
          if (answer.status >= 300 || typeof shown !== 'string') continue;
          // A second report of the same gives the first.
          if (route.id === 'createReport') continue;
          assert.equal(inWords(shown), inWords(normalizeText(text, field.lines)), place);
        }
      }
    });
  }

  it('are declared in most operations that take words', () => {
    assert.ok(fields > 35, String(fields));
  });
});
