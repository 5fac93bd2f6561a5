import { basename, extname } from 'node:path';
import { parseArgs } from 'node:util';
import { importPetitions, type ImportTally } from '../campaigns/petitions/import.ts';
import type { Context } from '../platform/context.ts';
import { CommandError, progressOn, runCommand, withContext, type Progress } from './command.ts';
import { readCsv } from './csv.ts';

const help = `Imports petitions from a CSV file, with their dates and their numbers of signatures.

  npm run import -- FILE.csv [options]

The first line names the columns:
  id, title, created_at  are needed; times are ISO 8601, UTC where no zone is named
  description            without this column a text is composed, see --description-note
  signature_count        0 where it is missing
  signature_goal         none where it is missing
  status                 open or active: can be signed; closed, reviewed (which got an official
                         response) or missing: closed
Rows that cannot be petitions here are left out, each with its line and the reason. What was
imported before stays as it is: running again adds only what is new. The service may be running.

  --source NAME            where the petitions come from; default: the file's name without its
                           ending. An id is imported once from each source
  --description-note TEXT  for a file without descriptions: what follows the title in the composed
                           one. {id} and {source} stand for the petition's. Default: its number and
                           source; for sources named uk-petitions… also the attribution that the
                           Open Parliament Licence asks for
  --id-pattern REGEX       what ids look like. Default: as at least nine in ten of the first 500
                           rows (digits, or one length of hexadecimal), else anything without spaces
  --help                   shows this

Settings are the service's environment variables, such as DATABASE_URL or DATA_DIR.
`;

export interface ImportSettings {
  file: string;
  source: string;
  descriptionNote: string | undefined;
  idPattern: RegExp | undefined;
}

async function main(args: string[]): Promise<void> {
  const settings = readArguments(args);
  if (settings === 'help') {
    process.stdout.write(help);
    return;
  }
  // Reports errors of the file before it starts a database.
  const rows = readCsv({ path: settings.file });
  await rows.next();
  await rows.return(undefined);
  const print = (line: string) => process.stdout.write(`${line}\n`);
  await withContext((ctx) => importFile(ctx, settings, print, progressOn(process.stderr)));
}

/** @throws {CommandError} if the arguments are invalid */
export function readArguments(args: string[]): ImportSettings | 'help' {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      source: { type: 'string' },
      'description-note': { type: 'string' },
      'id-pattern': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return 'help';
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) {
    throw new CommandError(
      'One CSV file is needed: npm run import -- FILE.csv (--help tells more)',
    );
  }
  const source = (values.source ?? basename(file, extname(file))).trim();
  if (!source) throw new CommandError('--source needs a name.');
  return {
    file,
    source,
    descriptionNote: values['description-note'],
    idPattern: idPatternFrom(values['id-pattern']),
  };
}

function idPatternFrom(text: string | undefined): RegExp | undefined {
  try {
    return text === undefined ? undefined : new RegExp(`^(?:${text})$`, 'u');
  } catch (error) {
    throw new CommandError(`--id-pattern: ${(error as Error).message}`);
  }
}

/** Imports one file. Prints which rows were left out and why, and the result. */
export async function importFile(
  ctx: Context,
  { file, source, descriptionNote, idPattern }: ImportSettings,
  print: (line: string) => void,
  progress: Progress,
): Promise<ImportTally> {
  const startedAt = performance.now();
  const reasons = new Map<string, number>();
  const rows = readCsv({
    path: file,
    onHeader: (columns) => {
      if (descriptionNote !== undefined && columns.includes('description')) {
        throw new CommandError('--description-note is for files without a column description.');
      }
    },
  });
  const note = descriptionNote ?? defaultNote(source);
  let imported = 0;
  const importing = importPetitions(ctx, rows, {
    source,
    describe: (id, title) =>
      `${title}\n\n${note.replaceAll('{id}', () => id).replaceAll('{source}', () => source)}`,
    idFormat: idPattern && { pattern: idPattern, words: 'of the form of --id-pattern' },
    onRejectedRow({ line, externalId, reason, detail }) {
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      progress.clear();
      print(`line ${line}: left out: ${detail} (id: ${shortened(externalId)})`);
    },
    onProgress(tallySoFar) {
      imported = tallySoFar.imported;
      progress.show(`${source}: ${countsOf(tallySoFar)}`);
    },
  });
  const tally = await importing.catch((error: unknown) => {
    progress.clear();
    if (imported > 0) print(`${source}: stopped early, ${imported} imported before that`);
    throw error;
  });
  progress.clear();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  print(`${source}: ${countsOf(tally)}, in ${seconds} s`);
  for (const [reason, count] of [...reasons].toSorted((a, b) => b[1] - a[1])) {
    print(`  ${count} left out: ${reason}`);
  }
  return tally;
}

const countsOf = ({ imported, alreadyThere, leftOut }: ImportTally) =>
  `${imported} imported, ${alreadyThere} already there, ${leftOut} left out`;

const shortened = (id: string) => JSON.stringify(id.length > 60 ? `${id.slice(0, 60)}…` : id);

/** The note of origin, with the attribution that the licence of the source requires. */
function defaultNote(source: string): string {
  return source.startsWith('uk-petitions')
    ? "This is petition {id} of the UK Parliament's petitions site. Contains Parliamentary information licensed under the Open Parliament Licence v3.0."
    : 'This is petition {id} of {source}. Its source gives no text besides the title.';
}

if (import.meta.main) await runCommand(main);
