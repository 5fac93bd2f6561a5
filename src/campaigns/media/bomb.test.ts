import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { signUp, type Person } from '../../../test/support/people.ts';
import { pngOfZeros, sendUpload } from '../../../test/support/pictures.ts';
import { startService, type Service } from '../../../test/support/service.ts';

// By itself, since it looks at the largest size that this process ever had.
let service: Service;
let owner: Person;
before(async () => {
  service = await startService({ worker: true });
  owner = await signUp(service);
});
after(() => service[Symbol.asyncDispose]());

it('a bomb of 50 megapixels in 50 KB is refused quickly, without being unpacked', async () => {
  const bomb = await pngOfZeros(10_000, 5_000);
  assert.ok(bomb.length < 100_000, `${bomb.length} bytes`);
  const sent = await sendUpload(service, owner, { bytes: bomb, content_type: 'image/png' });
  const peak = process.resourceUsage().maxRSS;
  const begun = process.cpuUsage();
  const answer = await owner.api.post('/v1/media/confirm', { media_id: sent.media_id });
  // Of the processor, so that a busy machine makes no difference.
  const { user, system } = process.cpuUsage(begun);
  const took = (user + system) / 1000;
  const grown = (process.resourceUsage().maxRSS - peak) / 1024;
  assert.equal(answer.status, 422);
  assert.match(answer.body.errors[0].message, /million pixels/);
  assert.ok(took < 1000, `${took} ms`);
  assert.ok(grown < 100, `${grown} MB`);
});
