import { LRUCache } from 'lru-cache';
import { Type, type TObject, type TSchema } from 'typebox';
import { closestName } from './closest-name.ts';
import { schemaName } from './schema.ts';

/** Annotation of a query parameter that selects fields: their names, as paths with dots. */
export const fieldsKeyword = 'x-fields';

/** What is nested deeper is selected as a whole. */
const maxDepth = 3;
const maxNames = 50;

/** Adds the parameter `fields` to a query, for answers with this schema of `data` or its items. */
export function withFields(query: TObject | undefined, schema: TSchema): TObject {
  const fields = Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: `Up to ${maxNames} fields of \`data\` or its items, separated by commas; with dots inside objects, also of lists: \`id,category.name\`. The answer then has these alone, although others are required.`,
      [fieldsKeyword]: [...new Set(namesIn(schema))],
    }),
  );
  return Type.Object({ ...query?.properties, fields });
}

/** Whether a query has the parameter. */
export const selectsFields = (query: TObject | undefined): boolean =>
  query?.properties.fields !== undefined && fieldsKeyword in query.properties.fields;

type Schema = TSchema & {
  $ref?: string;
  [schemaName]?: string;
  properties?: Record<string, Schema>;
  patternProperties?: unknown;
  additionalProperties?: unknown;
  items?: Schema;
  anyOf?: Schema[];
};

/** The names of fields; `a.*` for those inside of an object whose members have no declared names. */
function* namesIn(
  schema: Schema,
  { prefix = '', depth = 0, around = {} }: Place = {},
): Generator<string> {
  const name = schema[schemaName];
  const within = name === undefined ? around : { ...around, [name]: schema };
  const { $ref: reference, anyOf, items } = schema;
  // Such as the replies to a comment, which are comments.
  const others = [items, reference && within[reference.split('/').at(-1)!], ...(anyOf ?? [])];
  for (const other of others) {
    if (other) yield* namesIn(other, { prefix, depth, around: within });
  }
  if (schema.patternProperties || schema.additionalProperties) yield `${prefix}*`;
  for (const [member, inner] of Object.entries(schema.properties ?? {})) {
    yield prefix + member;
    if (depth === maxDepth) continue;
    yield* namesIn(inner, { prefix: `${prefix}${member}.`, depth: depth + 1, around: within });
  }
}

interface Place {
  prefix?: string;
  depth?: number;
  /** Schemas with a name that this one is in. */
  around?: Record<string, Schema>;
}

const split = (fields: string): string[] => fields.split(',').map((name) => name.trim());

/** Why a parameter selects no fields; undefined if it does. `known` are the names that there are. */
export function fieldsProblem(fields: string, known: readonly string[]): string | undefined {
  const names = split(fields);
  if (names.length > maxNames) return `These must be at most ${maxNames} names.`;
  const unknown = names.find((name) => !known.includes(name) && !isInOpenObject(name, known));
  if (unknown === undefined) return undefined;
  const closest = closestName(unknown, known);
  const hint = closest === undefined ? '' : ` Did you mean ${closest}?`;
  return `There is no field "${unknown.slice(0, 100)}".${hint}`;
}

const isInOpenObject = (name: string, known: readonly string[]): boolean =>
  known.some(
    (one) => one.endsWith('*') && name.startsWith(one.slice(0, -1)) && name !== one.slice(0, -2),
  );

/** Selected fields, and of each those inside; null: all. */
type Selection = Map<string, Selection | null>;

const selections = new LRUCache<string, Selection>({ max: 1000 });

/** Returns a value, or each of a list, with the selected fields alone. */
export function pickFields(value: unknown, fields: string): unknown {
  let selection = selections.get(fields);
  if (!selection) selections.set(fields, (selection = parse(fields)));
  return pick(value, selection);
}

function parse(fields: string): Selection {
  const selection: Selection = new Map();
  for (const name of split(fields)) {
    const path = name.split('.');
    const last = path.pop()!;
    let inner: Selection | null = selection;
    for (const part of path) {
      if (!inner.has(part)) inner.set(part, new Map());
      inner = inner.get(part)!;
      // Selected as a whole.
      if (inner === null) break;
    }
    inner?.set(last, null);
  }
  return selection;
}

function pick(value: unknown, selection: Selection): unknown {
  if (Array.isArray(value)) return value.map((item) => pick(item, selection));
  if (typeof value !== 'object' || value === null) return value;
  const picked: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const inner = selection.get(name);
    if (inner !== undefined) picked[name] = inner === null ? member : pick(member, inner);
  }
  return picked;
}
