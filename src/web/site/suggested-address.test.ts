import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, formOf, logInBrowser } from '../../../test/support/browser.ts';
import type { Answer } from '../../../test/support/client.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import {
  createPublished,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('an address that looks mistyped', () => {
  let service: Service;
  let creator: Person;
  let petition: { id: string; slug: string };
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
    await verifyAddress(service, creator);
    petition = await createPublished(creator);
  });
  after(() => service[Symbol.asyncDispose]());

  const isMailed = (address: string) =>
    eventually(
      async () => (await service.mails()).map(readMail).some(({ to }) => to === address),
      15_000,
    );

  /** The form asks: its page has the suggestion as a choice, which is not chosen. */
  const assertAsks = ({ status, body }: Answer, suggestion: string) => {
    assert.equal(status, 422);
    assert.match(
      body,
      new RegExp(`class="wrong"[^>]*>Did you mean <bdi>${suggestion}</bdi>\\?</span>`),
    );
    const [, checkbox] = /<input (type="checkbox" name="_suggested_email"[^>]*)>/.exec(body)!;
    assert.doesNotMatch(checkbox!, / checked/);
    assert.doesNotMatch(body, /aria-invalid/);
  };

  const take = { _suggested_email: 'on' };
  let typed = 0;
  /** An address that nobody has, at a mistyped domain. */
  const newLocalPart = () => `ada${(typed += 1)}`;

  interface FormPage {
    name: string;
    path(): string;
    to(): string;
    fields: Record<string, string>;
    isOwn?: boolean;
    /** Typed again: no page has a password. */
    secret?: Record<string, string>;
    isDone(answer: Answer, address: string): Promise<void> | void;
  }

  const forms: FormPage[] = [
    {
      name: 'signing by mail',
      path: () => `/p/${petition.slug}`,
      to: () => `/p/${petition.slug}/sign`,
      fields: { display_name: 'Ada' },
      isDone: (_, address) => isMailed(address),
    },
    {
      name: 'signing in by mail',
      path: () => '/login',
      to: () => '/login/mail',
      fields: {},
      isDone: (_, address) => isMailed(address),
    },
    {
      name: 'registering',
      path: () => '/register',
      to: () => '/register',
      fields: { display_name: 'Ada' },
      secret: { password: 'correct horse battery' },
      isDone: (_, address) => isMailed(address),
    },
    {
      name: 'reporting without an account',
      path: () => `/p/${petition.slug}/report`,
      to: () => `/p/${petition.slug}/report`,
      fields: { reason: 'spam' },
      isDone: (_, address) => isMailed(address),
    },
    {
      name: 'naming a decision maker',
      path: () => `/dashboard/petitions/${petition.id}/decision-makers`,
      to: () => `/dashboard/petitions/${petition.id}/decision-makers`,
      fields: { name: 'Robin Marsh', title: '' },
      isOwn: true,
      isDone: ({ body }, address) => assert.ok(body.includes(`<bdi>${address}</bdi>`)),
    },
    {
      name: 'changing one’s own',
      path: () => '/settings/login',
      to: () => '/settings/login/address',
      fields: {},
      isOwn: true,
      secret: { password: 'correct horse' },
      isDone: (_, address) => isMailed(address),
    },
  ];

  for (const form of forms) {
    for (const isTaken of [true, false]) {
      it(`is asked about once, and ${isTaken ? 'replaced' : 'left'}: ${form.name}`, async () => {
        const browser = form.isOwn
          ? await logInBrowser(service, creator)
          : new Browser(service.api);
        const name = newLocalPart();
        const fields = { ...form.fields, ...form.secret, email: `${name}@gmial.com` };
        const page = await browser.open(form.path());
        assert.match(page.body, /data-suggest="Did you mean …\?"/);
        assert.match(page.body, /\/assets\/address-field\.[\w-]+\.js/);
        const asked = await browser.submit(page, fields, form.to());
        assertAsks(asked, `${name}@gmail.com`);
        assert.equal(formOf(asked, form.to()).fields.email, `${name}@gmial.com`);
        const second = { ...form.secret, ...(isTaken && take) };
        const answer = await browser.submit(asked, second, form.to());
        assert.ok(answer.status < 300, answer.body);
        await form.isDone(answer, `${name}@${isTaken ? 'gmail' : 'gmial'}.com`);
      });
    }
  }

  it('is asked about again if another one is typed', async () => {
    const browser = new Browser(service.api);
    const asked = await browser.submit(
      await browser.open('/login'),
      { email: 'grace@gmial.com' },
      '/login/mail',
    );
    const again = await browser.submit(asked, { email: 'grace@yaho.com', ...take }, '/login/mail');
    assertAsks(again, 'grace@yahoo.com');
    const right = { email: 'grace.h@example.org', ...take };
    const answer = await browser.submit(again, right, '/login/mail');
    assert.equal(answer.status, 200);
    await isMailed('grace.h@example.org');
  });

  it('is asked about in the language of the page', async () => {
    for (const [language, question] of [
      ['de', /Meinten Sie <bdi>a@gmail\.com<\/bdi>\?.*<bdi>a@gmail\.com<\/bdi> verwenden/s],
      ['fr', /Vouliez-vous dire <bdi>a@gmail\.com<\/bdi>.\?.*Utiliser <bdi>a@gmail\.com/s],
      ['es', /¿Quería decir <bdi>a@gmail\.com<\/bdi>\?.*Usar <bdi>a@gmail\.com/s],
      ['ar', /هل تقصد <bdi>a@gmail\.com<\/bdi>؟.*استخدام <bdi>a@gmail\.com/s],
    ] as const) {
      const browser = new Browser(service.api.with({ 'accept-language': language }));
      const page = await browser.open('/login');
      const asked = await browser.submit(page, { email: 'a@gmial.com' }, '/login/mail');
      assert.match(asked.body, question);
    }
  });

  it('is taken as it is where its owner logs in, and by the API', async () => {
    const browser = new Browser(service.api);
    const fields = { email: 'grace@gmial.com', password: 'wrong password' };
    const page = await browser.submit(await browser.open('/login'), fields, '/login');
    assert.equal(page.status, 401);
    const answer = await service.api.post(`/v1/petitions/${petition.id}/signatures/pending`, {
      display_name: 'Grace',
      email: 'grace@hotmial.com',
    });
    assert.equal(answer.status, 202);
    await isMailed('grace@hotmial.com');
  });
});
