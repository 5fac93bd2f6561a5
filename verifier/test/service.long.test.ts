import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { createInstance } from '../../test/support/log-instance.ts';
import { whileSigning } from '../../test/support/log-signers.ts';
import { createPublished, createUsers, signUp } from '../../test/support/people.ts';
import { countedLog, type LoggedPetition } from '../../test/support/public-log.ts';
import type { Service } from '../../test/support/service.ts';
import { startWitnessProcess, temporaryFolder } from '../../test/support/witness.ts';
import { audit, type AuditReport } from '../src/audit.ts';
import { parsePolicy, policyOf } from '../src/policies.js';
import { verifyReceipt } from '../src/receipts.js';

const kindsOf = ({ problems }: AuditReport) => problems.map(({ kind }) => kind);

async function receiptOf(service: Service, { id }: LoggedPetition, token: string): Promise<string> {
  let receipt = '';
  await eventually(async () => {
    const answer = await fetch(`${service.origin}/v1/petitions/${id}/signatures/me/receipt`, {
      headers: { authorization: `Bearer ${token}` },
    });
    receipt = await answer.text();
    return answer.status === 200;
  });
  return receipt;
}

describe('an audit of a service', () => {
  it('holds while people sign, and names a count that is shown wrongly', async () => {
    await using instance = await createInstance();
    await using service = await instance.start();
    const folder = await mkdtemp(join(tmpdir(), 'verifier-'));
    const stateFile = join(folder, 'state');
    const creator = await signUp(service, 'Creator');
    const petitions = [
      await createPublished(creator),
      await createPublished(creator, { visibility: 'private', accessCode: 'open please' }),
      await createPublished(creator),
    ];
    const signers = await createUsers(service, 40);
    const site = service.origin;
    await eventually(async () => (await fetch(`${site}/log/checkpoint`)).status === 200);
    await whileSigning({ petitions: [petitions[0]!, petitions[2]!], signers }, site, async () => {
      for (let n = 0; n < 3; n++) {
        const report = await audit({ site, stateFile });
        assert.deepEqual(report.problems, []);
        assert.equal(report.petitions.shown, 2);
      }
    });
    const receipt = await receiptOf(service, petitions[0], signers[1]!.token);
    const last = await audit({ site, stateFile, receipt });
    assert.deepEqual(last.problems, []);
    assert.equal(last.receipt?.isUndone, false);
    assert.ok(last.petitions.counted > 40);

    const path = `/v1/petitions/${petitions[0]!.id}/signatures/me`;
    assert.equal((await signers[1]!.api.delete(path)).status, 204);
    await eventually(async () => (await audit({ site, stateFile, receipt })).receipt!.isUndone);

    const { db } = service.ctx;
    await db`update petitions set signature_count = signature_count + 1 where id = ${petitions[2]!.id}`;
    await eventually(async () => {
      const report = await audit({ site, lagTimeoutMs: 0 });
      return kindsOf(report).join() === 'shown';
    });
    await rm(folder, { recursive: true });
  });

  it('takes a policy of one witness, for receipts as well', async () => {
    await using instance = await createInstance();
    await using folder = await temporaryFolder();
    const env = { LOG_ORIGIN: 'witnessed.example/log' };
    const logKeys = await keysOf(instance, env);
    await using witness = await startWitnessProcess({
      name: 'witness.example',
      folder: folder.path,
      logs: logKeys,
    });
    const LOG_WITNESSES = witness.verifierKeys.map((key) => `${witness.origin} ${key}`).join();
    await using service = await instance.start({ env: { ...env, LOG_WITNESSES } });
    const petition: LoggedPetition = await createPublished(await signUp(service, 'Creator'));
    const [signer] = await createUsers(service, 1);
    await signer!.api.post(`/v1/petitions/${petition.id}/signatures`);
    await countedLog(service, petition, 1);
    for (const key of witness.verifierKeys) {
      const policy = await parsePolicy(`log ${logKeys[0]!}\nwitness W ${key}\nquorum W\n`);
      let receipt = '';
      await eventually(async () => {
        receipt = await receiptOf(service, petition, signer!.token);
        return receipt.includes('— witness.example ');
      });
      const { signatures } = await verifyReceipt(receipt, policy);
      assert.deepEqual(
        signatures.map(({ key: { name } }) => name),
        ['witnessed.example/log', 'witness.example'],
      );
      const report = await audit({ site: service.origin, policy, receipt });
      assert.deepEqual(report.problems, []);
      const cosigned = report.signatures.find(({ name }) => name === 'witness.example')!;
      assert.ok(Math.abs(Date.parse(cosigned.cosignedAt!) - Date.now()) < 60_000);
      const bare = receipt.replaceAll(/^— witness\.example .*\n/gm, '');
      await assert.rejects(verifyReceipt(bare, policy), /too few witnesses/);
      await verifyReceipt(bare, await policyOf([logKeys[0]!]));
    }
  });
});

/** Returns the keys of an instance's log, before it is started with witnesses. */
async function keysOf(
  instance: Awaited<ReturnType<typeof createInstance>>,
  env: Record<string, string>,
): Promise<string[]> {
  await using service = await instance.start({ env });
  return (await service.api.get('/v1/log')).body.data.verifier_keys;
}
