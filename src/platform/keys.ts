import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Purposes of keys. Each has its own key, derived from the service's secret. */
export type KeyPurpose =
  | 'address-change'
  | 'address-undo'
  | 'access-code'
  | 'api-key'
  | 'captcha'
  | 'complaint'
  | 'form-token'
  | 'idempotency'
  | 'login'
  | 'login-cookie'
  | 'anonymous-draft'
  | 'kept-form'
  | 'known-account'
  | 'known-browser-cookie'
  | 'mail-challenge'
  | 'mail-key'
  | 'mail-recipient'
  | 'mail-stop'
  | 'oauth'
  | 'oauth-form'
  | 'one-time-token'
  | 'organizer-invitation'
  | 'pending-report'
  | 'pending-signature'
  | 'phone-code'
  | 'phone-number'
  | 'refresh-token'
  | 'refused-form'
  | 'registration-cookie'
  | 'report-network'
  | 'respond-token'
  | 'setup'
  | 'signature-receipt'
  | 'signer-address'
  | 'signing-key'
  | 'unsubscribe'
  | 'upload'
  | 'webhook-secret';

/** The keys of an instance, as its database holds them. */
export interface KeyMaterial {
  /** What the keys of all purposes are derived from. */
  root: Buffer;
  /** Of the hashes that tell mailboxes apart. */
  mailbox: Buffer;
  /** Signs the public log. */
  log: Buffer;
}

/** Hashes and encrypts with the keys of an instance, derived from its root (HKDF, RFC 5869). */
export class Keys {
  readonly mailbox: Buffer;
  readonly log: Buffer;
  #root: Buffer;
  #derived = new Map<string, Buffer>();
  #derivedTexts = new Map<KeyPurpose, string>();

  constructor({ root, mailbox, log }: KeyMaterial) {
    this.#root = root;
    this.mailbox = mailbox;
    this.log = log;
  }

  /** Keyed hash (HMAC-SHA-256, 32 bytes) under which a secret is stored or looked up. */
  hash(purpose: KeyPurpose, ...parts: string[]): Buffer {
    const mac = createHmac('sha256', this.#key(purpose));
    // Length prefixes make the encoding of the parts unambiguous.
    for (const part of parts) mac.update(`${Buffer.byteLength(part)}:`).update(part);
    return mac.digest();
  }

  /**
   * Returns the first hexadecimal digits, at most 32, of SHA-256 over the purpose's key and a text: a keyed hash at a
   * quarter of the cost of `hash`. The truncation prevents length extension without the key.
   */
  shortHash(purpose: KeyPurpose, text: string, digits: number): string {
    let key = this.#derivedTexts.get(purpose);
    if (!key) this.#derivedTexts.set(purpose, (key = this.#key(purpose).toString('base64')));
    return hash('sha256', key + text, 'hex').slice(0, Math.min(digits, 32));
  }

  /** Encrypts for storage. `unseal` needs the same salt. */
  seal(purpose: KeyPurpose, plain: string, salt = ''): Buffer {
    return encrypt(this.#key(purpose, salt), Buffer.from(plain));
  }

  /** Decrypts bytes of `seal`. @throws {Error} if the key differs or the bytes were changed */
  unseal(purpose: KeyPurpose, sealed: Uint8Array, salt = ''): string {
    try {
      return decrypt(this.#key(purpose, salt), sealed).toString();
    } catch (error) {
      throw new Error(`This was not encrypted with the ${purpose} key of this database.`, {
        cause: error,
      });
    }
  }

  #key(purpose: KeyPurpose, salt = ''): Buffer {
    if (salt) return deriveKey(this.#root, purpose, salt);
    let key = this.#derived.get(purpose);
    if (!key) this.#derived.set(purpose, (key = deriveKey(this.#root, purpose)));
    return key;
  }
}

export const deriveKey = (root: Buffer, purpose: KeyPurpose, salt = ''): Buffer =>
  Buffer.from(hkdfSync('sha256', root, salt, purpose, 32));

/** AES-256-GCM. */
export function encrypt(key: Buffer, plain: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
}

/** Decrypts bytes of `encrypt`. @throws {Error} if the key differs or the bytes were changed */
export function decrypt(key: Buffer, encrypted: Uint8Array): Buffer {
  const bytes = Buffer.from(encrypted);
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAuthTag(
    bytes.subarray(12, 28),
  );
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
}

/** A random secret for a link or token: base64url of that many bytes. */
export const randomToken = (bytes: number): string => randomBytes(bytes).toString('base64url');

/** Compares texts in a time that is independent of their content. */
export function equalInConstantTime(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
