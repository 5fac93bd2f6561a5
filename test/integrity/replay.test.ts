import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { v7 } from 'uuid';
import { mailDomainHash } from '../../src/identity/accounts/accounts.ts';
import { originOf } from '../../src/campaigns/signatures/origins.ts';
import { eventually } from '../support/eventually.ts';
import { countInsertedSignatures } from '../support/given-signatures.ts';
import {
  createPublished,
  createTokens,
  logInAsAdmin,
  signUp,
  type Person,
} from '../support/people.ts';
import { startService, type Service } from '../support/service.ts';
import { assertCounts, undo } from '../support/signing.ts';
import { assertVerified } from '../support/verify.ts';

/**
 * An attack like that of June 2016 on the petition for a second referendum: 77,000 false signatures among 3,600,000, half
 * of them with the stated place of one small country, scripted from a few networks. REPLAY_SCALE is the part of it that is
 * replayed: 0.005 for each change, 0.05 nightly.
 */
const scale = Number(process.env.REPLAY_SCALE || 0.005);
const honestCount = Math.round(3_600_000 * scale);
const falseCount = Math.round(77_000 * scale);
/** Pupils behind one address, which an administrator allowed as a shared network. */
const pupilCount = Math.round(100_000 * scale);
/** Honest people of the time of the attack; all others signed before. */
const liveCount = Math.round(honestCount / 20);
/** Honest people who sign while rules are applied and undone. */
const laterCount = Math.round(honestCount / 100);
const concurrency = 24;

const farmNetworks = ['185.220.101', '185.220.102', '45.155.205', '193.32.161', '5.188.62'];
const schoolAddress = '194.66.32.10';
const mailProviders = ['gmail.com', 'outlook.com', 'yahoo.co.uk', 'btinternet.com', 'example.org'];
const userAgent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/133.0';

interface Signer {
  ip: string;
  domain: string;
  location: string | undefined;
}

/** A generator of numbers below 1 that gives the same ones in each run (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const random = seededRandom(2016);
const below = (limit: number) => Math.floor(random() * limit);
const oneOf = <T>(values: readonly T[]): T => values[below(values.length)]!;

/**
 * Most people sign at home; two in five by a mobile carrier, which has many behind few networks; a few by a VPN whose
 * networks the attack uses too.
 */
function honestAddress(): string {
  const part = random();
  if (part < 0.002) return `${oneOf(farmNetworks)}.${250 + below(5)}`;
  if (part < 0.4) return `92.40.${below(200)}.${below(256)}`;
  return `${oneOf([81, 82, 86, 90])}.${below(256)}.${below(256)}.${below(256)}`;
}

const honestSigner = (): Signer => ({
  ip: honestAddress(),
  domain: oneOf(mailProviders),
  location: random() < 0.3 ? oneOf(['Leeds, GB', 'London', 'Cardiff', 'Paris, FR']) : undefined,
});

const falseSigner = (n: number): Signer => ({
  ip: `${farmNetworks[n % farmNetworks.length]}.${below(250)}`,
  domain: oneOf(['mailinator.com', ...mailProviders]),
  location: n % 2 === 0 ? 'Vatican City' : undefined,
});

const pupil = (): Signer => ({ ip: schoolAddress, domain: 'school.example', location: undefined });

