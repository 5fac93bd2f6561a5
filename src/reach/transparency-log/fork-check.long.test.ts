import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  openTestLog,
  startLogWorld,
  type TestLog,
  type LogWorld,
  requireWhole,
} from '../../../test/support/log.ts';
import type { Context } from '../../platform/context.ts';
import {
  formatCheckpoint,
  parseCheckpoint,
  type Checkpoint,
} from '../../platform/transparency/checkpoints.ts';
import {
  createSigner,
  formatNote,
  signText,
  type Signer,
} from '../../platform/transparency/notes.ts';
import { registerLogGauges } from './log-gauges.ts';
import { readState } from './state.ts';

describe('a log whose files have another history', () => {
  const sign = (signers: readonly Signer[], { size, root, origin }: Checkpoint) => {
    const text = formatCheckpoint({ origin, size, root });
    return formatNote({ text, signatures: signers.map((signer) => signText(text, signer)) });
  };
  /** Keeps what a backup would have, and brings it back. */
  const save = ({ db }: Context) =>
    db.unsafe(`
      create table saved_log as select * from transparency_log;
      create table saved_entries as select * from transparency_pending_entries`);
  const restore = ({ db }: Context) =>
    db.unsafe(`
      delete from transparency_log; insert into transparency_log select * from saved_log;
      delete from transparency_pending_entries;
      insert into transparency_pending_entries select * from saved_entries`);
  /** Signs another checkpoint in the place of the published one. */
  const forge = async (
    { files, signers }: TestLog,
    change: (checkpoint: Checkpoint) => Partial<Checkpoint>,
    by: readonly Signer[] = signers,
  ) => {
    const checkpoint = parseCheckpoint((await files.readCheckpoint())!.split('\n\n')[0]! + '\n');
    await files.putCheckpoint(sign(by, { ...checkpoint, ...change(checkpoint) }));
  };
  const cases: Record<string, { says: RegExp; make: (world: LogWorld) => Promise<unknown> }> = {
    'since they are missing': {
      says: /files of the log are missing/,
      make: ({ service, log }) =>
        service.ctx.blobs.delete(
          log.files.keyOf({ level: 0, index: 0, width: 256 }).replace(/tile.*/, 'checkpoint'),
        ),
    },
    'since another key signed': {
      says: /not signed by the keys of this log/,
      make: ({ log }) => {
        const stranger = createSigner(log.origin, 'ed25519', Buffer.alloc(32, 7));
        return forge(log, () => ({}), [stranger]);
      },
    },
    'since a signature is damaged': {
      says: /not signed by the keys of this log/,
      make: async ({ log }) => {
        const note = (await log.files.readCheckpoint())!;
        await log.files.putCheckpoint(note.replace(/\n400\n/, '\n399\n'));
      },
    },
    'since it is no checkpoint': {
      says: /not signed by the keys of this log/,
      make: ({ log }) => log.files.putCheckpoint('404'),
    },
    'since it is of another log': {
      says: /not signed by the keys of this log/,
      make: ({ log }) => forge(log, () => ({ origin: 'elsewhere.test/log' })),
    },
    'since the database was restored from a backup': {
      says: /the database is behind: it has 300 entries, and 400 are published/,
      make: ({ service }) => restore(service.ctx),
    },
    'since the restored database went on by itself': {
      says: /the published checkpoint of 400 entries has another history/,
      make: async ({ service, log }) => {
        await restore(service.ctx);
        await log.append(150);
      },
    },
    'since the restored database came to the same size': {
      says: /the published checkpoint of 400 entries has another history/,
      make: async ({ service, log }) => {
        await restore(service.ctx);
        await log.append(100);
      },
    },
    'since their root differs': {
      says: /the published checkpoint of 400 entries has another history/,
      make: ({ log }) => forge(log, () => ({ root: Buffer.alloc(32, 9) })),
    },
    'since they were restored from a backup': {
      says: /the files are behind: their checkpoint has 300 entries, and 400 were published/,
      make: async ({ log }) => {
        await log.files.deleteTile({ level: 0, index: 1, width: 144 });
        await forge(log, () => ({ size: 300 }));
      },
    },
  };
  for (const [why, { says, make }] of Object.entries(cases)) {
    it(`halts ${why}, and goes on once they agree`, async () => {
      const lines: string[] = [];
      await using world = await startLogWorld(lines);
      const { service, log } = world;
      const { ctx } = service;
      registerLogGauges(ctx);
      const gauge = async (name: string) => {
        ctx.cache.drop('transparency-log');
        const { body } = await service.api.get('/metrics');
        return Number(new RegExp(`^transparency_log_${name} (.*)$`, 'm').exec(body)?.[1]);
      };
      await log.append(300);
      await log.publish();
      await save(ctx);
      await log.append(100);
      await log.publish();
      const good = (await log.files.readCheckpoint())!;
      const kept = await readState(ctx.db);
      assert.equal(await gauge('halted'), 0);

      await make(world);
      const bad = await log.files.readCheckpoint();
      // A process that begins compares, though nothing was appended.
      const started = await openTestLog(ctx);
      for (let call = 0; call < 3; call += 1) assert.equal(await started.publish(), 'halted');
      const { haltedBecause, published } = (await readState(ctx.db))!;
      assert.match(haltedBecause!, says);
      const logged = lines.filter((line) => line.includes('the public log is halted'));
      assert.equal(logged.length, 1);
      assert.match(logged[0]!, says);
      assert.equal(await gauge('halted'), 1);
      assert.equal(await gauge('published_entries'), published.edge.size);
      assert.equal(await log.files.readCheckpoint(), bad);

      await log.files.putCheckpoint(good);
      if (kept!.published.edge.size !== published.edge.size) {
        await ctx.db`
          update transparency_log set size = ${kept!.edge.size}, summed_size = ${kept!.summedSize}, edge = ${kept!.edge.partialTiles}::bytea[],
            checkpoint = ${kept!.checkpoint}, published_size = ${kept!.published.edge.size},
            published_edge = ${kept!.published.edge.partialTiles}::bytea[],
            published_checkpoint = ${kept!.published.checkpoint}`;
      }
      assert.equal(await started.publish(), 'up-to-date');
      assert.equal(await gauge('halted'), 0);
      assert.equal(await gauge('entries'), 400);
    });
  }

  it('puts back its checkpoint where an earlier one has replaced it', async () => {
    await using world = await startLogWorld();
    const { service, log } = world;
    await log.append(300);
    await log.publish();
    const early = (await log.files.readCheckpoint())!;
    await log.append(100);
    await log.publish();
    const late = (await log.files.readCheckpoint())!;
    // As a process does that was slow between its last look and its write.
    await log.files.putCheckpoint(early);
    const started = await openTestLog(service.ctx);
    assert.equal(await started.publish(), 'up-to-date');
    assert.equal(await log.files.readCheckpoint(), late);
    await log.append(1);
    assert.equal(await log.publish(), 'published');
    await requireWhole(world);
  });
});
