import { FormatError, SourceError, VerificationError } from './errors.js';
import {
  formatVerifierKey,
  isSameKey,
  parseVerifierKey,
  verifyNote,
  type VerifierKey,
} from './notes.js';
import { policyOf, type Policy } from './policies.js';

/** What the service says of its log. */
export interface PublicLog {
  origin: string;
  verifier_keys: string[];
  witnesses: { name: string; verifier_key: string }[];
}

/** Checks the shape of an answer. @throws {SourceError} */
export function parsePublicLog(answer: { data?: Partial<PublicLog> } | null): PublicLog {
  const { origin, verifier_keys: keys, witnesses } = answer?.data ?? {};
  if (
    typeof origin !== 'string' ||
    !Array.isArray(keys) ||
    !Array.isArray(witnesses) ||
    ![...keys, ...witnesses.map((one) => one?.verifier_key)].every((key) => typeof key === 'string')
  ) {
    throw new SourceError('the answer of /v1/log does not describe a log');
  }
  return { origin, verifier_keys: keys, witnesses };
}

/** Where keys are from: given by the caller, known from an earlier audit, or named by the service itself. */
export type KeySource = 'given' | 'remembered' | 'service';

/** Chooses whom to trust. Keys that the service names itself only show that it agrees with itself. */
export async function trustFor(
  log: PublicLog,
  { policy, remembered = [] }: { policy?: Policy | undefined; remembered?: string[] | undefined },
): Promise<{ policy: Policy; keySource: KeySource }> {
  if (policy && policy.logKeys.length > 0) return { policy, keySource: 'given' };
  const isRemembered = remembered.length > 0;
  const logKeys = isRemembered
    ? (await policyOf(remembered)).logKeys
    : await knownKeys(log.verifier_keys);
  return {
    policy: { ...(policy ?? (await policyOf([]))), logKeys },
    keySource: isRemembered ? 'remembered' : 'service',
  };
}

/** What is known of a log by its keys alone; undefined if they are those of no log, or of several. */
export function logOfKeys({ logKeys }: Policy, remembered: string[]): PublicLog | undefined {
  const [origin, ...others] = new Set(logKeys.map(({ name }) => name));
  if (origin === undefined || others.length > 0) return undefined;
  return { origin, verifier_keys: remembered, witnesses: [] };
}

/** Returns the trusted keys of the log, as the next audit takes them. */
export const keysToRemember = ({ origin }: PublicLog, { logKeys }: Policy): string[] =>
  logKeys.filter(({ name }) => name === origin).map(formatVerifierKey);

/**
 * Returns the keys that the service names and that signed a checkpoint, but are not trusted: those of a rotation, or of
 * somebody else. A signature says nothing of the other keys in the note, so they are shown, and never learned.
 */
export async function newKeysOf(
  log: PublicLog,
  { logKeys }: Policy,
  note: string,
): Promise<string[]> {
  const found: string[] = [];
  for (const key of await knownKeys(log.verifier_keys)) {
    if (key.name !== log.origin || logKeys.some((one) => isSameKey(one, key))) continue;
    try {
      const { signatures, unsupported } = await verifyNote(note, [key]);
      if (signatures.length + unsupported.length > 0) found.push(formatVerifierKey(key));
    } catch (error) {
      if (!(error instanceof VerificationError || error instanceof FormatError)) throw error;
    }
  }
  return found;
}

/** Parses the keys of the witnesses that the service names; those of unknown kinds are left out. */
export const namedWitnesses = ({ witnesses }: PublicLog): Promise<VerifierKey[]> =>
  knownKeys(witnesses.map((one) => one.verifier_key));

/** Parses keys; those of unknown kinds are left out. */
async function knownKeys(texts: readonly string[]): Promise<VerifierKey[]> {
  const keys: VerifierKey[] = [];
  for (const text of texts) {
    try {
      keys.push(await parseVerifierKey(text));
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
    }
  }
  return keys;
}
