import { exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose';
import type { Context } from '../../platform/context.ts';
import { transaction, type Db } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import * as queries from './queries.ts';

interface SigningKey {
  kid: string;
  publicJwk: JWK;
  publicKey: CryptoKey;
  privateKey: CryptoKey;
}

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

  /** Returns the public key with the id, or undefined if there is no such valid key. */
  async publicKey(kid: string | undefined): Promise<CryptoKey | undefined> {
    const find = () => this.#keys.find((key) => key.kid === kid)?.publicKey;
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
    const rows = await queries.signingKeys(this.#ctx.pools.main);
    this.#keys = await Promise.all(
      rows.map(async (row) => {
        const sealed = this.#ctx.keys.unseal('signing-key', row.private_sealed, row.kid);
        return {
          kid: row.kid,
          publicJwk: row.public_jwk,
          publicKey: (await importJWK(row.public_jwk, 'EdDSA')) as CryptoKey,
          privateKey: (await importJWK(JSON.parse(sealed) as JWK, 'EdDSA')) as CryptoKey,
        };
      }),
    );
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
