import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, logInBrowser } from '../../../test/support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import { signUp, verifyAddress, type Person } from '../../../test/support/people.ts';
import { codeOf } from '../../identity/mail-challenges/secrets.ts';
import { startService, type Service } from '../../../test/support/service.ts';

/** Sign-in mails a day that strangers can ask for: the tenth was that of registering. */
const perDay = 9;

describe('attacks on signing in by mail, with limits', () => {
  let service: Service;
  let networks = 0;
  before(async () => {
    const env = { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' };
    service = await startService({ worker: true, env });
  });
  after(() => service[Symbol.asyncDispose]());

  /** Calls from a network of its own. */
  const fromElsewhere = () =>
    service.api.with({ 'x-forwarded-for': `2001:db8:9:${(++networks).toString(16)}::1` });
  const newPerson = async (): Promise<Person> => {
    const person = await signUp({ ...service, api: fromElsewhere() });
    await verifyAddress(service, person);
    return person;
  };
  const ask = (email: string) => fromElsewhere().post('/v1/auth/magic-link', { email });
  const guess = (challenge: string, code: string) =>
    fromElsewhere().post('/v1/auth/magic-link/verify', { challenge, code });
  const mailsTo = async (email: string) =>
    (await service.mails())
      .map(readMail)
      .filter(({ to, text }) => to === email && text.includes('/login/link?'));
  const codesOf = async (email: string) =>
    (await mailsTo(email)).map(({ subject }) => /^\d{6}/.exec(subject)![0]);

  it('guess at most 15 codes of a mailbox, from as many networks and challenges as they like', async () => {
    const { email } = await newPerson();
    const challenges: string[] = [];
    for (let n = 0; n < 12; n += 1) challenges.push((await ask(email)).body.data.challenge);
    await eventually(async () => (await mailsTo(email)).length === perDay, 15_000);
    const right = new Set(await codesOf(email));
    const wrong = ['000000', '000001', '000002'].find((code) => !right.has(code))!;
    const answers = await Promise.all(
      challenges.flatMap((challenge) => Array.from({ length: 7 }, () => guess(challenge, wrong))),
    );
    const judged = answers.filter(({ status }) => status === 422).length;
    assert.equal(judged, 15, 'five of each of the newest three');
    assert.ok(answers.every(({ status }) => [410, 422, 429].includes(status)));
  });

  it('do not lock the owner out of a browser in which they were', async () => {
    const person = await newPerson();
    const browser = await logInBrowser(service, person);
    await browser.submit(await browser.open('/settings'), {}, '/logout');
    for (let n = 0; n < 12; n += 1) await ask(person.email);
    await eventually(async () => (await mailsTo(person.email)).length === perDay, 15_000);
    const guessed: string = (await ask(person.email)).body.data.challenge;
    await Promise.all(Array.from({ length: 9 }, () => guess(guessed, '000000')));
    const { email } = person;
    const waiting = await browser.submit(await browser.open('/login'), { email }, '/login/mail');
    await eventually(async () => (await mailsTo(email)).length === perDay + 1, 15_000);
    const [, challenge] = /name="challenge" value="([^"]+)"/.exec(waiting.body)!;
    const code = codeOf(service.ctx, challenge!);
    assert.ok((await codesOf(email)).includes(code), 'it was mailed');
    assert.equal((await browser.submit(waiting, { code })).status, 200);
    assert.match((await browser.open('/settings')).body, /<h1>Settings<\/h1>/);
  });

  it('cannot fix the session that a browser has afterwards', async () => {
    const { email } = await newPerson();
    const browser = new Browser(service.api);
    const waiting = await browser.submit(await browser.open('/login'), { email }, '/login/mail');
    const planted = browser.cookies;
    await eventually(async () => (await mailsTo(email)).length === 1, 15_000);
    const [code] = await codesOf(email);
    await browser.submit(waiting, { code: code! });
    assert.match((await browser.open('/settings')).body, /<h1>Settings<\/h1>/);
    const stolen = await service.api.get('/settings', { headers: { cookie: planted } });
    assert.equal(stolen.status, 303);
    assert.match(stolen.headers.get('location')!, /^\/login/);
  });
});
