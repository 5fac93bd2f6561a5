// Entries of the log, as docs/verifying.md of the service defines them. An entry has one form of its bytes (RFC 8785), so
// one pattern for each type is both its schema and its parser.
import { FormatError } from './errors.js';

interface Common {
  /** The `log_id` of the petition. */
  petition: string;
}

export interface TextEntry extends Common {
  type: 'text';
  language: string;
  version: number;
  textHash: string;
}
export interface SignEntry extends Common {
  type: 'sign';
  version: number;
  commitment: string;
}
export interface UndoEntry extends Common {
  type: 'undo';
  leaf: number;
  cause: 'withdrawn' | 'removed' | 'invalidated';
}
export interface RestoreEntry extends Common {
  type: 'restore';
  leaf: number;
}
export interface ImportEntry extends Common {
  type: 'import';
  count: number;
}
export interface TotalEntry extends Common {
  type: 'total';
  counted: number;
  imported: number;
  through: number;
}
export type Entry = TextEntry | SignEntry | UndoEntry | RestoreEntry | ImportEntry | TotalEntry;

const number = String.raw`(0|[1-9]\d*)`;
const petition = '"petition":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"';
const hash = '([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])';
const end = (type: Entry['type']) => `"type":"${type}","v":1`;
const whole = (...members: string[]) => new RegExp(String.raw`^\{${members.join(',')}\}$`);

const patterns = {
  sign: whole(`"commitment":"${hash}"`, petition, end('sign'), `"version":${number}`),
  total: whole(
    `"counted":${number}`,
    `"imported":${number}`,
    petition,
    `"through":${number}`,
    end('total'),
  ),
  undo: whole(
    '"cause":"(withdrawn|removed|invalidated)"',
    `"leaf":${number}`,
    petition,
    end('undo'),
  ),
  restore: whole(`"leaf":${number}`, petition, end('restore')),
  text: whole(
    '"language":"([A-Za-z0-9]{1,8}(?:-[A-Za-z0-9]{1,8})*)"',
    petition,
    `"text_hash":"${hash}"`,
    end('text'),
    `"version":${number}`,
  ),
  import: whole(`"count":${number}`, petition, end('import')),
};

/**
 * Parses an entry.
 * @throws {FormatError} if it is none of version 1
 */
export function parseEntry(bytes: Buffer): Entry {
  // Entries are ASCII, and each byte is a character of Latin-1.
  const text = bytes.toString('latin1');
  let found;
  if ((found = patterns.sign.exec(text))) {
    const [, commitment, id, version] = found as string[] as Strings<4>;
    return { type: 'sign', petition: id, version: positive(version), commitment };
  }
  if ((found = patterns.total.exec(text))) {
    const [, counted, imported, id, through] = found as string[] as Strings<5>;
    return {
      type: 'total',
      petition: id,
      counted: integer(counted),
      imported: integer(imported),
      through: integer(through),
    };
  }
  if ((found = patterns.undo.exec(text))) {
    const [, cause, leaf, id] = found as string[] as Strings<4>;
    return { type: 'undo', petition: id, leaf: integer(leaf), cause: cause as UndoEntry['cause'] };
  }
  if ((found = patterns.restore.exec(text))) {
    const [, leaf, id] = found as string[] as Strings<3>;
    return { type: 'restore', petition: id, leaf: integer(leaf) };
  }
  if ((found = patterns.text.exec(text))) {
    const [, language, id, textHash, version] = found as string[] as Strings<5>;
    return { type: 'text', petition: id, language, version: positive(version), textHash };
  }
  if ((found = patterns.import.exec(text))) {
    const [, count, id] = found as string[] as Strings<3>;
    return { type: 'import', petition: id, count: integer(count) };
  }
  throw new FormatError('it is no entry of version 1');
}

/** The whole match and its groups. */
type Strings<N extends number, Found extends string[] = []> = Found['length'] extends N
  ? Found
  : Strings<N, [...Found, string]>;

function integer(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new FormatError(`the number ${text} is too large`);
  return value;
}

function positive(text: string): number {
  if (text === '0') throw new FormatError('versions begin with 1');
  return integer(text);
}
