import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTokens, createPublished, signUp } from '../support/people.ts';
import { sharedSettings, startProcess } from '../support/process.ts';
import { startService, type Service } from '../support/service.ts';
import { assertVerified } from '../support/verify.ts';

const milestones = [100, 500, 1000, 5000];

interface Signed {
  token: string;
  status: number;
  count?: number;
  milestone?: boolean;
}

/** Signs with each token on 128 connections, alternating between the origins. */
async function signAll(origins: string[], path: string, tokens: string[]): Promise<Signed[]> {
  const signed: Signed[] = [];
  let next = 0;
  const connection = async () => {
    for (let index = next++; index < tokens.length; index = next++) {
      const token = tokens[index]!;
      try {
        const response = await fetch(origins[index % origins.length] + path, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}` },
        });
        const { data } = (await response.json()) as {
          data?: { signature_count: number; milestone_reached: boolean };
        };
        signed.push({
          token,
          status: response.status,
          ...(data && { count: data.signature_count, milestone: data.milestone_reached }),
        });
      } catch {
        signed.push({ token, status: 0 });
      }
    }
  };
  await Promise.all(Array.from({ length: 128 }, connection));
  return signed;
}

async function assertExact(service: Service, petitionId: string, signed: Signed[]): Promise<void> {
  const created = signed.filter(({ status }) => status === 201);
  assert.equal(created.length, 5000);
  assert.equal(signed.filter(({ status }) => status === 409).length, 500);
  assert.deepEqual(
    created.map(({ count }) => count!).toSorted((a, b) => a - b),
    Array.from({ length: 5000 }, (_, index) => index + 1),
  );
  assert.deepEqual(
    created
      .filter(({ milestone }) => milestone)
      .map(({ count }) => count!)
      .toSorted((a, b) => a - b),
    milestones,
  );
  assert.deepEqual(await counts(service, petitionId), { count: 5000, rows: 5000, events: 5000 });
}

async function counts(service: Service, petitionId: string) {
  const [row] = await service.ctx.pools.main`
    select p.signature_count as count,
      (select count(*)::int from signatures s where s.petition_id = p.id) as rows,
      (select count(*)::int from events e
        where e.petition_id = p.id and e.type = 'signature.created') as events
    from petitions p where p.id = ${petitionId}`;
  return { ...row };
}

/** Shuffles the tokens, with every tenth one twice. */
const withRepetitions = (tokens: string[]) =>
  [...tokens, ...tokens.filter((_, index) => index % 10 === 0)].toSorted(() => Math.random() - 0.5);

describe('5,000 people sign at once, 500 of them twice', () => {
  it('on one process', async () => {
    await using service = await startService();
    const creator = await signUp(service);
    const petition = await createPublished(creator);
    const tokens = withRepetitions(await createTokens(service, 5000));
    const path = `/v1/petitions/${petition.id}/signatures`;
    await assertExact(service, petition.id, await signAll([service.origin], path, tokens));
    await assertVerified(service.databaseUrl);
  });

  it('on two processes with one database', async () => {
    await using service = await startService();
    const creator = await signUp(service);
    const petition = await createPublished(creator);
    const tokens = withRepetitions(await createTokens(service, 5000));
    await using one = await startProcess({ ...sharedSettings(service), ROLE: 'web' });
    await using two = await startProcess({ ...sharedSettings(service), ROLE: 'web' });
    const path = `/v1/petitions/${petition.slug}/signatures`;
    const signed = await signAll([one.origin, two.origin], path, tokens);
    await assertExact(service, petition.id, signed);
    await assertVerified(service.databaseUrl);
  });

  it('keeps every answered signature, even if the process is killed', async () => {
    await using service = await startService();
    const creator = await signUp(service);
    const petition = await createPublished(creator);
    const tokens = await createTokens(service, 3000);
    const path = `/v1/petitions/${petition.id}/signatures`;
    await using victim = await startProcess({ ...sharedSettings(service), ROLE: 'web' });
    const signing = signAll([victim.origin], path, tokens);
    const { promise: underWay, resolve } = Promise.withResolvers<void>();
    const watch = setInterval(() => {
      void counts(service, petition.id).then(({ count }) => count > 400 && resolve());
    }, 10);
    await underWay;
    clearInterval(watch);
    assert.equal(await victim.end('SIGKILL'), 'SIGKILL');
    const signed = await signing;
    const answered = signed.filter(({ status }) => status === 201).map(({ token }) => token);
    assert.ok(answered.length > 0 && answered.length < 3000, `${answered.length} were answered`);

    const { count, rows, events } = await counts(service, petition.id);
    assert.equal(count, rows);
    assert.equal(count, events);
    assert.ok(count >= answered.length);
    await using next = await startProcess({ ...sharedSettings(service), ROLE: 'web' });
    const again = await signAll([next.origin], path, answered);
    assert.ok(again.every(({ status }) => status === 409));
    const rest = await signAll([next.origin], path, tokens);
    assert.equal(rest.filter(({ status }) => status === 201).length, 3000 - count);
    assert.equal((await counts(service, petition.id)).count, 3000);
    await assertVerified(service.databaseUrl);
  });
});
