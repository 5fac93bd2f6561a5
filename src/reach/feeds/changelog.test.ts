import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { releasesOf } from './changelog.ts';

it('releases are read from a changelog, without what is not released', () => {
  const changelog = `# Changelog

## Unreleased

- Soon.

## 1.1.0 - 2027-01-31

### Added

- More.

## [1.0.0] - 2026-12-01

- All.
`;
  assert.deepEqual(releasesOf(changelog), [
    { version: '1.1.0', releasedAt: new Date('2027-01-31'), changes: '### Added\n\n- More.' },
    { version: '1.0.0', releasedAt: new Date('2026-12-01'), changes: '- All.' },
  ]);
});

it('releases are a feed', async () => {
  await using service = await startService();
  const { status, body } = await service.api.get('/changelog.atom');
  assert.equal(status, 200);
  assert.match(body, /<entry>\n<id>[^<]*#0\.1\.0<\/id>\n<title xml:lang="en">0\.1\.0<\/title>/);
});
