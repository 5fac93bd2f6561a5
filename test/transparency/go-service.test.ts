import assert from 'node:assert/strict';
import { it } from 'node:test';
import { encodeEntry } from '../../src/platform/transparency/entries.ts';
import { consistencyProof } from '../../src/platform/transparency/merkle.ts';
import { openedEntry, parseReceipt } from '../../src/platform/transparency/receipts.ts';
import { buildGoVerifier, missingGo } from '../support/go-verifier.ts';
import { readerOf } from '../support/log.ts';
import { createPublished, signUp } from '../support/people.ts';
import { countedLog } from '../support/public-log.ts';
import { startService } from '../support/service.ts';
import { eventualReceipt, signByMany } from '../support/signing.ts';

const signersEach = 300;

it(
  "Go's checksum database verifies the log of a service over HTTP",
  { skip: missingGo, timeout: 300_000 },
  async () => {
    await using verifier = await buildGoVerifier();
    await using service = await startService({ worker: true });
    const petition = await createPublished(await signUp(service, 'Creator'));
    const sizes: number[] = [];
    for (const counted of [signersEach, 2 * signersEach]) {
      const [signer] = await signByMany(service, petition, signersEach);
      await countedLog(service, petition, counted);
      const receipt = await eventualReceipt(signer!, petition);
      const { checkpoint, opening } = parseReceipt(receipt);
      const size = Number(checkpoint.split('\n')[1]);
      await verifier.write(`receipts/${size}`, receipt);
      await verifier.write(`leaves/${size}`, encodeEntry(openedEntry(opening)));
      await verifier.write(`checkpoints/${size}`, checkpoint);
      const { readTile } = readerOf(service);
      for (const from of sizes) {
        const proof = await consistencyProof(from, size, readTile);
        await verifier.write(`consistency/${from}-${size}`, Buffer.concat(proof));
      }
      sizes.push(size);
    }
    const { data } = (await service.api.get('/v1/log')).body;
    await verifier.write('verifier-key', data.verifier_key);
    const output = await verifier.verify(sizes, `${service.origin}/log`);
    assert.equal(output, sizes.map((size) => `verified ${size}\n`).join(''));
  },
);
