import { hash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { canonicalJson, parseCanonicalJson } from './canonical-json.ts';
import { LogFormatError } from './log-errors.ts';
import { maxEntryBytes } from './tiles.ts';

const version1 = Type.Literal(1);
const closed = { additionalProperties: false };

const count = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const leafOfSign = count('Index of the `sign` entry.');

/** 32 bytes in unpadded base64url, in the one form that these bytes have. */
const hashText = (description: string) =>
  Type.String({ pattern: '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$', description });

const uuidPattern = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

const petition = Type.String({
  pattern: uuidPattern,
  description: 'The `log_id` of the petition, a random UUID in lower case.',
});

const textVersion = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Version of the text of the petition.',
});

/** A text of a petition was published or changed. */
export const TextEntry = Type.Object(
  {
    v: version1,
    type: Type.Literal('text'),
    petition,
    version: textVersion,
    language: Type.String({
      pattern: '^[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8})*$',
      description: 'BCP 47; `und` where it is not known.',
    }),
    text_hash: hashText('SHA-256 of title, line feed and description in UTF-8.'),
  },
  closed,
);

/** A signature was counted for the first time. */
export const SignEntry = Type.Object(
  {
    v: version1,
    type: Type.Literal('sign'),
    petition,
    version: textVersion,
    commitment: hashText('Commits to the signature; its signer can open it.'),
  },
  closed,
);

/** A signature no longer counts. */
export const UndoEntry = Type.Object(
  {
    v: version1,
    type: Type.Literal('undo'),
    petition,
    leaf: leafOfSign,
    cause: Type.Union([
      Type.Literal('withdrawn'),
      Type.Literal('removed'),
      Type.Literal('invalidated'),
    ]),
  },
  closed,
);

/** A signature counts again. */
export const RestoreEntry = Type.Object(
  { v: version1, type: Type.Literal('restore'), petition, leaf: leafOfSign },
  closed,
);

/** Signatures that were collected elsewhere were added to the count. */
export const ImportEntry = Type.Object(
  {
    v: version1,
    type: Type.Literal('import'),
    petition,
    count: count('Signatures that this import added.'),
  },
  closed,
);

/** What the petition's entries add up to. */
export const TotalEntry = Type.Object(
  {
    v: version1,
    type: Type.Literal('total'),
    petition,
    counted: count('`sign` and `restore` entries less `undo` entries.'),
    imported: count('Sum of the `import` entries.'),
    through: count('Index of the last entry that is added up.'),
  },
  closed,
);

export const LogEntry = Type.Union([
  TextEntry,
  SignEntry,
  UndoEntry,
  RestoreEntry,
  ImportEntry,
  TotalEntry,
]);
export type LogEntry = Static<typeof LogEntry>;

const logEntry = Compile(LogEntry);

/**
 * Encodes an entry of the log: canonical JSON in UTF-8. Entries can never be changed, so a wrong one is refused here.
 * @throws {LogFormatError} if it breaks the schema
 */
export function encodeEntry(entry: LogEntry): Buffer {
  checkEntry(entry);
  const bytes = Buffer.from(canonicalJson(entry));
  if (bytes.length > maxEntryBytes) throw new LogFormatError('the entry is too long for a bundle');
  return bytes;
}

/**
 * Parses an entry of the log.
 * @throws {LogFormatError} if it is not canonical JSON, or none of the kinds of version 1
 */
export function parseEntry(bytes: Uint8Array): LogEntry {
  const entry = parseCanonicalJson(bytes);
  checkEntry(entry);
  return entry;
}

function checkEntry(entry: unknown): asserts entry is LogEntry {
  if (!logEntry.Check(entry)) throw new LogFormatError('not an entry of version 1');
}

/** What a signer keeps to show which signature a commitment hides. */
export const Opening = Type.Object({
  v: version1,
  petition,
  version: textVersion,
  signature: Type.String({
    pattern: uuidPattern,
    description: 'Id of the signature, in lower case.',
  }),
  random: hashText('32 random bytes.'),
});
export type Opening = Static<typeof Opening>;

export interface CommittedSignature {
  /** The `log_id` of the petition. */
  logId: string;
  /** Version of the text that was signed. */
  version: number;
  signatureId: string;
  /** 32 secret bytes, without which the signature cannot be found by trying ids. */
  random: Uint8Array;
}

/** Computes the commitment of a `sign` entry. */
export function commitmentOf({ logId, version, signatureId, random }: CommittedSignature): string {
  if (random.length !== 32) throw new RangeError(`${random.length} random bytes instead of 32`);
  const fields = ['petition-signature/v1', logId, String(version), signatureId];
  const prefix = Buffer.from(fields.map((field) => `${field}\0`).join(''));
  return hash('sha256', Buffer.concat([prefix, random]), 'base64url');
}

export interface PetitionText {
  title: string;
  description: string;
}

/** Computes the hash of a `text` entry. Titles have one line, so the first line feed ends it. */
export function textHash({ title, description }: PetitionText): string {
  return hash('sha256', `${title}\n${description}`, 'base64url');
}
