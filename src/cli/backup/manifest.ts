import type { Entry } from './archive.ts';
import type { Sequence, Table } from './tables.ts';

/** The first file of an archive: what it is a backup of. */
export interface Manifest {
  format: 1;
  /** Of the software that wrote it. */
  version: string;
  createdAt: string;
  /** All that the database had. */
  migrations: string[];
  tables: Table[];
  sequences: Sequence[];
}

/** The last file of an archive. Without it, the archive ends early. */
export interface End {
  /** By name of the table. */
  rows: Record<string, number>;
  files: number;
}

/*
 * The names of the files in an archive, in their order: the manifest, secrets, the parts of each table, pictures,
 * tiles of the log, the end.
 */
export const manifestName = 'manifest.json';
export const endName = 'end.json';
export const secretName = (name: string): string => `secrets/${name}`;
export const partName = (table: string, part: number): string =>
  `tables/${table}/${String(part).padStart(6, '0')}`;
export const fileName = (key: string): string => `files/${key}`;

/** What a file of an archive is, by its name. */
export type Kind =
  | { kind: 'manifest' | 'end' }
  | { kind: 'secret'; name: string }
  | { kind: 'part'; table: string }
  | { kind: 'file'; key: string };

/** Returns undefined for a name that no backup has. */
export function kindOf(name: string): Kind | undefined {
  if (name === manifestName) return { kind: 'manifest' };
  if (name === endName) return { kind: 'end' };
  const [, folder, rest] = /^(secrets|tables|files)\/(.+)$/.exec(name) ?? [];
  if (!folder || !rest) return undefined;
  if (folder === 'secrets') return { kind: 'secret', name: rest };
  if (folder === 'files') return { kind: 'file', key: rest };
  return { kind: 'part', table: rest.slice(0, rest.lastIndexOf('/')) };
}

export const jsonBytes = (value: Manifest | End): Buffer => Buffer.from(JSON.stringify(value));

/** What a file of JSON says: the manifest or the end. */
export const parseJson = ({ bytes }: Entry): unknown => JSON.parse(bytes.toString());
