import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from './config.ts';

describe('settings', () => {
  const production = {
    NODE_ENV: 'production',
    BASE_URL: 'https://petitions.test',
    DATABASE_URL: 'postgres://127.0.0.1/petitions',
    SECRET: 'a secret of more than 32 bytes, for tests only',
    PAYMENT_SECRET: 'another secret',
  };

  it('need a verified address to sign in production, unless set otherwise', () => {
    assert.equal(readConfig(production).signaturePolicy, 'verified');
    assert.equal(readConfig({ ...production, SIGNATURE_POLICY: 'open' }).signaturePolicy, 'open');
    const development = { SECRET: 'any', PAYMENT_SECRET: 'any' };
    assert.equal(readConfig(development).signaturePolicy, 'open');
  });
});
