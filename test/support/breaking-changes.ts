type Json = Record<string, unknown>;

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

type Content = Record<string, { schema?: Schema }>;

interface Operation {
  operationId: string;
  security: Json[];
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { headers?: Json; content?: Content }>;
}

interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/**
 * Names what clients of the old description cannot rely on any more: operations, parameters and members that were
 * removed or became required, types and values that are not accepted any more, and answers that are not the same.
 * Values that are added to answers do not count, since clients must ignore what they do not know.
 */
export function breakingChanges(old: object, now: object): string[] {
  return new Comparison(old as Description, now as Description).changes();
}

/** Whether clients send the value or get it: what may be added to one may be removed from the other. */
type Direction = 'request' | 'answer';

interface Pair<T> {
  old: T;
  now: T;
}

class Comparison {
  readonly #old: Description;
  readonly #now: Description;
  #found: string[] = [];
  /** Pairs of named schemas that are being compared: a comment has replies, which are comments. */
  readonly #open = new Set<string>();

  constructor(old: Description, now: Description) {
    this.#old = old;
    this.#now = now;
  }

  changes(): string[] {
    for (const [path, methods] of Object.entries(this.#old.paths)) {
      for (const [method, old] of Object.entries(methods)) {
        const now = this.#now.paths[path]?.[method];
        const name = `${method.toUpperCase()} ${path}`;
        if (now) this.#compareOperations({ old, now }, name);
        else this.#found.push(`${name}: removed`);
      }
    }
    return [...new Set(this.#found)];
  }

  #compareOperations({ old, now }: Pair<Operation>, name: string): void {
    const isOpen = ({ security }: Operation) =>
      security.length === 0 || security.some((one) => Object.keys(one).length === 0);
    if (isOpen(old) && !isOpen(now)) this.#found.push(`${name}: needs credentials`);
    this.#compareParameters({ old, now }, name);
    this.#compareBodies({ old: old.requestBody, now: now.requestBody }, `${name}: body`);
    for (const [status, answer] of Object.entries(old.responses)) {
      if (Number(status) >= 400) continue;
      const answerNow = now.responses[status];
      if (!answerNow) {
        this.#found.push(`${name}: ${status} is not answered any more`);
        continue;
      }
      for (const header of Object.keys(answer.headers ?? {})) {
        if (!answerNow.headers?.[header])
          this.#found.push(`${name}: ${status}: header ${header} removed`);
      }
      const contents = { old: answer.content ?? {}, now: answerNow.content ?? {} };
      this.#compareContents(contents, `${name}: ${status}`, 'answer');
    }
  }

  #compareParameters({ old, now }: Pair<Operation>, name: string): void {
    const byName = ({ parameters = [] }: Operation) =>
      new Map(parameters.map((one) => [`${one.in} parameter ${one.name}`, one]));
    const [before, after] = [byName(old), byName(now)];
    for (const [key, { schema = {} }] of before) {
      const parameter = after.get(key);
      if (!parameter) this.#found.push(`${name}: ${key} removed`);
      else
        this.#compare({ old: schema, now: parameter.schema ?? {} }, `${name}: ${key}`, 'request');
    }
    for (const [key, { required }] of after) {
      if (required && !before.get(key)?.required)
        this.#found.push(`${name}: ${key} became required`);
    }
  }

  #compareBodies({ old, now }: Pair<Operation['requestBody'] | undefined>, where: string): void {
    if (now?.required && !old?.required) this.#found.push(`${where} became required`);
    if (!old) return;
    if (now) this.#compareContents({ old: old.content, now: now.content }, where, 'request');
    else this.#found.push(`${where} removed`);
  }

