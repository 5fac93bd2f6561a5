import type { TObject } from 'typebox';
import { fieldsKeyword } from './fields.ts';
import { refer, type Json } from './openapi-schemas.ts';

/** Returns a parameter for each member of the schema. */
export function parametersOf(
  schema: TObject | undefined,
  where: 'path' | 'query' | 'header',
  schemas: Json,
): Json[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, [fieldsKeyword]: _, ...rest } = refer(property, schemas) as Json;
    return {
      name,
      in: where,
      required: where === 'path' || (schema!.required ?? []).includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}
