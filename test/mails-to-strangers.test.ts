import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { remindUnconfirmed } from '../src/campaigns/pending-signatures/reminding.ts';
import { hashPassword } from '../src/identity/accounts/accounts.ts';
import { insertSuppression, mailboxHash } from '../src/platform/mail-suppressions.ts';
import { mailKinds, type MailKind } from '../src/platform/mail.ts';
import { Browser, formsOf, logInBrowser } from './support/browser.ts';
import { addDecisionMaker } from './support/decision-makers.ts';
import { eventually } from './support/eventually.ts';
import { readMail } from './support/mail.ts';
import {
  createPublished,
  createUsers,
  logIn,
  signUp,
  verifyAddress,
  type Person,
} from './support/people.ts';
import { freePort } from './support/process.ts';
import { startService, type Service } from './support/service.ts';

const password = 'correct horse';
/** Mails a day that strangers can cause to one mailbox: of all kinds but resets, and resets. */
const [share, resets] = [15, 5];

/** A mailbox of somebody who knows nothing of the service. */
class Victim {
  readonly #name: string;
  #spellings = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** Returns another spelling of the address: in capitals, with a suffix, with dots. */
  spelling(): string {
    const n = (this.#spellings += 1);
    const [first, ...rest] = this.#name;
    const local = [this.#name, this.#name.toUpperCase(), `${first}.${rest.join('')}`][n % 3]!;
    return `${local}+${n}@${n % 2 === 0 ? 'gmail.com' : 'googlemail.com'}`;
  }

  owns = (address: string): boolean => {
    const [local = '', domain = ''] = address.toLowerCase().split('@');
    const name = local.split('+')[0]!.replaceAll('.', '');
    return name === this.#name && ['gmail.com', 'googlemail.com'].includes(domain);
  };
}

describe('mails that strangers cause', () => {
  let service: Service;
  let creator: Person;
  let petition: { id: string; slug: string };
  let passwordHash: string;
  let networks = 0;
  let victims = 0;
  before(async () => {
    service = await startService({
      worker: true,
      env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' },
    });
    creator = await signUp(service, 'Creator');
    await verifyAddress(service, creator);
    petition = await createPublished(creator);
    passwordHash = await hashPassword(password);
  });
  after(() => service[Symbol.asyncDispose]());

  const newVictim = () => new Victim(`victim${'abcdefghijklmnopqrstuvwxyz'[(victims += 1) - 1]!}`);
  const newNetwork = () => `81.${(networks += 1) >> 8}.${networks & 255}.1`;
  const fromElsewhere = () => service.api.with({ 'x-forwarded-for': newNetwork() });
  const as = ({ token }: { token: string }) => fromElsewhere().as(token);
  const times = async (n: number, act: (n: number) => Promise<unknown>) => {
    for (let at = 0; at < n; at += 1) await act(at);
  };
  /** Stores an account that somebody opened with the address of another, without the mail of doing so. */
  const squat = async (email: string): Promise<Person> => {
    const [user] = await createUsers(service, 1);
    await service.ctx.db`
      update users set email = ${email}, email_verified_at = null, password_hash = ${passwordHash}
      where id = ${user!.id}`;
    return logIn({ ...service, api: fromElsewhere() }, { email, password, id: user!.id });
  };
  const stranger = async () => (await createUsers(service, 1))[0]!;
  /** Waits until all jobs are done. */
  const jobsDone = () =>
    eventually(
      async () =>
        !(await service.ctx.db.exists`select from graphile_worker.jobs where run_at <= now()`),
      20_000,
    );
  /** Asks for a mail that signs in, and waits for it: none is sent once three newer ones were asked for. */
  const askForSignIn = async (email: string) => {
    await fromElsewhere().post('/v1/auth/magic-link', { email });
    await jobsDone();
  };
  /** Returns the mails to a mailbox, after all jobs are done. */
  const mailsTo = async ({ owns }: Victim) => {
    await jobsDone();
    return (await service.mails()).map(readMail).filter(({ to }) => owns(to));
  };
  const askForSignatures = async (victim: Victim) => {
    const path = (id: string) => `/v1/petitions/${id}/signatures/pending`;
    await times(7, () =>
      fromElsewhere().post(path(petition.id), { display_name: 'Any', email: victim.spelling() }),
    );
  };

  /** Who causes mails of each kind: what strangers do to cause many, and their limit; or why they cannot. */
  const kinds: Record<
    MailKind,
    string | { atMost: number; cause: (victim: Victim, acts: number) => Promise<void> }
  > = {
    verification: {
      atMost: 10,
      cause: async (victim) => {
        const account = await squat(victim.spelling());
        await times(3, () => account.api.post('/v1/auth/verify-email/resend'));
        const register = () =>
          fromElsewhere().post('/v1/auth/register', {
            email: victim.spelling(),
            password,
            display_name: 'Any',
          });
        let last = await register();
        await times(5, async () => {
          last = await register();
        });
        assert.equal(last.status, 429);
        assert.ok(Number(last.headers.get('retry-after')) > 0);
        const refused = await account.api.post('/v1/auth/verify-email/resend');
        assert.equal(refused.status, 429);
      },
    },
    reconfirmation: 'asked for by those who are logged in to an account that has proven it',
    'sign-in': {
      atMost: 10,
      cause: async (victim) => {
        await times(6, () => askForSignIn(victim.spelling()));
        // In browsers that know an account of the address, which was opened by somebody else.
        const account = await squat(victim.spelling());
        await times(2, async () => {
          const browser = await logInBrowser({ api: fromElsewhere() }, account);
          const { fields } = formsOf(await browser.open('/settings/login')).at(-1)!;
          await times(3, () => browser.send('/settings/login/code', fields));
          await browser.submit(await browser.open('/settings'), {}, '/logout');
          const form = await browser.open('/login');
          await times(5, () => browser.submit(form, { email: account.email }, '/login/mail'));
        });
      },
    },
    new_sign_in: {
      atMost: share,
      cause: async (victim, acts) => {
        const account = await squat(victim.spelling());
        await times(acts, async (n) => {
          await service.ctx.db`
              update sessions set last_seen_at = now() - interval '91 days'
              where user_id = ${account.id}`;
          const headers = {
            'x-forwarded-for': ['193.99.144.80', '195.83.1.1'][n % 2]!,
            'user-agent': `Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/140.0 Firefox/140.0`,
          };
          const { status } = await service.api.with(headers).post('/v1/auth/login', account);
          assert.equal(status, 200);
        });
      },
    },
    reset: {
      atMost: resets,
      cause: async (victim) => {
        const accounts = [];
        for (let n = 0; n < 4; n += 1) accounts.push(await squat(victim.spelling()));
        for (const { email } of accounts) {
          await times(3, () => fromElsewhere().post('/v1/auth/forgot-password', { email }));
        }
      },
    },
    setup: 'to ADMIN_EMAIL, once when an instance starts',
    'password-changed': {
      atMost: share,
      cause: async (victim, acts) => {
        const account = await squat(victim.spelling());
        await times(acts, async () => {
          const input = { password, new_password: password };
          assert.equal((await account.api.put('/v1/users/me/password', input)).status, 204);
        });
      },
    },
    access_ended: 'once, to an address that its owner has just proven by a mail',
    new_address: {
      atMost: 5,
      cause: async (victim) => {
        await times(3, async () => {
          const account = await squat(`${crypto.randomUUID()}@example.org`);
          await verifyAddress(service, account);
          await times(3, () =>
            account.api.post('/v1/users/me/email', { email: victim.spelling(), password }),
          );
        });
      },
    },
    address_changed: 'to a proven address, whose owner has changed it',
    signing: { atMost: 10, cause: askForSignatures },
    'signing-reminder': {
      atMost: share,
      cause: async (victim) => {
        await askForSignatures(victim);
        await mailsTo(victim);
        await remindUnconfirmed(service.ctx);
        await service.ctx.db`update pending_signatures set expires_at = now()`;
        await remindUnconfirmed(service.ctx);
      },
    },
    'signature-receipt': 'once for a signature that the owner of the address has confirmed by mail',
    'signature-rejected': 'by moderators, to a proven address, about a signature from it',
    'signature-invalidated': 'by moderators, to proven addresses, about signatures from them',
    delivery: {
      atMost: 5,
      cause: async (victim) => {
        await times(7, async () => {
          const maker = await addDecisionMaker(creator, petition, { email: victim.spelling() });
          await creator.api.post(`${maker.path}/deliver`, { summary: 'none' });
        });
      },
    },
    notifications: 'to proven addresses, merged and an hour apart, with a link that ends them',
    'moderation-decision':
      'by moderators, to a proven address, or to one that has confirmed a report by mail',
    'petition-redacted': 'by moderators, to a proven address, about a petition from it',
    'report-confirmation': {
      atMost: 5,
      cause: async (victim) => {
        await times(7, async () => {
          const browser = new Browser(fromElsewhere());
          const form = await browser.open(`/p/${petition.slug}/report`);
          await browser.submit(form, { reason: 'spam', email: victim.spelling() });
        });
      },
    },
    'report-receipt': 'once for a report that the owner of the address has confirmed by mail',
    contact: 'to the address that the site publishes for it: no stranger names the recipient',
    'organizer-contact': {
      atMost: share,
      cause: async (victim, acts) => {
        const account = await squat(victim.spelling());
        await verifyAddress(service, account);
        const { id } = await createPublished(account);
        await times(acts, async (n) => {
          const { status } = await as(await stranger()).post(`/v1/petitions/${id}/contact`, {
            message: `Message ${n}`,
          });
          assert.ok([202, 429].includes(status), `${status}`);
        });
      },
    },
    'organizer-invitation': {
      atMost: 3,
      cause: async (victim) => {
        await times(5, () =>
          creator.api.post(`/v1/petitions/${petition.id}/organizers`, {
            email: victim.spelling(),
            role: 'author',
          }),
        );
      },
    },
    'hand-over-offered':
      'to a proven account that has accepted an invitation: 3 a day of those of strangers (hand-over.test.ts)',
    'handed-over':
      'to a proven account that has accepted an invitation or an offer: of those of strangers, or its own act',
    test: 'by who sets the instance up, or on the command line',
  };

  for (const kind of mailKinds) {
    const who = kinds[kind];
    if (typeof who === 'string') continue;
    it(`of the kind ${kind} are at most ${who.atMost} a day, in whatever spelling`, async () => {
      const victim = newVictim();
      await who.cause(victim, share + 2);
      const { length } = await mailsTo(victim);
      assert.ok(length > 0 && length <= who.atMost, `${length}`);
    });
  }

  it('are at most 20 a day of all kinds, in whatever spelling', async () => {
    const victim = newVictim();
    for (const who of Object.values(kinds)) {
      if (typeof who !== 'string') await who.cause(victim, 5).catch(() => {});
    }
    assert.equal((await mailsTo(victim)).length, share + resets);
  });

  it('end by the link that stops them, but for resets and what the owner asks for in a known browser', async () => {
    const victim = newVictim();
    const account = await squat(victim.spelling());
    const { email } = account;
    await verifyAddress(service, account);
    const browser = await logInBrowser({ api: fromElsewhere() }, account);
    await browser.submit(await browser.open('/settings'), {}, '/logout');
    const { db, keys } = service.ctx;
    await insertSuppression(db, mailboxHash(keys, email), 'unsubscribed');
    for (const who of Object.values(kinds)) {
      if (typeof who !== 'string') await who.cause(victim, 2).catch(() => {});
    }
    const arrived = await mailsTo(victim);
    assert.equal(arrived.length, resets);
    assert.ok(arrived.every(({ text }) => text.includes('/reset-password?token=')));
    await browser.submit(await browser.open('/login'), { email }, '/login/mail');
    await browser.submit(await browser.open('/forgot-password'), { email });
    assert.equal((await mailsTo(victim)).length, resets + 2);
  });

  it('count for the mailbox in all domains of its provider', async () => {
    const addresses = ['any.one@proton.me', 'anyone@protonmail.com', 'any-one@pm.me'];
    await times(12, (n) => {
      const email = addresses[n % 3]!.replace('@', `+${n}@`);
      return fromElsewhere().post('/v1/auth/register', { email, password, display_name: 'Any' });
    });
    const owner = { owns: (to: string) => /@(?:proton|pm)/.test(to) } as Victim;
    // Those that verify an address are five an hour.
    assert.equal((await mailsTo(owner)).length, 5);
  });

  it('are 20 a day for a process while Redis is away', async () => {
    const REDIS_URL = `redis://127.0.0.1:${await freePort()}`;
    const env = { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1', REDIS_URL };
    await using alone = await startService({ beside: service, env });
    const victim = newVictim();
    const known = await squat(victim.spelling());
    const from = () => alone.api.with({ 'x-forwarded-for': newNetwork() });
    const email = () => victim.spelling();
    await times(12, async () => {
      await from().post('/v1/auth/magic-link', { email: email() });
      await jobsDone();
      await from().post('/v1/auth/register', { email: email(), password, display_name: 'Any' });
      await from().post('/v1/auth/forgot-password', { email: known.email });
      const path = `/v1/petitions/${petition.id}/signatures/pending`;
      await from().post(path, { display_name: 'Any', email: email() });
    });
    assert.equal((await mailsTo(victim)).length, share + resets);
  });

  it('asked for in browsers that know the account are 20 an hour in all', async () => {
    const victim = newVictim();
    const account = await squat(victim.spelling());
    await verifyAddress(service, account);
    await times(6, async () => {
      const browser = await logInBrowser({ api: fromElsewhere() }, account);
      await browser.submit(await browser.open('/settings'), {}, '/logout');
      const form = await browser.open('/login');
      await times(5, () => browser.submit(form, { email: account.email }, '/login/mail'));
    });
    const mailed = await service.ctx.db.value<number>`
      select count(*)::integer from mail_challenges where email = ${account.email} and is_mailed`;
    assert.equal(mailed, 20);
  });

  it('leave the owner of a mailbox that bounced the mail that confirms it again', async () => {
    const victim = newVictim();
    const account = await squat(victim.spelling());
    await verifyAddress(service, account);
    await insertSuppression(
      service.ctx.db,
      mailboxHash(service.ctx.keys, account.email),
      'bounced',
    );
    await times(6, () =>
      fromElsewhere().post('/v1/auth/register', {
        email: victim.spelling(),
        password,
        display_name: 'Any',
      }),
    );
    assert.equal((await account.api.post('/v1/auth/verify-email/resend')).status, 204);
  });

  it('leave the owner of an account a login and a new password, in a browser that knows it', async () => {
    const victim = newVictim();
    const account = await squat(victim.spelling());
    const { email } = account;
    await verifyAddress(service, account);
    const browser = await logInBrowser({ api: fromElsewhere() }, account);
    await browser.submit(await browser.open('/settings'), {}, '/logout');
    await times(12, () => askForSignIn(email));
    await askForSignatures(victim);
    await times(7, () =>
      fromElsewhere().post('/v1/auth/forgot-password', { email: email.toUpperCase() }),
    );
    assert.equal((await mailsTo(victim)).length, share + resets);
    const other = new Browser(fromElsewhere());
    const ask = async (by: Browser) => {
      await by.submit(await by.open('/login'), { email }, '/login/mail');
      await by.submit(await by.open('/forgot-password'), { email });
    };
    await ask(other);
    assert.equal((await mailsTo(victim)).length, share + resets);
    await ask(browser);
    const mails = (await mailsTo(victim)).slice(share + resets);
    assert.equal(mails.length, 2);
    assert.ok(mails.some(({ text }) => text.includes('/login/link?token=')));
    assert.ok(mails.some(({ text }) => text.includes('/reset-password?token=')));
    // Five an hour of each kind.
    await times(6, () => ask(browser));
    assert.equal((await mailsTo(victim)).length, share + resets + 10);
  });
});
