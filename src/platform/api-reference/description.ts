import { slugify } from '../slug.ts';

/** The parts of JSON Schema that descriptions of routes use. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  deprecated?: boolean;
  enum?: (string | number | null)[];
  const?: unknown;
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  contentMediaType?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  /** How many lines a text may have, and whether it is Markdown. */
  'x-text'?: string;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
}

export interface MediaType {
  schema?: Schema;
  example?: unknown;
}

export interface Response {
  /** Of a shared response. */
  $ref?: string;
  description?: string;
  content?: Record<string, MediaType>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: [string];
  deprecated?: boolean;
  'x-access': string;
  'x-api-key-scope'?: string;
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, Response>;
}

export interface SecurityScheme {
  description?: string;
  flows?: Record<string, { scopes: Record<string, string> }>;
}

/** The description that `describeApi` builds. */
export interface Description {
  info: { title: string; description: string };
  servers: [{ url: string }];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: Record<string, SecurityScheme>;
    schemas: Record<string, Schema>;
    responses: Record<string, Response>;
  };
}

/** An operation with its address. */
export interface Endpoint extends Operation {
  method: string;
  path: string;
}

/** The operations of a tag, which are a page. */
export interface Group {
  name: string;
  /** Last segment of the page's path. */
  slug: string;
  /** What the operations are for. */
  description: string | undefined;
  endpoints: Endpoint[];
}

/** Returns the operations by tag, in the order of the description. */
export function groupsOf({ tags, paths }: Description): Group[] {
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Endpoint => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
  const byTag = Map.groupBy(endpoints, (one) => one.tags[0]);
  return tags.map(({ name, description }) => ({
    name,
    description,
    slug: slugify(name, 'other'),
    endpoints: byTag.get(name) ?? [],
  }));
}

/** The last segment of a reference: the name of the schema or response. */
export const nameOf = (reference: string): string => reference.split('/').at(-1)!;

/** The types of a schema other than null. */
export const typesOf = ({ type }: Schema): string[] =>
  [type ?? []].flat().filter((one) => one !== 'null');

/** Names of all schemas that these refer to, directly or through others. */
export function referredSchemas(
  roots: readonly unknown[],
  schemas: Record<string, Schema>,
): Set<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key !== '$ref' || typeof inner !== 'string') visit(inner);
      else if (inner.startsWith(schemaPrefix) && !names.has(nameOf(inner))) {
        names.add(nameOf(inner));
        visit(schemas[nameOf(inner)]);
      }
    }
  };
  visit(roots);
  return names;
}

const schemaPrefix = '#/components/schemas/';
