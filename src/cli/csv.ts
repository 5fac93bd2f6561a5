import { parse, type Info } from 'csv-parse';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import type { SourceRow } from '../campaigns/petitions/import-rows.ts';
import { CommandError } from './command.ts';

/** Required columns, by header name in lower case. */
const required = ['id', 'title', 'created_at'];

interface CsvOptions {
  path: string;
  /** Called with the columns before the first row. */
  onHeader?: (columns: string[]) => void;
}

/**
 * Reads a CSV file with a header row by row: UTF-8, RFC 4180, line breaks of any kind. Keeps quotes that have no
 * meaning where they are.
 * @throws {CommandError} if the file cannot be read, or lacks a required column
 */
export async function* readCsv({ path, onHeader }: CsvOptions): AsyncGenerator<SourceRow> {
  await using file = await openFile(path);
  let columns: string[] | undefined;
  let quoteError: string | undefined;
  const parser = parse({
    columns: (header) => (columns = checkedHeader(path, header, onHeader)),
    info: true,
    raw: true,
    // Reports rows of another length instead of ending the import.
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    // With relaxed quotes and lengths, the only error left is a quote that is open at the end of the file.
    skip_records_with_error: true,
    on_skip: (error) => void (quoteError = error?.message),
    max_record_size: 0,
  });
  // The loop below throws the errors of all parts of the pipeline.
  pipeline(
    file.createReadStream(),
    (chunks) => decode(path, chunks),
    parser,
    () => {},
  );
  // csv-parse counts a CRLF within quotes twice, so lines are counted here.
  let line = 2;
  for await (const { record, raw, info } of parser as AsyncIterable<Parsed>) {
    const leadingBreaks = countLineBreaks(/^[\r\n]*/.exec(raw)![0]);
    yield {
      line: line + leadingBreaks,
      values: record,
      ...(info.error && {
        malformed: `it does not have the ${columns!.length} columns of the header`,
      }),
    };
    line += countLineBreaks(raw);
  }
  if (!columns) throw new CommandError(`${path} is empty.`);
  if (quoteError) {
    const malformed = 'a quote is opened and never closed: the file could not be read from here on';
    yield { line, values: {}, malformed };
  }
}

interface Parsed {
  record: Record<string, string>;
  raw: string;
  info: Info & { error?: Error };
}

const countLineBreaks = (text: string) => text.match(/\r\n?|\n/g)?.length ?? 0;

async function openFile(path: string) {
  try {
    const file = await open(path);
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(code === 'ENOENT' ? `There is no file ${path}.` : message);
  }
  throw new CommandError(`${path} is not a file.`);
}

/** Decodes UTF-8 and drops a byte order mark. @throws {CommandError} on invalid bytes, instead of replacing them */
async function* decode(path: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandError(
      `${path} is not in UTF-8. Convert it, for example: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW`,
    );
  }
}

function checkedHeader(path: string, header: string[], onHeader: CsvOptions['onHeader']): string[] {
  const columns = header.map((name) => name.trim().toLowerCase());
  const missing = required.filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    throw new CommandError(
      `${path} lacks the column${missing.length > 1 ? 's' : ''} ${missing.join(', ')}. ` +
        `Its first line has: ${columns.join(', ').slice(0, 200)}`,
    );
  }
  const duplicate = columns.find((name, index) => columns.indexOf(name) !== index);
  if (duplicate) throw new CommandError(`${path} has the column ${duplicate} twice.`);
  onHeader?.(columns);
  return columns;
}
