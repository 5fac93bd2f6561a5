import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { importFile, readArguments, type ImportSettings } from '../../src/cli/import.ts';
import type { Client } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import {
  createPublished,
  createUsers,
  logInAsAdmin,
  signUp,
  verifyAddress,
  type Person,
} from '../support/people.ts';
import { silent } from '../support/progress.ts';
import { readLog, recount, undosIn } from '../support/public-log.ts';
import { startService } from '../support/service.ts';

const acts = Number(process.env.RANDOM_ACTS || 1000);
const petitionCount = 6;

/** Repeatable numbers from 0 to 1: mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

it(`the recount equals the API for every petition after ${acts} acts`, async (t) => {
  const seed = Number(process.env.SEED || Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`SEED=${seed}`);
  const random = randomNumbers(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)]!;

  await using service = await startService({ worker: true, env: { TRUST_PROXY: '127.0.0.1' } });
  const creator = await signUp(service, 'Creator');
  await verifyAddress(service, creator);
  const admin = await logInAsAdmin(service);
  const petitions: { id: string }[] = [];
  for (let n = 0; n < petitionCount; n += 1) petitions.push(await createPublished(creator));
  const people: Person[] = await Promise.all(
    Array.from({ length: 10 }, () => signUp(service, 'Signer')),
  );
  const signers: { api: Client }[] = [...people, ...(await createUsers(service, 70))];
  const farms = ['one.example', 'two.example', 'three.example'];
  for (const farm of farms) signers.push(...(await createUsers(service, 15, farm)));
  const folder = await mkdtemp(join(tmpdir(), 'petitions-acts-'));
  t.after(() => rm(folder, { recursive: true }));

  let imports = 0;
  const rules: { path: string }[] = [];
  const done = new Map<string, number>();
  const pathOf = ({ id }: { id: string }) => `/v1/petitions/${id}`;
  const kinds: Record<string, { weight: number; act: () => Promise<number> }> = {
    sign: {
      weight: 50,
      act: async () =>
        (await pick(signers).api.post(`${pathOf(pick(petitions))}/signatures`)).status,
    },
    signAtOnce: {
      weight: 5,
      act: async () => {
        const petition = pick(petitions);
        const some = Array.from({ length: 8 }, () => pick(signers));
        await Promise.all(some.map(({ api }) => api.post(`${pathOf(petition)}/signatures`)));
        return 201;
      },
    },
    withdraw: {
      weight: 20,
      act: async () =>
        (await pick(signers).api.delete(`${pathOf(pick(petitions))}/signatures/me`)).status,
    },
    erase: {
      weight: 2,
      act: async () => {
        const person = pick(people);
        const fresh = await signUp(service, 'Signer');
        for (const list of [people, signers]) list[list.indexOf(person)] = fresh;
        return (await person.api.delete('/v1/users/me', { password: person.password })).status;
      },
    },
    invalidate: {
      weight: 4,
      act: async () => {
        const path = `/v1/admin/petitions/${pick(petitions).id}/invalidations`;
        const rule = { rule: { domain: pick(farms) }, reason: 'A farm.' };
        const { status, body } = await admin.api.post(path, rule);
        if (status === 202) rules.push({ path: `${path}/${body.data.id}` });
        return status;
      },
    },
    undo: {
      weight: 3,
      act: async () => {
        if (rules.length === 0) return 404;
        return (await admin.api.post(`${pick(rules).path}/undo`)).status;
      },
    },
    remove: {
      weight: 2,
      act: async () => {
        const { body } = await admin.api.get(`${pathOf(pick(petitions))}/signatures`);
        if (body.data.length === 0) return 404;
        const path = `/v1/admin/signatures/${pick(body.data as { id: string }[]).id}`;
        return (await admin.api.delete(path, { reason: 'A test.' })).status;
      },
    },
    edit: {
      weight: 4,
      act: async () => {
        const title = `A title with the number ${below(1e9)}`;
        return (await creator.api.patch(pathOf(pick(petitions)), { title })).status;
      },
    },
    import: {
      weight: 2,
      act: async () => {
        imports += 1;
        const file = join(folder, `import-${imports}.csv`);
        const row = `${imports},An imported petition ${imports},2012-03-04T05:06:07Z,${below(100_000)},open`;
        await writeFile(file, `id,title,created_at,signature_count,status\n${row}\n`);
        const settings = readArguments([file, '--source', 'acts', '--id-pattern', '\\d+']);
        await importFile(service.ctx, settings as ImportSettings, () => {}, silent);
        const id = await service.ctx.db.value<string>`
          select petition_id from petition_imports
          where source = 'acts' and external_id = ${String(imports)}`;
        petitions.push({ id });
        return 201;
      },
    },
  };
  const wheel = Object.entries(kinds).flatMap(([name, { weight }]) =>
    Array.from({ length: weight }, () => name),
  );
  for (let n = 0; n < acts; n += 1) {
    const name = pick(wheel);
    const status = await kinds[name]!.act();
    assert.ok(status < 500, `${name}: ${status}`);
    if (status < 300) done.set(name, (done.get(name) ?? 0) + 1);
  }
  t.diagnostic(JSON.stringify(Object.fromEntries(done)));
  // Fewer may not have led to each.
  const expected = acts < 1000 ? [] : Object.keys(kinds);
  for (const name of expected) assert.ok(done.get(name), `no act ${name} succeeded`);

  const shown = () =>
    Promise.all(
      petitions.map(async (petition) => {
        const { data } = (await service.api.get(pathOf(petition))).body;
        return { logId: data.log_id as string, count: data.signature_count as number };
      }),
    );
  const isBusy = () => service.ctx.db.exists`
    select from invalidations where state in ('applying', 'undoing')`;
  await eventually(async () => !(await isBusy()), 30_000, 200);
  let mismatches: unknown[] = [];
  await eventually(
    async () => {
      const counts = await shown();
      const sums = recount((await readLog(service)).entries);
      mismatches = counts.filter(({ logId, count }) => {
        const { counted, imported } = sums.get(logId) ?? { counted: 0, imported: 0 };
        return counted + imported !== count;
      });
      return mismatches.length === 0;
    },
    30_000,
    500,
  ).catch((error: unknown) => assert.fail(`${String(error)} ${JSON.stringify(mismatches)}`));

  // Each counted signature has one leaf, those that are gone have none, and nobody can open those of erased accounts.
  const { entries } = await readLog(service);
  const counted = [...recount(entries).values()].reduce((sum, one) => sum + one.counted, 0);
  const leaves = await service.ctx.db.one<{ in_force: string; gone: string }>`
    select count(*) filter (where not l.is_undone) as in_force, count(*) filter (where s.id is null) as gone
    from transparency_leaves l left join signatures s on s.id = l.signature_id`;
  assert.deepEqual(leaves, { in_force: String(counted), gone: '0' });
  // What is stored of undone entries, and of days, is what the log says.
  const undos = await service.ctx.db<{ leaf: number; undo: number }[]>`
    select leaf::float8 as leaf, undo::float8 as undo from transparency_undos order by leaf`;
  assert.deepEqual(
    undos.map(({ leaf, undo }) => [leaf, undo]),
    [...undosIn(entries)].toSorted(([one], [other]) => one - other),
  );
  const days = await service.ctx.db.one<object>`
    select sum(signs)::float8 as sign, sum(undos)::float8 as undo, sum(restores)::float8 as restore
    from transparency_days`;
  const { sign = [], undo = [], restore = [] } = Object.groupBy(entries, ({ type }) => type);
  assert.deepEqual(days, { sign: sign.length, undo: undo.length, restore: restore.length });
  const opened = await service.ctx.db.value<string>`
    select count(*) from transparency_openings o join transparency_leaves l on l.leaf = o.leaf
    left join signatures s on s.id = l.signature_id where s.user_id is null`;
  assert.equal(Number(opened), 0);
});
