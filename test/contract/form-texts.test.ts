import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { textProblem } from '../../src/platform/http/text.ts';
import { awkwardTexts } from '../support/awkward-texts.ts';
import { Browser, formsOf, logInBrowser, type Form } from '../support/browser.ts';
import { allPages } from '../support/every-page.ts';
import { makePageWorld, type Role } from '../support/page-world.ts';
import { startService } from '../support/service.ts';

const service = await startService({ worker: true });
const world = await makePageWorld(service);

/** Words of people, not addresses, secrets, numbers or searches. */
const isReadable = (name: string): boolean =>
  /name|title|description|body|text|reason|message|note|comment|location|tags|place|bio|alt|city|region|website/i.test(
    name,
  ) && !/email|password|token|slug/i.test(name);

const browsers = new Map<Role | undefined, Browser>();
async function browserOf(role: Role | undefined): Promise<Browser> {
  const html = { api: service.api.with({ accept: 'text/html' }) };
  const known = browsers.get(role);
  if (known) return known;
  const browser = role ? await logInBrowser(html, world.people[role]) : new Browser(html.api);
  browsers.set(role, browser);
  return browser;
}

/** Every form of every page that asks for words, once, with a page on which it stands. */
const seen = new Set<string>();
describe('texts in forms', () => {
  after(() => service[Symbol.asyncDispose]());
  let fields = 0;

  for (const { path, as: role, status = 200, send } of Object.values(allPages(world)).flat()) {
    if (status !== 200 || send) continue;
    it(`${path}, ${role ?? 'visitor'}`, async () => {
      const browser = await browserOf(role);
      for (const form of formsOf(await browser.open(path))) {
        const named = form.typed.filter((name) => isReadable(name));
        const key = `${form.action.replaceAll(/[0-9a-f-]{36}/g, '{id}')} ${named.join()}`;
        if (form.method !== 'post' || form.isMultipart) continue;
        if (named.length === 0 || seen.has(key)) continue;
        seen.add(key);
        fields += named.length;
        for (const name of named) {
          await refusesAwkwardTexts(browser, { ...form, action: form.action || path }, name);
        }
      }
    });
  }

  it('are asked for in many forms', () => {
    assert.ok(fields > 25, String(fields));
  });

  /** What cannot be taken changes nothing, so that every text can be sent to the same form. */
  async function refusesAwkwardTexts(browser: Browser, form: Form, name: string): Promise<void> {
    for (const [what, text] of awkwardTexts) {
      const isLong = form.long.includes(name);
      // Forms leave out what is empty without the space around it, and cannot hold half of a character.
      if (text.trim() === '' || !text.isWellFormed()) continue;
      // Some reasons of several lines have a field of one line, in which nobody can type these.
      if (!isLong && /[\r\n\t]/.test(text)) continue;
      const sent = isLong ? text : text.trim();
      const problem = textProblem(sent, { lines: isLong ? 'many' : 'one', isNeeded: false });
      if (problem === undefined) continue;
      const filled = Object.fromEntries(form.typed.map((one) => [one, form.fields[one] || 'Some']));
      const answer = await browser.send(form.action, {
        ...form.fields,
        ...form.pressed,
        ...filled,
        [name]: text,
      });
      const place = `${form.action}, ${name}, ${what}: ${answer.status}`;
      // Visitors log in first, and send the kept form then.
      if (String(answer.body).includes('action="/login"')) return;
      assert.equal(answer.status, 422, place);
      // No browser sends a null: it is refused for the whole form.
      if (text.includes('\0')) continue;
      const isMarked = new RegExp(`name="${name}"[^>]*aria-invalid="true"`).test(answer.body);
      assert.ok(isMarked || answer.body.includes(problem.slice(0, -1)), place);
    }
  }
});
