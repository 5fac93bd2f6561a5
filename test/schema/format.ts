interface Entry {
  /** Of a constraint or trigger with the table in front. */
  name: string;
  type: string;
  /** Without empty lines around it. */
  sql: string;
}

/** A table or view with everything that belongs to it, or a function. */
interface Group {
  comment: string | undefined;
  entries: Entry[];
}

/** Order of what belongs to a table. */
const partTypes = [
  'TABLE',
  'VIEW',
  'SEQUENCE',
  'CONSTRAINT',
  'CHECK CONSTRAINT',
  'INDEX',
  'FK CONSTRAINT',
  'TRIGGER',
];

/**
 * Makes the output of pg_dump readable: tables with their comments, indexes, constraints and triggers, then functions.
 * Leaves out what differs between machines and versions.
 * @throws {Error} if it has an object of an unknown type
 */
export function formatSchema(dump: string): string {
  const entries = parseEntries(dump.replaceAll(/\bpublic\.(?=["\w])/g, ''));
  const comments = new Map<string, string>();
  const tables = new Map<string, Group>();
  const functions = new Map<string, Group>();
  for (const { type, sql } of entries) {
    if (type !== 'COMMENT') continue;
    const [, kind, name, text] = /^COMMENT ON (\w+) ([\w."]+)[^']* IS '(.*)';$/s.exec(sql) ?? [];
    if (name === undefined) throw new Error(`No comment as expected: ${sql}`);
    comments.set(`${kind} ${name.replaceAll('"', '')}`, text!.replaceAll("''", "'"));
  }
  for (const entry of entries) {
    if (entry.type === 'TABLE' || entry.type === 'VIEW') {
      const comment = comments.get(`${entry.type} ${entry.name}`);
      const sql = withColumnComments(entry, comments);
      tables.set(entry.name, { comment, entries: [{ ...entry, sql }] });
    } else if (entry.type === 'FUNCTION') {
      const comment = comments.get(`FUNCTION ${entry.name.replace(/\(.*/, '')}`);
      functions.set(entry.name, { comment, entries: [entry] });
    }
  }
  for (const entry of entries) {
    if (['TABLE', 'VIEW', 'FUNCTION', 'COMMENT', 'SCHEMA'].includes(entry.type)) continue;
    const table = tables.get(tableOf(entry));
    if (!table || !partTypes.includes(entry.type)) {
      throw new Error(`${entry.type} ${entry.name} has no place in the schema file.`);
    }
    table.entries.push({ ...entry, sql: entry.sql.replaceAll(/\s+/g, ' ') });
  }
  return [...tables.values(), ...functions.values()].map(formatGroup).join('\n');
}

/** Splits the output at the headers of its objects. Drops the settings and comments in front of them. */
function parseEntries(dump: string): Entry[] {
  const header = /^--\n-- Name: (.*); Type: (.*); Schema: .*\n--\n/gm;
  // After each header come its two groups, then the statements.
  const [, ...parts] = dump.split(header);
  const entries: Entry[] = [];
  for (let at = 0; at < parts.length; at += 3) {
    const [name, type, text] = parts.slice(at, at + 3) as [string, string, string];
    const sql = text
      .replaceAll(/^SET \w+ = .*;$/gm, '')
      .replace(/^--\n-- PostgreSQL database dump complete[^]*/m, '')
      .replaceAll(/\n{2,}/g, '\n')
      .trim();
    entries.push({ name, type, sql });
  }
  return entries;
}

function tableOf({ name, type, sql }: Entry): string {
  if (type === 'INDEX') return / ON (?:ONLY )?(\w+) USING /.exec(sql)?.[1] ?? '';
  if (type === 'SEQUENCE') return /^ALTER TABLE (\w+) /.exec(sql)?.[1] ?? '';
  return name.split(' ')[0]!;
}

function withColumnComments({ name, sql }: Entry, comments: Map<string, string>): string {
  const lines = sql.split('\n').flatMap((line) => {
    const [, column] = /^ {4}"?(\w+)"? /.exec(line) ?? [];
    const comment = comments.get(`COLUMN ${name}.${column}`);
    return comment === undefined ? [line] : [commentLines(comment, '    '), line];
  });
  return lines.join('\n');
}

function formatGroup({ comment, entries }: Group): string {
  const ordered = entries.toSorted((a, b) => partTypes.indexOf(a.type) - partTypes.indexOf(b.type));
  const parts = ordered.map(({ sql }) => `${sql}\n`);
  return [comment && `${commentLines(comment, '')}\n`, ...parts].filter(Boolean).join('');
}

const maxColumns = 120;

/** The text as SQL comments. */
function commentLines(text: string, indent: string): string {
  const lines = [`${indent}--`];
  for (const word of text.split(/\s+/)) {
    if (`${lines.at(-1)} ${word}`.length > maxColumns) lines.push(`${indent}--`);
    lines.push(`${lines.pop()} ${word}`);
  }
  return lines.join('\n');
}
