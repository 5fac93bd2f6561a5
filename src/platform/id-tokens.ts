import { isUuid } from './ids.ts';
import { equalInConstantTime, type KeyPurpose, type Keys } from './keys.ts';

const idBytes = 16;
const macBytes = 16;

/** Returns a token that carries an id, for a link in a mail. It is not stored, and stays valid as long as its row says. */
export function tokenOfId(keys: Keys, purpose: KeyPurpose, id: string): string {
  const mac = keys.hash(purpose, id).subarray(0, macBytes);
  return Buffer.concat([Buffer.from(id.replaceAll('-', ''), 'hex'), mac]).toString('base64url');
}

/** Returns the id of a token; undefined if the token is not one of ours for this purpose. */
export function idOfToken(keys: Keys, purpose: KeyPurpose, token: string): string | undefined {
  const hex = Buffer.from(token, 'base64url').subarray(0, idBytes).toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return isUuid(id) && equalInConstantTime(tokenOfId(keys, purpose, id), token) ? id : undefined;
}
