import { ConfigError, type Environment } from './config-values.ts';
import { LogFormatError } from './platform/transparency/log-errors.ts';
import { parseVerifierKey, type VerifierKey } from './platform/transparency/notes.ts';

/** A witness that is asked to cosign the public log. */
export interface LogWitness {
  /** Its submission prefix, without a slash at the end. */
  url: string;
  /** Those whose cosignatures are taken. */
  keys: VerifierKey[];
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Reads LOG_WITNESSES: `URL verifier_key`, separated by commas. Entries of the same URL are one witness. */
export function logWitnesses(env: Environment, production: boolean): LogWitness[] {
  const entries = (env.LOG_WITNESSES ?? '').split(',').map((entry) => entry.trim());
  const witnesses = new Map<string, LogWitness>();
  const known = new Set<string>();
  for (const entry of entries.filter(Boolean)) {
    const [address = '', text, ...rest] = entry.split(/\s+/);
    if (text === undefined || rest.length > 0) {
      throw new ConfigError(
        `LOG_WITNESSES has '${entry}'; each entry must be a URL, a space and a verifier key, with commas between entries.`,
      );
    }
    const url = witnessUrl(address, production);
    const key = witnessKey(text);
    if (known.has(`${key.name}+${key.id}`)) {
      throw new ConfigError(`LOG_WITNESSES has the key ${key.name}+${key.id} twice. Remove one.`);
    }
    known.add(`${key.name}+${key.id}`);
    witnesses.getOrInsertComputed(url, () => ({ url, keys: [] })).keys.push(key);
  }
  return [...witnesses.values()];
}

function witnessUrl(text: string, production: boolean): string {
  const url = URL.parse(text);
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  const isLocal = url?.protocol === 'http:' && !production && loopback.has(url.hostname);
  if (!isPlain || (url.protocol !== 'https:' && !isLocal)) {
    throw new ConfigError(
      `LOG_WITNESSES has the address '${text}'; it must be https${production ? '' : ', or http to this machine'}, without a user, a query and a fragment.`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

function witnessKey(text: string): VerifierKey {
  const key = parsedKey(text);
  if (key.kind === 'ed25519') {
    throw new ConfigError(
      `LOG_WITNESSES has the key ${key.name}+${key.id}, which is no key of a witness: its type must be 0x04 or 0x06.`,
    );
  }
  return key;
}

function parsedKey(text: string): VerifierKey {
  try {
    return parseVerifierKey(text);
  } catch (error) {
    if (!(error instanceof LogFormatError)) throw error;
    throw new ConfigError(
      `LOG_WITNESSES has '${text}', which is no verifier key: ${error.message}.`,
    );
  }
}
