import { resolve } from 'node:path';
import { ConfigError, integer, type Environment } from '../config-values.ts';
import { LogFormatError } from '../platform/transparency/log-errors.ts';
import { parseVerifierKey, type VerifierKey } from '../platform/transparency/notes.ts';

/** The settings of a witness. */
export interface WitnessSettings {
  /** Names the witness in its cosignatures. */
  name: string;
  host: string;
  port: number;
  /** Folder of its keys and of what it has cosigned. */
  folder: string;
  /** The keys of the logs that it cosigns, by origin. */
  logs: Map<string, VerifierKey[]>;
}

/** ML-DSA-44 cosignatures encode the length of names and origins in one byte. */
const maxNameBytes = 255;

/**
 * Reads the settings of a witness from environment variables.
 * @throws {ConfigError} naming the first variable that is invalid or missing
 */
export function readWitnessSettings(env: Environment): WitnessSettings {
  return {
    name: witnessName(env),
    host: env.WITNESS_HOST || '127.0.0.1',
    port: integer(env, 'WITNESS_PORT', 3080, 0, 65_535),
    folder: resolve(env.WITNESS_DIR || './witness'),
    logs: knownLogs(env),
  };
}

function witnessName(env: Environment): string {
  const name = env.WITNESS_NAME;
  if (!name) {
    throw new ConfigError(
      'WITNESS_NAME is needed: the host and path of the witness, such as witness.example.org/w1.',
    );
  }
  // A comma separates the entries of LOG_WITNESSES.
  if (/[\p{White_Space}\p{Cc}+,]/u.test(name) || Buffer.byteLength(name) > maxNameBytes) {
    throw new ConfigError(
      `WITNESS_NAME is '${name}'; it must have at most 255 bytes, without spaces, '+' and ','.`,
    );
  }
  return name;
}

function knownLogs(env: Environment): WitnessSettings['logs'] {
  const texts = (env.WITNESS_LOGS ?? '').split(',').map((text) => text.trim());
  const logs = new Map<string, VerifierKey[]>();
  for (const text of texts.filter(Boolean)) {
    const key = logKey(text);
    const keys = logs.getOrInsertComputed(key.name, () => []);
    if (!keys.some(({ id }) => id === key.id)) keys.push(key);
  }
  if (logs.size === 0) {
    throw new ConfigError(
      'WITNESS_LOGS is needed: the verifier keys of the logs to cosign, separated by commas.',
    );
  }
  return logs;
}

function logKey(text: string): VerifierKey {
  try {
    const key = parseVerifierKey(text);
    if (Buffer.byteLength(key.name) <= maxNameBytes) return key;
  } catch (error) {
    if (!(error instanceof LogFormatError)) throw error;
    throw new ConfigError(`WITNESS_LOGS has '${text}', which is no key: ${error.message}.`);
  }
  throw new ConfigError(`WITNESS_LOGS has '${text}', whose name has more than 255 bytes.`);
}
