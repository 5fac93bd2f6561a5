import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { signUp, type Person } from '../../../test/support/people.ts';
import { costlyAvif } from '../../../test/support/costly-pictures.ts';
import { pngOfZeros, sendUpload } from '../../../test/support/pictures.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { inspectImage, makeVariants, SlowImageError, UnusableImageError } from './pictures.ts';

const skip = process.platform !== 'linux' && 'peak memory is read from /proc, which needs Linux';

describe('decompression bombs', () => {
  let service: Service;
  let owner: Person;
  before(async () => {
    service = await startService({ worker: true });
    owner = await signUp(service);
  });
  after(() => service[Symbol.asyncDispose]());

  it('of 60 megapixels in 60 KB are rejected without decoding', { skip }, async () => {
    const image = await pngOfZeros(10_000, 6_000);
    assert.ok(image.length < 100_000, `${image.length} bytes`);
    const sent = await sendUpload(service, owner, { bytes: image, content_type: 'image/png' });
    const initialMb = await resetPeakMemory();
    const startUsage = process.cpuUsage();
    const answer = await owner.api.post('/v1/media/confirm', { media_id: sent.media_id });
    // Measures processor time, which does not depend on the load of the machine.
    const { user, system } = process.cpuUsage(startUsage);
    const cpuMs = (user + system) / 1000;
    const growthMb = (await peakMemoryMb()) - initialMb;
    assert.equal(answer.status, 422);
    assert.match(answer.body.errors[0].message, /million pixels/);
    assert.ok(cpuMs < 1000, `${cpuMs} ms`);
    assert.ok(growthMb < 100, `${growthMb} MB`);
  });

  it('that take too much processor time are given up', { skip }, async () => {
    const bytes = await costlyAvif();
    assert.ok(bytes.length < 2000, `${bytes.length} bytes`);
    assert.equal(await inspectImage(bytes), 'image/avif');
    const startedAt = performance.now();
    const made = await makeVariants(bytes, 1).catch((error: unknown) => error);
    const took = performance.now() - startedAt;
    // A machine may be fast enough; none may take longer.
    const isGivenUp = made instanceof UnusableImageError || made instanceof SlowImageError;
    assert.ok(took < 1000 || isGivenUp, String(made));
    if (made instanceof UnusableImageError) assert.equal(made.code, 'too_slow');
  });
});

/** Resets the peak to the current size of this process and returns it in MB (proc_pid_clear_refs(5)). */
async function resetPeakMemory(): Promise<number> {
  await writeFile('/proc/self/clear_refs', '5');
  return peakMemoryMb();
}

/** Returns the peak size of this process since the reset, in MB. */
async function peakMemoryMb(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)![1]) / 1024;
}