describe('an attack like that of June 2016', { timeout: 1_200_000 }, () => {
  let service: Service;
  let admin: Person;
  let petition: { id: string };
  before(async () => {
    service = await startService({ worker: true, env: { TRUST_PROXY: '127.0.0.1' } });
    admin = await logInAsAdmin(service);
    const school = { network: `${schoolAddress}/32`, note: 'A school', limit: 100_000 };
    assert.equal((await admin.api.post('/v1/admin/shared-networks', school)).status, 201);
    petition = await createPublished(await signUp(service, 'Creator'));
    await insertHistory(honestCount - liveCount);
  });
  after(async () => {
    await assertVerified(service.databaseUrl);
    await service[Symbol.asyncDispose]();
  });

  /** Stores honest signatures of the day before, of accounts that are erased. */
  const insertHistory = async (count: number) => {
    const { db, keys } = service.ctx;
    const hashes = new Map(
      mailProviders.map((domain) => [domain, mailDomainHash(keys, domain).toString('hex')]),
    );
    const end = Date.now() - 20 * 60_000;
    for (let done = 0; done < count; done += 10_000) {
      const rows = Array.from({ length: Math.min(10_000, count - done) }, () => {
        const { ip, domain } = honestSigner();
        const at = end - below(23 * 3_600_000);
        return {
          id: v7({ msecs: at }),
          at: new Date(at),
          domain: hashes.get(domain)!,
          mailbox: randomBytes(16).toString('hex'),
          ...originOf(keys, { petitionId: petition.id, ip, userAgent }),
        };
      });
      await db`
        insert into signatures (id, petition_id, version, is_anonymous, created_at, origin, country,
          device, is_proven, mailbox, mail_domain, is_disposable)
        select id, ${petition.id}, 1, true, at, origin, country, device, true,
          decode(mailbox, 'hex'), mailbox_on(${petition.id}, decode(domain, 'hex')), false
        from jsonb_to_recordset(${db.json(rows)}) as r (id uuid, at timestamptz, domain text,
          mailbox text, origin bigint, country text, device "char")
        order by id`;
    }
    await countInsertedSignatures(service, petition.id);
  };

  /** Signs for these people one after the other. Returns the ids of the signatures. */
  const signAll = async (signers: Signer[]): Promise<string[]> => {
    const byDomain = Map.groupBy(signers, ({ domain }) => domain);
    const tokens = new Map<string, string[]>();
    for (const [domain, { length }] of byDomain) {
      tokens.set(domain, await createTokens(service, length, domain));
    }
    const ids: string[] = [];
    const waiting = [...signers];
    const signOn = async () => {
      for (let signer = waiting.shift(); signer; signer = waiting.shift()) {
        const { ip, domain, location } = signer;
        const { status, body } = await service.api
          .as(tokens.get(domain)!.pop()!)
          .with({ 'x-forwarded-for': ip, 'user-agent': userAgent })
          .post(`/v1/petitions/${petition.id}/signatures`, {
            ...(location !== undefined && { display_location: location }),
          });
        assert.equal(status, 201, JSON.stringify(body));
        ids.push(body.data.id);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, signOn));
    return ids;
  };

  const countInvalid = async (ids: string[]) =>
    service.ctx.db.value<number>`
      select count(*)::integer from signatures
      where petition_id = ${petition.id} and id = any(${ids}::uuid[]) and state = 'invalid'`;
  const totals = async () => {
    const { valid, invalid } = (await admin.api.get(`/v1/admin/petitions/${petition.id}/integrity`))
      .body.data.totals;
    return { valid, invalid };
  };

  it('is told within 60 s, and undone by the proposed rules, while people sign', async (t) => {
    const live = Promise.all([
      signAll(Array.from({ length: liveCount }, honestSigner)),
      signAll(Array.from({ length: pupilCount }, pupil)),
    ]);
    const startedAt = Date.now();
    const attack = signAll(Array.from({ length: falseCount }, (_, n) => falseSigner(n)));
    const isTold = async () =>
      (await admin.api.get('/v1/notifications')).body.data.some(
        ({ type }: { type: string }) => type === 'integrity_alert',
      );
    await eventually(isTold, 60_000);
    const toldAfterMs = Date.now() - startedAt;
    const [falseIds, [honestIds, pupilIds]] = await Promise.all([attack, live]);
    // The watcher sees the last signatures in its next step.
    await pause(15_000);

    const reportPath = `/v1/admin/petitions/${petition.id}/integrity`;
    const { proposals } = (await admin.api.get(reportPath)).body.data;
    const atFirst = await totals();
    assert.deepEqual(atFirst, { valid: honestCount + pupilCount + falseCount, invalid: 0 });

    const later = Array.from({ length: 2 }, () =>
      Array.from({ length: Math.round(laterCount / 2) }, honestSigner),
    );
    const whileApplying = signAll(later[0]!);
    const applied = [];
    for (const { rule } of proposals) applied.push(await apply(rule));
    await whileApplying;
    const caught = (await countInvalid(falseIds)) / falseIds.length;
    const during = await totals();
    const marked =
      (during.invalid - (await countInvalid(falseIds))) / (honestCount + pupilCount + laterCount);
    assert.equal(await countInvalid(pupilIds), 0);
    await assertCounts(service, petition.id);

    const whileUndoing = signAll(later[1]!);
    for (const rule of applied.toReversed()) await undo(admin, rule);
    await whileUndoing;
    assert.deepEqual(await totals(), {
      valid: atFirst.valid + later.flat().length,
      invalid: 0,
    });
    await assertCounts(service, petition.id);
    t.diagnostic(
      `${falseCount} false among ${honestCount}: told after ${Math.round(toldAfterMs / 1000)} s, ` +
        `${(caught * 100).toFixed(1)} % of the false and ${(marked * 100).toFixed(2)} % of the ` +
        `honest marked by ${proposals.length} rules`,
    );
    assert.ok(toldAfterMs <= 60_000);
    assert.ok(caught >= 0.95);
    assert.ok(marked <= 0.005);
    assert.ok(honestIds.length === liveCount);
  });

  /** Applies a rule that the report proposed. Returns its record after its job has ended. */
  const apply = async (rule: object) => {
    const path = `/v1/admin/petitions/${petition.id}/invalidations`;
    const { status, body } = await admin.api.post(path, { rule, reason: 'Scripted signatures' });
    assert.equal(status, 202, JSON.stringify(body));
    await eventually(async () => {
      const { state } = (await admin.api.get(`${path}/${body.data.id}`)).body.data;
      return state === 'applied';
    }, 60_000);
    return body.data;
  };
});
