import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runCli } from '../../../test/support/command.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { requireOneHistory } from '../../../test/support/log-history.ts';
import { commandEnv } from '../../../test/support/log-instance.ts';
import { createPublished, signUp } from '../../../test/support/people.ts';
import { readLog, recount, type VerifiedLog } from '../../../test/support/public-log.ts';
import { startService } from '../../../test/support/service.ts';
import { signByMany } from '../../../test/support/signing.ts';

const dayMs = 86_400_000;

it('signs with a replaced key for 90 days', async () => {
  await using service = await startService({ worker: true });
  const petition = await createPublished(await signUp(service, 'Creator'));
  const idsOf = ({ keys }: VerifiedLog) => keys.map(({ id }) => id);
  /** Adds a signature, and returns the log that has it. */
  const sign = async (counted: number): Promise<VerifiedLog> => {
    await signByMany(service, petition, 1);
    let log: VerifiedLog | undefined;
    await eventually(async () => {
      // Only the next checkpoint is signed by the keys that are in force then.
      log = await readLog(service).catch(() => undefined);
      return log !== undefined && recount(log.entries).get(petition.log_id)?.counted === counted;
    });
    return log!;
  };
  const before = await sign(1);
  const { code, stdout, stderr } = await runCli('rotate-log-key', [], commandEnv(service));
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^The log has a new key/);

  // Without another entry.
  await eventually(async () => (await readLog(service).catch(() => undefined))?.keys.length === 4);
  const both = await sign(2);
  assert.equal(both.keys.length, 4);
  assert.deepEqual(idsOf(both).slice(2), idsOf(before));
  const { data } = (await service.api.get('/v1/log')).body;
  assert.equal(data.verifier_key, data.verifier_keys[0]);

  service.advanceClock(89 * dayMs);
  assert.deepEqual((await service.api.get('/v1/log')).body.data.verifier_keys, data.verifier_keys);
  service.advanceClock(2 * dayMs);
  const later = await sign(3);
  assert.deepEqual(idsOf(later), idsOf(both).slice(0, 2));
  requireOneHistory({ ...later, keys: both.keys }, [before.note, both.note, later.note]);
});
