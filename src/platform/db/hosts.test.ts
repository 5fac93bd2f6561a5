import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { meetsTarget, parseHosts } from './hosts.ts';

describe('parseHosts', () => {
  it('keeps the URL of a single host, with any target', () => {
    const url = 'postgres://ada:p%40ss@db.example:5432/petitions?sslmode=require';
    assert.deepEqual(parseHosts(url), { urls: [url], target: 'any' });
  });

  it('returns a URL for each host, with the target read-write', () => {
    assert.deepEqual(parseHosts('postgresql://ada@one:5432,two:5433,[::1]/petitions'), {
      urls: [
        'postgresql://ada@one:5432/petitions',
        'postgresql://ada@two:5433/petitions',
        'postgresql://ada@[::1]/petitions',
      ],
      target: 'read-write',
    });
  });

  it('removes target_session_attrs from the parameters', () => {
    assert.deepEqual(
      parseHosts('postgres://one,two/p?sslmode=require&target_session_attrs=primary'),
      {
        urls: ['postgres://one/p?sslmode=require', 'postgres://two/p?sslmode=require'],
        target: 'primary',
      },
    );
  });

  it('rejects malformed URLs without repeating them', () => {
    for (const url of ['mysql://a:secret@b/c', 'postgres://a:secret@b:port/c', 'secret']) {
      assert.throws(
        () => parseHosts(url),
        (error: Error) => /must be a URL/.test(error.message) && !/secret/.test(error.message),
      );
    }
    assert.throws(
      () => parseHosts('postgres://one/p?target_session_attrs=writable'),
      /target_session_attrs=writable; it must be any, read-write/,
    );
  });
});

it('decides which servers meet a target', () => {
  const primary = { standby: false, read_only: false };
  const standby = { standby: true, read_only: true };
  assert.ok(meetsTarget('any', standby));
  assert.ok(meetsTarget('read-write', primary) && !meetsTarget('read-write', standby));
  assert.ok(meetsTarget('primary', primary) && !meetsTarget('primary', standby));
  assert.ok(meetsTarget('standby', standby) && !meetsTarget('standby', primary));
  assert.ok(meetsTarget('read-only', standby) && !meetsTarget('read-only', primary));
});