  #compareContents({ old, now }: Pair<Content>, where: string, direction: Direction): void {
    for (const [type, { schema }] of Object.entries(old)) {
      const typeNow = now[type] ?? now['*/*'];
      if (!typeNow) this.#found.push(`${where}: ${type} removed`);
      else if (schema) this.#compare({ old: schema, now: typeNow.schema ?? {} }, where, direction);
    }
  }

  #compare(pair: Pair<Schema>, where: string, direction: Direction): void {
    const key = `${direction} ${pair.old.$ref} ${pair.now.$ref}`;
    if (pair.old.$ref || pair.now.$ref) {
      if (this.#open.has(key)) return;
      this.#open.add(key);
    }
    const old = alternativesOf(pair.old, this.#old);
    const now = alternativesOf(pair.now, this.#now);
    // What is given must be among what is taken.
    const [given, taken] = direction === 'request' ? [old, now] : [now, old];
    if (old.length === 1 && now.length === 1) {
      this.#compareOne({ old: old[0]!, now: now[0]! }, where, direction);
    } else {
      for (const one of given) {
        const fits = (other: Schema) => {
          const each =
            direction === 'request' ? { old: one, now: other } : { old: other, now: one };
          return this.#tryOut(() => this.#compareOne(each, where, direction));
        };
        if (!taken.some(fits)) {
          const what = direction === 'request' ? 'is not taken any more' : 'is answered as well';
          this.#found.push(`${where}: ${shortNameOf(one)} ${what}`);
        }
      }
    }
    this.#open.delete(key);
  }

  /** Whether a comparison finds nothing. Forgets what it finds. */
  #tryOut(compare: () => void): boolean {
    const found = this.#found;
    this.#found = [];
    compare();
    const isEmpty = this.#found.length === 0;
    this.#found = found;
    return isEmpty;
  }

  /** Compares schemas without alternatives. */
  #compareOne({ old, now }: Pair<Schema>, where: string, direction: Direction): void {
    const [given, taken] = direction === 'request' ? [old, now] : [now, old];
    if (!isType(typeOf(given), typeOf(taken))) {
      this.#found.push(`${where}: ${typeOf(old)} became ${typeOf(now)}`);
      return;
    }
    if (direction === 'request') this.#compareValues({ old, now }, where);
    if (old.items) {
      this.#compare({ old: old.items, now: now.items ?? {} }, `${where}[]`, direction);
    }
    for (const [name, member] of Object.entries(old.properties ?? {})) {
      const memberNow = now.properties?.[name];
      const path = `${where}.${name}`;
      if (!memberNow) this.#found.push(`${path} removed`);
      else this.#compare({ old: member, now: memberNow }, path, direction);
    }
    const names = (schema: Schema) => new Set(schema.required);
    for (const name of names(taken).difference(names(given))) {
      if (direction === 'request') this.#found.push(`${where}.${name} became required`);
      else if (now.properties?.[name]) this.#found.push(`${where}.${name} became optional`);
    }
  }

  /** Finds values that requests may not have any more. */
  #compareValues({ old, now }: Pair<Schema>, where: string): void {
    const values = valuesOf(now);
    if (!values) return;
    const before = valuesOf(old);
    if (!before) this.#found.push(`${where}: any value became one of ${values.join(', ')}`);
    for (const value of before ?? []) {
      if (!values.includes(value)) this.#found.push(`${where}: value ${String(value)} removed`);
    }
  }
}

const valuesOf = (schema: Schema) => ('const' in schema ? [schema.const] : schema.enum);

const anyValue = 'any value';

/** The type of a schema without alternatives. */
const typeOf = ({ type }: Schema) => (type as string | undefined) ?? anyValue;

const isType = (given: string, taken: string) =>
  [given, anyValue].includes(taken) || (given === 'integer' && taken === 'number');

const shortNameOf = (schema: Schema) =>
  schema.properties ? `{${Object.keys(schema.properties).join(', ')}}` : typeOf(schema);

/** The schemas of which a value must match one: each has one type at most, and is no reference. */
function alternativesOf(schema: Schema, description: Description): Schema[] {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1)!;
    return alternativesOf(description.components.schemas[name]!, description);
  }
  if (schema.anyOf) return schema.anyOf.flatMap((one) => alternativesOf(one, description));
  if (!Array.isArray(schema.type)) return [schema];
  return schema.type.map((type) => {
    const { enum: values, ...rest } = schema;
    if (type === 'null') return { type };
    return { ...rest, type, ...(values && { enum: values.filter((one) => one !== null) }) };
  });
}
