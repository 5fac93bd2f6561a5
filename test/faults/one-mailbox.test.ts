import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { linkToken } from '../../src/campaigns/pending-signatures/secrets.ts';
import { fillMailboxes } from '../../src/identity/accounts/accounts.ts';
import { hashPassword } from '../../src/identity/accounts/passwords.ts';
import { newId } from '../../src/platform/ids.ts';
import { Client } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { createPublished, logInAsAdmin, signUp } from '../support/people.ts';
import { sharedSettings, startProcess, type ServiceProcess } from '../support/process.ts';
import { rounds, roundsTimeout } from '../support/rounds.ts';
import { startService, type Service } from '../support/service.ts';
import { assertVerified } from '../support/verify.ts';

const password = 'correct horse';
/** People of one mailbox in a round. */
const people = 100;
/** Rounds for each setting of FAULT_ROUNDS. */
const roundsOf = Math.max(2, rounds);

type Act = (person: Person) => Promise<number[]>;

interface Person {
  id: string;
  email: string;
  api: Client;
}

/** Another address of a mailbox of Gmail. */
const addressOf = (mailbox: string, n: number) => {
  const at = 1 + (n % (mailbox.length - 1));
  const domain = n % 2 ? 'gmail.com' : 'googlemail.com';
  return `${mailbox.slice(0, at)}.${mailbox.slice(at)}+${n}@${domain}`;
};

/** Stores accounts of one mailbox, as this version does or, without mailboxes, as earlier ones did. */
async function createAliases(
  service: Service,
  mailbox: string,
  { passwordHash, areFilled }: { passwordHash: string; areFilled: boolean },
): Promise<Omit<Person, 'api'>[]> {
  const aliases = Array.from({ length: people }, (_, n) => ({
    id: newId(),
    // One address is canonical; whoever has it need not prove it to sign.
    email: n === 0 ? `${mailbox}@gmail.com` : addressOf(mailbox, n),
    verified: n % 5 > 0,
  }));
  const { db } = service.ctx;
  await db`
    insert into users (id, email, display_name, slug, password_hash, email_verified_at)
    select id, email, 'Ada', id::text, ${passwordHash}, case when verified then now() end
    from jsonb_to_recordset(${db.json(aliases)}) as r (id uuid, email text, verified boolean)`;
  if (areFilled) {
    await fillMailboxes(
      db,
      service.ctx.keys,
      aliases.map(({ id }) => id),
    );
  }
  return aliases;
}

/** What people do, in turn. */
const actsOn = (service: Service, petitionId: string): Act[] => {
  const path = `/v1/petitions/${petitionId}/signatures`;
  const sign: Act = async ({ api }) => [(await api.post(path)).status];
  const withdraw: Act = async ({ api }) => [(await api.delete(`${path}/me`)).status];
  const erase: Act = async ({ api }) => [(await api.delete('/v1/users/me', { password })).status];
  const byMail: Act = async ({ api, email }) => {
    const { origin } = api;
    const guest = new Client(origin);
    const pending = await guest.post(`${path}/pending`, { display_name: 'Ada', email });
    if (pending.status !== 202) return [pending.status];
    const token = linkToken(service.ctx, pending.body.data.id);
    return [(await guest.post('/v1/signatures/confirm', { token })).status];
  };
  const inTurn =
    (...acts: Act[]): Act =>
    async (person) => {
      const statuses = [];
      for (const act of acts) statuses.push(...(await act(person)));
      return statuses;
    };
  return [
    sign,
    inTurn(sign, erase),
    byMail,
    inTurn(sign, withdraw, sign),
    inTurn(sign, withdraw),
    inTurn(byMail, erase),
  ];
};

/** Follows the log of a petition: the ids and versions that count, as a reader of the log sees them. */
async function countedByLog(service: Service, petitionId: string): Promise<string[]> {
  const events = await service.ctx.db<{ type: string; data: Record<string, unknown> }[]>`
    select type, data from events where petition_id = ${petitionId}
    order by transaction, position`;
  const counted = new Map<string, unknown>();
  for (const { type, data } of events) {
    const id = data.signature_id as string;
    const items = (data.items ?? []) as { id: string; version: number }[];
    if (type === 'signature.created') {
      assert.ok(!counted.has(id), 'nothing is created twice');
      counted.set(id, data.version);
    }
    if (type === 'signature.removed') {
      assert.equal(counted.get(id), data.version, 'what is removed was counted');
      counted.delete(id);
    }
    if (type === 'signature.invalidated') for (const item of items) counted.delete(item.id);
    if (type === 'signature.restored')
      for (const { id: restored, version } of items) counted.set(restored, version);
  }
  return [...counted].map(([id, version]) => `${id} ${String(version)}`).toSorted();
}

