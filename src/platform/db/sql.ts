/** A row. Callers give its type as the type parameter of the statement. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Row = Record<string, any>;

/** The rows of a result, with the number of rows returned or changed. */
export type Rows<T extends readonly unknown[] = Row[]> = T & { count: number };

/** Text and parameters of a statement. */
export interface Statement {
  text: string;
  parameters: unknown[];
  /** Whether it is sent by the simple protocol: several statements are allowed, parameters are not. */
  isSimple?: boolean;
}

export type Execute = (statement: Statement) => Promise<Rows>;

type Scalar = string | number | bigint | boolean | Date | Uint8Array | null;

/** A value in a template. */
export type SqlValue = Scalar | readonly SqlValue[] | SqlPart;

/** A part of a statement that writes itself. */
export abstract class SqlPart {
  abstract write(writer: StatementWriter): void;
}

type Template = [texts: TemplateStringsArray, ...values: readonly SqlValue[]];

/** The template tag, and constructors of values that are neither scalars nor lists. */
export interface Sql {
  /** A statement that runs when it is awaited, or a part inside another template. */
  <T extends readonly (object | undefined)[] = Row[]>(
    texts: TemplateStringsArray,
    ...values: readonly SqlValue[]
  ): Query<T>;
  /** Quoted names of columns or tables; a dot separates the parts of a qualified name. */
  (names: string | readonly string[]): SqlPart;
  /** After `insert into t`: columns and values. After `set`: assignments. */
  (rows: object | readonly object[]): SqlPart;
  /** A parameter of type jsonb. */
  json(value: unknown): SqlPart;
  /** Runs a statement; the first row, if any. */
  first<T extends object = Row>(...template: Template): Promise<T | undefined>;
  /** Runs a statement that always returns a row. */
  one<T extends object = Row>(...template: Template): Promise<T>;
  /** Runs a statement; the first column of the first row, undefined without a row. */
  value<T>(...template: Template): Promise<T>;
  /** Runs a statement; the first column of each row. */
  column<T>(...template: Template): Promise<T[]>;
  /** Runs a statement; the number of rows that it returned or changed. */
  affected(...template: Template): Promise<number>;
  /** Runs an insert, update or delete; whether it changed a row. */
  changed(...template: Template): Promise<boolean>;
  /** Runs a select; whether it returned a row. */
  exists(...template: Template): Promise<boolean>;
  /** SQL text, which is not escaped. On its own it may hold several statements. */
  unsafe<T extends readonly (object | undefined)[] = Row[]>(text: string): Query<T>;
}

