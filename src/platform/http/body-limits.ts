import type { TSchema } from 'typebox';
import { streamedBodyType } from './bodies.ts';
import type { Route } from './route.ts';

/**
 * For what has no limit of its own, such as forms of pages: a description of 50,000 characters fits, percent-encoded with
 * 12 bytes each.
 */
export const defaultMaxBytes = 655_360;
const minBytes = 65_536;
const credentialBytes = 16_384;
/** Room for names, punctuation and values without a maximum length. */
const overheadBytes = 4096;
/** A character as an escape sequence of JSON. */
const bytesPerCharacter = 6;

const secretMembers = ['password', 'refresh_token', 'token', 'client_secret', 'code'];
const credentialPages = /^\/(login|register|forgot-password|reset-password)$/;

/** Returns how many bytes the body of a route can have; undefined for bodies that are read as streams. */
export function maxBodyBytes(route: Route): number | undefined {
  if (streamedBodyType(route)) return undefined;
  if (credentialPages.test(route.path)) return credentialBytes;
  const schema = route.body?.schema;
  if (!schema || route.page) return defaultMaxBytes;
  const members = Object.keys((schema as Schema).properties ?? {});
  if (secretMembers.some((name) => members.includes(name))) return credentialBytes;
  return Math.max(minBytes, bytesPerCharacter * maxCharacters(schema) + overheadBytes);
}

type Schema = TSchema & {
  maxLength?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
};

/** Ids and times are shorter. */
const defaultMaxLength = 40;

/** Returns the sum of the maximum lengths of all texts in a value of the schema. */
function maxCharacters(schema: Schema): number {
  if (schema.properties) {
    return Object.values(schema.properties).reduce((sum, member) => sum + maxCharacters(member), 0);
  }
  if (schema.items) return (schema.maxItems ?? 1) * maxCharacters(schema.items);
  if (schema.anyOf) return Math.max(...schema.anyOf.map(maxCharacters));
  return schema.maxLength ?? defaultMaxLength;
}
