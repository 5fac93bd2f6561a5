import { schemaName } from './schema.ts';

export type Json = Record<string, unknown>;

/** Returns the schema with every named schema inside it moved to components and referred to. */
export function refer(schema: unknown, schemas: Json): unknown {
  if (Array.isArray(schema)) return schema.map((one) => refer(one, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { [schemaName]: name, ...rest } = schema as Json;
  const plain = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key,
      // A format of our own: its description says that it is an http or https address.
      key === 'format' && value === 'web-url' ? 'uri' : refer(value, schemas),
    ]),
  );
  if (typeof name !== 'string') return plain;
  schemas[name] = plain;
  return { $ref: `#/components/schemas/${name}` };
}
