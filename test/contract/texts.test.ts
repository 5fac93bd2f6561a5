import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { textKeyword } from '../../src/platform/http/schema.ts';
import { normalizeText, textProblem, type TextLines } from '../../src/platform/http/text.ts';
import { awkwardTexts } from '../support/awkward-texts.ts';
import { logInAsAdmin } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { bodyFor, fill, newcomer, paramsFor, takes } from './fixtures.ts';

const service = await startService();
const admin = await logInAsAdmin(service);

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
        for (const [what, awkwardText] of awkwardTexts) {
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