async function assertOneCounts(service: Service, petitionId: string): Promise<void> {
  const { db } = service.ctx;
  const rows = await db<{ id: string; version: number; state: string; mailbox: Buffer | null }[]>`
    select id, version, state, mailbox from signatures where petition_id = ${petitionId}`;
  assert.ok(rows.length <= 1, `${rows.length} signatures of one mailbox are stored`);
  for (const { mailbox } of rows) assert.ok(mailbox, 'with the hash of the mailbox');
  const counted = rows.filter(({ state }) => state === 'counted');
  const [petition] = await db`
    select signature_count, invalid_signature_count from petitions where id = ${petitionId}`;
  assert.equal(petition!.signature_count, counted.length);
  assert.equal(petition!.invalid_signature_count, rows.length - counted.length);
  assert.deepEqual(
    await countedByLog(service, petitionId),
    counted.map(({ id, version }) => `${id} ${version}`),
  );
}

for (const areFilled of [true, false]) {
  it(
    `one signature of a mailbox counts, whoever signs, erases and withdraws at once${areFilled ? '' : ', also while mailboxes are filled in'}`,
    roundsTimeout(20_000),
    async (t) => {
      await using service = await startService({ worker: true });
      const creator = await signUp(service, 'Creator');
      const admin = await logInAsAdmin(service);
      const passwordHash = await hashPassword(password);
      const env = { ...sharedSettings(service), ROLE: 'web' };
      const processes = [await startProcess(env), await startProcess(env)] as [
        ServiceProcess,
        ServiceProcess,
      ];
      const seen = new Map<number, number>();
      for (let round = 0; round < roundsOf; round += 1) {
        const petition = await createPublished(creator);
        if (!areFilled) await service.ctx.db`delete from backfills`;
        const aliases = await createAliases(service, `mailbox${newId().slice(-10)}`, {
          passwordHash,
          areFilled,
        });
        const acts = actsOn(service, petition.id);
        const act = async ({ id, email }: Omit<Person, 'api'>, n: number) => {
          const token = await service.app.sessions.tokens.issueAccessToken(id, newId());
          const api = new Client(processes[n % 2]!.origin).as(token);
          const statuses = await acts[n % acts.length]!({ id, email, api }).catch(() => [0]);
          for (const status of statuses) seen.set(status, (seen.get(status) ?? 0) + 1);
        };
        const all = Promise.all(aliases.map(act));
        const path = `/v1/admin/petitions/${petition.id}/invalidations`;
        const input = { rule: { from: '2020-01-01T00:00:00Z' }, reason: 'Forged' };
        const rule = await admin.api.post(path, input);
        // Every other round loses a process between any two statements.
        if (round % 2) {
          await pause(Math.random() * 400);
          await processes[1].end('SIGKILL');
          processes[1] = await startProcess(env);
        }
        await all;
        const isNow = (state: string) => async () =>
          (await admin.api.get(`${path}/${rule.body.data.id}`)).body.data.state === state;
        await eventually(isNow('applied'));
        await assertOneCounts(service, petition.id);
        await admin.api.post(`${path}/${rule.body.data.id}/undo`);
        await eventually(isNow('undone'));
        await assertOneCounts(service, petition.id);
      }
      for (const child of processes) assert.equal(await child.end('SIGTERM'), 0, child.output());
      // A killed process answers nobody whom it has stored.
      assert.ok(seen.get(201)! > 0 && seen.get(409)! > 0, JSON.stringify([...seen]));
      assert.equal(seen.get(500), undefined, JSON.stringify([...seen]));
      t.diagnostic(`answers: ${JSON.stringify(Object.fromEntries(seen))}`);
      await assertVerified(service.databaseUrl);
    },
  );
}
