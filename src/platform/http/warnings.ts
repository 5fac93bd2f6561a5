import type { TSchema } from 'typebox';
import type { RequestWarning } from './schema.ts';
import { closestName } from './closest-name.ts';
import type { Route } from './route.ts';

/** More are not named. */
const maxWarnings = 20;
const maxFieldLength = 100;

/** Trackers add these to every link, whatever it leads to. */
const isTracking = (name: string): boolean => name === 'ref' || name.startsWith('utm_');

/** Returns which members of a body and parameters of a query were ignored, since nothing knows their names. */
export function warningsOf(
  route: Pick<Route, 'query' | 'body'>,
  request: { query: unknown; body: unknown },
): RequestWarning[] {
  const warnings: RequestWarning[] = [];
  const { properties: parameters = {} } = (route.query ?? {}) as Schema;
  for (const name in request.query as object) {
    if (!(name in parameters) && !isTracking(name)) {
      add(warnings, { in: 'query', path: '', name, known: Object.keys(parameters) });
    }
  }
  if (route.body?.schema) addUnknownMembers(warnings, route.body.schema, request.body, '');
  return warnings;
}

type Schema = TSchema & {
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  items?: Schema;
  anyOf?: Schema[];
};

function addUnknownMembers(
  warnings: RequestWarning[],
  schema: Schema,
  value: unknown,
  path: string,
): void {
  if (typeof value !== 'object' || value === null || warnings.length >= maxWarnings) return;
  if (schema.anyOf) {
    for (const one of schema.anyOf) addUnknownMembers(warnings, one, value, path);
    return;
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items) {
      for (const [n, item] of value.entries()) {
        addUnknownMembers(warnings, items, item, `${path}${n}.`);
      }
    }
    return;
  }
  const { properties } = schema;
  // Where no names are declared, or others are, every name has a meaning.
  if (!properties || schema.additionalProperties) return;
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known) addUnknownMembers(warnings, known, member, `${path}${name}.`);
    else add(warnings, { in: 'body', path, name, known: Object.keys(properties) });
  }
}

interface Unknown {
  in: RequestWarning['in'];
  path: string;
  name: string;
  /** Names that have a meaning in this place. */
  known: string[];
}

function add(warnings: RequestWarning[], { in: place, path, name, known }: Unknown): void {
  if (warnings.length >= maxWarnings) return;
  const closest = closestName(name, known);
  warnings.push({
    in: place,
    field: (path + name).slice(0, maxFieldLength),
    ...(closest !== undefined && { did_you_mean: path + closest }),
  });
}