/** A statement that runs when it is first awaited, and only once. */
export class Query<T extends readonly unknown[] = Row[]>
  extends SqlPart
  implements Promise<Rows<T>>
{
  readonly #execute: Execute;
  readonly #write: (writer: StatementWriter) => void;
  readonly #isSimple: boolean;
  #result: Promise<Rows<T>> | undefined;

  constructor(execute: Execute, write: (writer: StatementWriter) => void, isSimple = false) {
    super();
    this.#execute = execute;
    this.#write = write;
    this.#isSimple = isSimple;
  }

  override write(writer: StatementWriter): void {
    this.#write(writer);
  }

  /** The text and parameters for PostgreSQL. */
  statement(): Statement {
    const writer = new StatementWriter();
    this.#write(writer);
    return { text: writer.text, parameters: writer.parameters, isSimple: this.#isSimple };
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise that begins when it is first waited for
  then<A = Rows<T>, B = never>(
    onFulfilled?: ((rows: Rows<T>) => A | PromiseLike<A>) | null,
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#run().then(onFulfilled, onRejected);
  }

  catch<B = never>(
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<Rows<T> | B> {
    return this.#run().catch(onRejected);
  }

  finally(onSettled?: (() => void) | null): Promise<Rows<T>> {
    return this.#run().finally(onSettled);
  }

  get [Symbol.toStringTag](): string {
    return 'Query';
  }

  #run(): Promise<Rows<T>> {
    this.#result ??= this.#start();
    return this.#result;
  }

  async #start(): Promise<Rows<T>> {
    return (await this.#execute(this.statement())) as unknown as Rows<T>;
  }
}

/** Creates the template tag. Its statements run by `execute`. */
export function createSql(execute: Execute): Sql {
  const sql = (first: unknown, ...values: readonly SqlValue[]) => {
    if (isTemplate(first)) {
      return new Query(execute, (writer) => writeTemplate(writer, first, values));
    }
    if (typeof first === 'string') return new Identifiers([first]);
    const list = Array.isArray(first) ? (first as unknown[]) : [first];
    if (list.every((one) => typeof one === 'string')) return new Identifiers(list);
    return new RowInput(list as Record<string, SqlValue>[]);
  };
  const rows = (...[texts, ...values]: Template): Promise<Rows> =>
    execute(new Query(execute, (writer) => writeTemplate(writer, texts, values)).statement());
  const first = async (...template: Template) => (await rows(...template))[0];
  const hasRows = async (...template: Template) => (await rows(...template)).count > 0;
  return Object.assign(sql, {
    first,
    one: async (...template: Template) => {
      const row = await first(...template);
      if (!row) throw new Error(`no row was returned by: ${template[0].join('?').trim()}`);
      return row;
    },
    value: async (...template: Template) => {
      const row = await first(...template);
      return row && firstColumn(row);
    },
    column: async (...template: Template) => (await rows(...template)).map(firstColumn),
    affected: async (...template: Template) => (await rows(...template)).count,
    changed: hasRows,
    exists: hasRows,
    json: (value: unknown) => new Json(value),
    unsafe: (text: string) => new Query(execute, (writer) => writer.append(text), true),
  }) as Sql;
}

const firstColumn = (row: Row): unknown => {
  for (const name in row) return row[name];
  return undefined;
};

const isTemplate = (value: unknown): value is TemplateStringsArray =>
  Array.isArray(value) && 'raw' in value;

/** Builds the text and parameters of one statement. */
export class StatementWriter {
  text = '';
  readonly parameters: unknown[] = [];

  append(text: string): void {
    this.text += text;
  }

  /** @throws {TypeError} if the value is undefined */
  add(value: SqlValue): void {
    if (value instanceof SqlPart) value.write(this);
    else if (isListOfParts(value)) {
      value.forEach((part, index) => {
        if (index > 0) this.append(' ');
        part.write(this);
      });
    } else this.parameter(value, castOf(value));
  }

  /** Adds a parameter. `cast` gives its type if PostgreSQL would infer another one. */
  parameter(value: unknown, cast: string): void {
    if (value === undefined) throw new TypeError(`A parameter is undefined, after: ${this.text}`);
    this.parameters.push(value);
    this.append(`$${this.parameters.length}${cast}`);
  }
}

const isListOfParts = (value: SqlValue): value is readonly SqlPart[] =>
  Array.isArray(value) && value.length > 0 && value[0] instanceof SqlPart;

/** The cast for a value of a known type. PostgreSQL infers the type of others. */
function castOf(value: unknown): string {
  if (value instanceof Date) return '::timestamptz';
  if (value instanceof Uint8Array) return '::bytea';
  if (typeof value === 'boolean') return '::boolean';
  if (typeof value === 'bigint') return '::bigint';
  if (!Array.isArray(value)) return '';
  const first = castOf(value.find((one) => one !== null));
  return first && `${first}[]`;
}

function writeTemplate(
  writer: StatementWriter,
  texts: TemplateStringsArray,
  values: readonly SqlValue[],
): void {
  texts.forEach((text, index) => {
    writer.append(text);
    if (index < values.length) writer.add(values[index]!);
  });
}

class Json extends SqlPart {
  readonly #value: unknown;

  constructor(value: unknown) {
    super();
    this.#value = value;
  }

  override write(writer: StatementWriter): void {
    writer.parameter(JSON.stringify(this.#value), '::jsonb');
  }
}

class Identifiers extends SqlPart {
  readonly #names: readonly string[];

  constructor(names: readonly string[]) {
    super();
    this.#names = names;
  }

  override write(writer: StatementWriter): void {
    writer.append(this.#names.map(quoteIdentifier).join(', '));
  }
}

/** Quotes a name for SQL; a dot separates the parts of a qualified name. */
export const quoteIdentifier = (name: string): string =>
  name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.');

/** Rows of an insert, or assignments of an update. */
class RowInput extends SqlPart {
  readonly #rows: readonly Record<string, SqlValue>[];

  constructor(rows: readonly Record<string, SqlValue>[]) {
    super();
    this.#rows = rows;
  }

  override write(writer: StatementWriter): void {
    const columns = Object.keys(this.#rows[0]!);
    if (/\bset\s+$/i.test(writer.text)) {
      columns.forEach((column, index) => {
        writer.append(`${index > 0 ? ', ' : ''}${quoteIdentifier(column)} = `);
        writer.add(this.#rows[0]![column]!);
      });
      return;
    }
    writer.append(`(${columns.map(quoteIdentifier).join(', ')}) values `);
    this.#rows.forEach((row, index) => {
      writer.append(index > 0 ? ', (' : '(');
      columns.forEach((column, at) => {
        if (at > 0) writer.append(', ');
        writer.add(row[column]!);
      });
      writer.append(')');
    });
  }
}
