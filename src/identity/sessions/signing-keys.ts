import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import { transaction, withDeadline, type Db } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import * as queries from './queries.ts';

interface SigningKey {
  kid: string;
  publicJwk: JWK;
  privateKey: KeyObject;
}

const readTimeoutMs = 3500;

/**
 * Caches the Ed25519 keys that sign tokens. The newest one signs; older ones only verify. Keys are read
 * again every ten seconds and when a token names an unknown one, so they rotate without a restart.
 */
export class SigningKeys {
  #ctx: Context;
  #keys: SigningKey[] = [];
  #readAt = 0;
  #reading: Promise<void> | undefined;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Reads the keys. Creates the first one if there is none. */
  async start(): Promise<void> {
    await transaction(this.#ctx.pools.main, async (tx) => {
      await queries.lockSigningKeys(tx);
      if ((await queries.signingKeys(tx)).length === 0) await createSigningKey(this.#ctx, tx);
    });
    await this.#read();
  }

  /** Returns the key to sign with. */
  async current(): Promise<SigningKey> {
    if (Date.now() - this.#readAt > 10_000) await this.#read();
    return this.#keys[0]!;
  }

  /** Returns the private key with the id, or undefined if there is no such valid key. */
  async privateKey(kid: string | undefined): Promise<KeyObject | undefined> {
    const find = () => this.#keys.find((key) => key.kid === kid)?.privateKey;
    const known = find();
    if (known || Date.now() - this.#readAt < 1000) return known;
    await this.#read();
    return find();
  }

  /** Returns the public keys as a JSON Web Key Set (RFC 7517). */
  async jwks() {
    await this.current();
    return {
      keys: this.#keys.map(({ kid, publicJwk }) => ({
        kty: publicJwk.kty!,
        crv: publicJwk.crv!,
        x: publicJwk.x!,
        kid,
        alg: 'EdDSA',
        use: 'sig',
      })),
    };
  }

  /** Makes the next signing read the keys first. */
  expire(): void {
    this.#readAt = 0;
  }

  #read(): Promise<void> {
    this.#reading ??= this.#readNow().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #readNow(): Promise<void> {
    // Its own deadline, since authentication has none, and several callers share the read.
    const rows = await withDeadline(readTimeoutMs, () => queries.signingKeys(this.#ctx.pools.main));
    this.#keys = rows.map((row) => {
      const sealed = this.#ctx.keys.unseal('signing-key', row.private_sealed, row.kid);
      const privateKey = createPrivateKey({ key: JSON.parse(sealed), format: 'jwk' });
      return { kid: row.kid, publicJwk: row.public_jwk, privateKey };
    });
    this.#readAt = Date.now();
  }
}

/** Creates a key that signs from now on. Returns its id. */
export async function createSigningKey(ctx: Pick<Context, 'keys'>, db: Db): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const kid = newId();
  const { kty, crv, x } = await exportJWK(publicKey);
  await queries.insertSigningKey(db, {
    kid,
    publicJwk: { kty, crv, x },
    privateSealed: ctx.keys.seal('signing-key', JSON.stringify(await exportJWK(privateKey)), kid),
  });
  return kid;
}
