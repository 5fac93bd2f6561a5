import { parse, type Info } from 'csv-parse';
import { open, type FileHandle } from 'node:fs/promises';
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
 * Reads a CSV file with a header row by row: RFC 4180, with line breaks of any kind, in UTF-8, or in UTF-16 with a byte
 * order mark. Semicolons or tabs may stand for commas, as spreadsheets of many countries write them. Keeps quotes that have
 * no meaning where they are.
 * @throws {CommandError} if the file cannot be read, or lacks a required column
 */
export async function* readCsv({ path, onHeader }: CsvOptions): AsyncGenerator<SourceRow> {
  await using file = await openFile(path);
  const { encoding, delimiter } = await formatOf(file);
  let columns: string[] | undefined;
  let quoteError: string | undefined;
  const parser = parse({
    delimiter,
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
    file.createReadStream({ start: 0 }),
    (chunks) => decode(path, encoding, chunks),
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

/** What of a file decides how it is read. */
const headBytes = 65_536;

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Returns the encoding by the byte order mark, and the delimiter that the header has most often outside of quotes. */
async function formatOf(file: FileHandle): Promise<{ encoding: Encoding; delimiter: string }> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  const head = buffer.subarray(0, bytesRead);
  const mark = head.toString('latin1', 0, 2);
  const encoding = mark === '\xff\xfe' ? 'utf-16le' : mark === '\xfe\xff' ? 'utf-16be' : 'utf-8';
  const [header = ''] = new TextDecoder(encoding).decode(head).split(/[\r\n]/, 1);
  const names = header.replaceAll(/"[^"]*"/g, '');
  const countOf = (one: string) => names.split(one).length;
  const delimiter = [',', ';', '\t'].reduce((a, b) => (countOf(b) > countOf(a) ? b : a));
  return { encoding, delimiter };
}

/** Decodes a text and drops a byte order mark. @throws {CommandError} on invalid bytes, instead of replacing them */
async function* decode(
  path: string,
  encoding: Encoding,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandError(
      `${path} is not in ${encoding.toUpperCase()}. Convert it, for example: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW`,
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
