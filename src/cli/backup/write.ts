import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { storedPictures, storedUploads } from '../../campaigns/media/media.ts';
import { secretFiles, type SecretFile } from '../../config.ts';
import type { Blobs, StoredFile } from '../../platform/blobs.ts';
import type { Db } from '../../platform/db.ts';
import { version } from '../../platform/version.ts';
import {
  readPublishedTree,
  storedLogFiles,
  type PublishedTree,
} from '../../reach/transparency-log/transparency-log.ts';
import type { Progress } from '../command.ts';
import type { ArchiveWriter } from './archive.ts';
import { withClient } from './connection.ts';
import { endName, fileName, jsonBytes, manifestName, partName, secretName } from './manifest.ts';
import {
  copyOut,
  inSnapshot,
  listSequences,
  listTables,
  readMigrations,
  sqlOn,
  type Table,
} from './tables.ts';

/** What a backup is made of. */
export interface Source {
  /** Not through a pooler. */
  databaseUrl: string;
  db: Db;
  blobs: Blobs;
  dataDir: string;
  /** Those that the service uses, by the names of their files. */
  secrets: Record<SecretFile, string>;
}

/** What a backup holds. */
export interface Summary {
  tables: number;
  rows: number;
  files: number;
  /** Those of the public log, which are not among `files`. */
  logFiles: number;
  /** Files that the database names and that are not there. */
  missingFiles: number;
}

/** Writes the database as it is at one moment, the secrets that are files, the pictures, and the published log. */
export async function writeBackup(
  source: Source,
  archive: ArchiveWriter,
  progress: Progress,
): Promise<Summary> {
  const { rows, uploads, log } = await writeDatabase(source, archive, progress);
  const pictures = await writeFiles(readFiles(storedPictures(source.db), source.blobs), {
    archive,
    show: (count) => progress.show(`${count} pictures`),
  });
  const ofLog = await writeFiles(log ? storedLogFiles(source.blobs, log) : [], {
    archive,
    show: (count) => progress.show(`${count} files of the log`),
  });
  const files = uploads.files + pictures.files;
  const missingFiles = uploads.missingFiles + pictures.missingFiles + ofLog.missingFiles;
  await archive.add(endName, jsonBytes({ rows, files: files + ofLog.files }));
  const counts = Object.values(rows);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return { tables: counts.length, rows: total, files, logFiles: ofLog.files, missingFiles };
}

type FileCounts = Pick<Summary, 'files' | 'missingFiles'>;

/** Writes all but the pictures and the log. Returns the number of rows of each table, and what was published. */
function writeDatabase(
  source: Source,
  archive: ArchiveWriter,
  progress: Progress,
): Promise<{
  rows: Record<string, number>;
  uploads: FileCounts;
  log: PublishedTree | undefined;
}> {
  return withClient(source.databaseUrl, 'backup', (client) =>
    inSnapshot(client, async () => {
      const tables = await listTables(client);
      const manifest = {
        format: 1 as const,
        version,
        createdAt: new Date().toISOString(),
        migrations: await readMigrations(client),
        tables,
        sequences: await listSequences(client),
      };
      await archive.add(manifestName, jsonBytes(manifest));
      await writeSecrets(source, archive);
      // At once, since they are gone once they are processed.
      const uploads = await writeFiles(readFiles(storedUploads(source.db), source.blobs), {
        archive,
        show: (count) => progress.show(`${count} uploads`),
      });
      const rows: Record<string, number> = {};
      for (const table of tables) {
        let part = 0;
        rows[table.name] = await copyOut(client, table, async (bytes) => {
          part += 1;
          progress.show(`${table.name}, part ${part}`);
          await archive.add(partName(table.name, part), bytes);
        });
      }
      return { rows, uploads, log: await publishedTreeOf(client, tables) };
    }),
  );
}

/** Those of DATA_DIR that are in use. What a setting holds, its operator keeps. */
async function writeSecrets({ dataDir, secrets }: Source, archive: ArchiveWriter): Promise<void> {
  for (const name of secretFiles) {
    const path = join(dataDir, name);
    if (!existsSync(path)) continue;
    const bytes = await readFile(path);
    if (bytes.toString().trim() === secrets[name]) await archive.add(secretName(name), bytes);
  }
}

/** Returns undefined if there is no log, or no table of it before an upgrade. */
async function publishedTreeOf(
  client: ClientBase,
  tables: readonly Table[],
): Promise<PublishedTree | undefined> {
  const hasTable = tables.some(({ name }) => name === 'transparency_log');
  return hasTable ? readPublishedTree(sqlOn(client)) : undefined;
}

/** Files never change, so it does no harm that they are read later than the database. */
async function* readFiles(keys: AsyncIterable<string>, blobs: Blobs): AsyncGenerator<StoredFile> {
  for await (const key of keys) {
    const found = await blobs.get(key);
    yield { key, content: found && (await found.bytes()) };
  }
}

async function writeFiles(
  stored: AsyncIterable<StoredFile> | Iterable<StoredFile>,
  { archive, show }: { archive: ArchiveWriter; show: (count: number) => void },
): Promise<FileCounts> {
  let files = 0;
  let missingFiles = 0;
  for await (const { key, content } of stored) {
    if (!content) {
      missingFiles += 1;
      continue;
    }
    await archive.add(fileName(key), content);
    files += 1;
    show(files);
  }
  return { files, missingFiles };
}
