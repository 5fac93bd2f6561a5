import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Context } from '../../platform/context.ts';
import { isFromOwnPage } from './browser-sessions.ts';

it('a form of an unknown origin is taken only if the browser says that it is ours', () => {
  const ctx = { config: { baseUrl: 'https://petitions.test' } } as Context;
  const host = 'petitions.test';
  assert.ok(!isFromOwnPage(ctx, { host, origin: 'null' }));
  assert.ok(isFromOwnPage(ctx, { host, origin: 'null', 'sec-fetch-site': 'same-origin' }));
  assert.ok(!isFromOwnPage(ctx, { host, origin: 'null', 'sec-fetch-site': 'cross-site' }));
  assert.ok(!isFromOwnPage(ctx, { host, origin: 'https://evil.example' }));
  assert.ok(isFromOwnPage(ctx, { host, origin: 'https://petitions.test' }));
});
