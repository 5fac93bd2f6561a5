// Whom a verifier trusts, by C2SP tlog-policy.
import { areEqual } from './bytes.js';
import { FormatError, VerificationError } from './errors.js';
import { parseVerifierKey, verifyNote } from './notes.js';

/** @typedef {import('./notes.js').VerifierKey} VerifierKey */

/**
 * @typedef {object} Policy
 * @property {VerifierKey[]} logKeys one of them must have signed; their name is the origin of the log
 * @property {VerifierKey[]} witnessKeys
 * @property {(signed: ReadonlySet<VerifierKey>) => boolean} isQuorum whether these witnesses are enough
 * @property {string} quorum how many witnesses are demanded, in words
 */

/**
 * Makes a policy of keys alone: every given witness must have cosigned.
 * @param {readonly string[]} logKeys
 * @param {readonly string[]} [witnessKeys]
 * @returns {Promise<Policy>}
 * @throws {FormatError} if a key is malformed
 */
export async function policyOf(logKeys, witnessKeys = []) {
  const witnesses = await Promise.all(witnessKeys.map(parseVerifierKey));
  return {
    logKeys: await Promise.all(logKeys.map(parseVerifierKey)),
    witnessKeys: witnesses,
    isQuorum: (signed) => witnesses.every((key) => signed.has(key)),
    quorum:
      witnesses.length === 0 ? 'none' : `all of ${witnesses.map(({ name }) => name).join(', ')}`,
  };
}

/**
 * Parses a policy file.
 * @param {string} text
 * @returns {Promise<Policy>}
 * @throws {FormatError} naming the line, if it is malformed
 */
export async function parsePolicy(text) {
  // oxlint-disable-next-line no-control-regex -- tlog-policy forbids them
  if (/[\x00-\x08\x0b-\x1f\x7f]/.test(text)) {
    throw new FormatError('the policy has control characters');
  }
  const parser = new PolicyParser();
  for (const [index, line] of text.split('\n').entries()) {
    const words = line.split(/[ \t]+/).filter((word) => word !== '');
    if (words.length === 0 || words[0]?.startsWith('#')) continue;
    try {
      await parser.parse(words);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      throw new FormatError(`line ${index + 1} of the policy: ${error.message}`, { cause: error });
    }
  }
  return parser.finish();
}

/** @typedef {(signed: ReadonlySet<VerifierKey>) => boolean} Condition */

class PolicyParser {
  /** @type {VerifierKey[]} */
  #logKeys = [];
  /** @type {VerifierKey[]} */
  #witnessKeys = [];
  /** @type {Map<string, Condition>} */
  #conditions = new Map();
  /** @type {Set<string>} */
  #members = new Set();
  /** @type {{ condition: Condition, name: string } | undefined} */
  #quorum;

  /** @param {string[]} words */
  async parse([keyword, ...words]) {
    if (keyword === 'log' && (words.length === 1 || words.length === 2)) {
      this.#logKeys.push(
        await this.#newKey(this.#logKeys, words[0], ['ed25519', 'ml-dsa-44-cosignature']),
      );
    } else if (keyword === 'witness' && (words.length === 2 || words.length === 3)) {
      const kinds = ['ed25519-cosignature', 'ml-dsa-44-cosignature'];
      const key = await this.#newKey(this.#witnessKeys, words[1], kinds);
      this.#define(words[0], (signed) => signed.has(key));
      this.#witnessKeys.push(key);
    } else if (keyword === 'group' && words.length >= 3) {
      this.#parseGroup(words);
    } else if (keyword === 'quorum' && words.length === 1 && words[0] !== undefined) {
      if (this.#quorum) throw new FormatError('a policy has one quorum');
      const [name] = words;
      this.#quorum = { name, condition: name === 'none' ? () => true : this.#find(name) };
    } else {
      throw new FormatError('neither log, witness, group nor quorum with their words');
    }
  }

  /** @returns {Policy} */
  finish() {
    if (!this.#quorum) throw new FormatError('the policy has no quorum line');
    return {
      logKeys: this.#logKeys,
      witnessKeys: this.#witnessKeys,
      isQuorum: this.#quorum.condition,
      quorum: this.#quorum.name,
    };
  }

  /**
   * @param {VerifierKey[]} known
   * @param {string | undefined} text
   * @param {string[]} kinds
   */
  async #newKey(known, text = '', kinds) {
    const key = await parseVerifierKey(text);
    if (!kinds.includes(key.kind))
      throw new FormatError(`a key of the kind ${key.kind} does not fit`);
    if (known.some(({ publicKey }) => areEqual(publicKey, key.publicKey))) {
      throw new FormatError('the key stands in the policy twice');
    }
    return key;
  }

  /** @param {string[]} words */
  #parseGroup([name, threshold, ...names]) {
    const members = names.map((member) => {
      const condition = this.#find(member);
      if (this.#members.has(member)) throw new FormatError(`${member} is in a group already`);
      this.#members.add(member);
      return condition;
    });
    const needed = { any: 1, all: members.length }[threshold ?? ''] ?? Number(threshold);
    if (!/^(any|all|[1-9]\d*)$/.test(threshold ?? '') || needed > members.length) {
      throw new FormatError(`${threshold} is no number of its ${members.length} members`);
    }
    this.#define(name, (signed) => members.filter((isMet) => isMet(signed)).length >= needed);
  }

  /**
   * @param {string | undefined} name
   * @param {Condition} condition
   */
  #define(name = '', condition) {
    if (name === 'none' || this.#conditions.has(name)) throw new FormatError(`${name} is taken`);
    this.#conditions.set(name, condition);
  }

  /** @param {string} name */
  #find(name) {
    const condition = this.#conditions.get(name);
    if (!condition) throw new FormatError(`${name} is not defined above`);
    return condition;
  }
}

/**
 * Verifies the signatures of a checkpoint by a policy.
 * @param {string} note
 * @param {Policy} policy
 * @returns {Promise<import('./notes.js').VerifiedNote>}
 * @throws {FormatError} if the note is malformed
 * @throws {VerificationError} if a signature of a known key does not verify, the log did not sign, or witnesses are missing
 */
export async function verifyByPolicy(note, policy) {
  const { logKeys, witnessKeys, isQuorum, quorum } = policy;
  const verified = await verifyNote(note, [...logKeys, ...witnessKeys]);
  const origin = verified.text.slice(0, verified.text.indexOf('\n'));
  const signed = new Set(verified.signatures.map(({ key }) => key));
  const unchecked = verified.unsupported.map(({ name, kind }) => `${name} (${kind})`).join(', ');
  const doubt = unchecked && `; this platform cannot check the signature of ${unchecked}`;
  if (!logKeys.some(({ name }) => name === origin)) {
    throw new VerificationError(
      `the checkpoint is of the log ${origin}, whose key is not known`,
      'unknown-log',
    );
  }
  if (!logKeys.some((key) => key.name === origin && signed.has(key))) {
    throw new VerificationError(
      `the log did not sign the checkpoint with a known key${doubt}`,
      verified.unsupported.some(({ name }) => name === origin) ? 'unsupported' : 'not-signed',
    );
  }
  if (!isQuorum(signed)) {
    throw new VerificationError(
      `too few witnesses cosigned the checkpoint (demanded: ${quorum})${doubt}`,
      'too-few-witnesses',
    );
  }
  return verified;
}
