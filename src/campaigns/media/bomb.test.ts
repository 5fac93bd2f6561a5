import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { signUp, type Person } from '../../../test/support/people.ts';
import { pngOfZeros, sendUpload } from '../../../test/support/pictures.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const skip = process.platform !== 'linux' && 'only Linux tells how large a process ever was';

describe('a picture that is a bomb', () => {
  let service: Service;
  let owner: Person;
  before(async () => {
    service = await startService({ worker: true });
    owner = await signUp(service);
  });
  after(() => service[Symbol.asyncDispose]());

  it('of 50 megapixels in 50 KB is refused quickly, without being unpacked', { skip }, async () => {
    const bomb = await pngOfZeros(10_000, 5_000);
    assert.ok(bomb.length < 100_000, `${bomb.length} bytes`);
    const sent = await sendUpload(service, owner, { bytes: bomb, content_type: 'image/png' });
    const size = await forgetPeak();
    const begun = process.cpuUsage();
    const answer = await owner.api.post('/v1/media/confirm', { media_id: sent.media_id });
    // Of the processor, so that a busy machine makes no difference.
    const { user, system } = process.cpuUsage(begun);
    const took = (user + system) / 1000;
    const grown = (await peak()) - size;
    assert.equal(answer.status, 422);
    assert.match(answer.body.errors[0].message, /million pixels/);
    assert.ok(took < 1000, `${took} ms`);
    assert.ok(grown < 100, `${grown} MB`);
  });
});

/** Lets the process's peak begin anew, at what is given: its size now, in MB (proc_pid_clear_refs(5)). */
async function forgetPeak(): Promise<number> {
  await writeFile('/proc/self/clear_refs', '5');
  return peak();
}

/** The largest size of this process since, in MB. */
async function peak(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)![1]) / 1024;
}
