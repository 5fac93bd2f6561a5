import { FormatError } from './errors.js';
import { parseVerifierKey, verifyNote, type VerifierKey } from './notes.js';
import { policyOf, type Policy } from './policies.js';

/** What the service says of its log. */
export interface PublicLog {
  origin: string;
  verifier_keys: string[];
  witnesses: { name: string; verifier_key: string }[];
}

/** Where keys are from: given by the caller, known from an earlier audit, or named by the service itself. */
export type KeySource = 'given' | 'remembered' | 'service';

/** Chooses whom to trust. Keys that the service names itself only show that it agrees with itself. */
export async function trustFor(
  log: PublicLog,
  { policy, remembered = [] }: { policy?: Policy | undefined; remembered?: string[] | undefined },
): Promise<{ policy: Policy; keySource: KeySource }> {
  if (policy && policy.logKeys.length > 0) return { policy, keySource: 'given' };
  const keySource = remembered.length > 0 ? 'remembered' : 'service';
  const { logKeys } = await policyOf(remembered.length > 0 ? remembered : log.verifier_keys);
  return { policy: { ...(policy ?? (await policyOf([]))), logKeys }, keySource };
}

/** What is known of a log by its keys alone; undefined if they are those of no log, or of several. */
export function logOfKeys({ logKeys }: Policy, remembered: string[]): PublicLog | undefined {
  const [origin, ...others] = new Set(logKeys.map(({ name }) => name));
  if (origin === undefined || others.length > 0) return undefined;
  return { origin, verifier_keys: remembered, witnesses: [] };
}

/**
 * Returns the keys to remember: those of the service that signed a checkpoint which a trusted key has signed, too. So the
 * keys of a rotation are learned while the old ones still sign.
 */
export async function keysToRemember(log: PublicLog, note: string): Promise<string[]> {
  const signed: string[] = [];
  for (const text of log.verifier_keys) {
    const key = await parseVerifierKey(text);
    const { signatures, unsupported } = await verifyNote(note, [key]);
    if (signatures.length + unsupported.length > 0) signed.push(text);
  }
  return signed;
}

/** Parses the keys of the witnesses that the service names; those of unknown kinds are left out. */
export async function namedWitnesses({ witnesses }: PublicLog): Promise<VerifierKey[]> {
  const keys: VerifierKey[] = [];
  for (const { verifier_key: text } of witnesses) {
    try {
      keys.push(await parseVerifierKey(text));
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
    }
  }
  return keys;
}
