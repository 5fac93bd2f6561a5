import { Type, type Static, type TSchema } from 'typebox';
import { fieldErrorCodes } from '../problems.ts';
import type { TextLines } from './text.ts';

/** Names a schema: the description contains it once, under components, and refers to it. */
export function named<T extends TSchema>(name: string, schema: T): T {
  return { ...schema, [schemaName]: name };
}
export const schemaName = 'x-schema-name';

/** One of these texts. */
export const oneOf = <const T extends readonly string[]>(values: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, ...options });

/** The schema, or null. */
export function nullable<T extends TSchema>(schema: T) {
  const { type, enum: values } = schema as { type?: string; enum?: unknown[] };
  if (typeof type === 'string' && !(schemaName in schema)) {
    const orNull = values && { enum: [...values, null] };
    return Type.Unsafe<Static<T> | null>({ ...schema, ...orNull, type: [type, 'null'] });
  }
  return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] });
}

interface TextOptions {
  minLength?: number;
  maxLength: number;
  description?: string;
  pattern?: string;
  /** One by default. */
  lines?: TextLines;
}

/**
 * Text that people write and others read. Stored in the composed form of Unicode (NFC), by which its length is counted,
 * without space around it; refused if nothing of it can be seen, or with characters that control the terminal or the
 * direction of other text.
 */
export const VisibleText = ({ lines = 'one', ...options }: TextOptions) =>
  Type.String({ ...options, [textKeyword]: lines });
export const textKeyword = 'x-text';

/** A text in Markdown as HTML. */
export const RenderedText = Type.String({
  description: 'The text, which is Markdown, as safe HTML.',
});

/** Longest text that says what a picture shows, in characters. */
export const maxImageAltLength = 300;

/** What a picture shows, in words. */
export const ImageAlt = VisibleText({
  maxLength: maxImageAltLength,
  description: 'What the picture shows, for people who do not see it',
});

/** Annotation of a text that opens something to whoever has it. Answers with it are not compressed. */
export const secretKeyword = 'x-secret';

/** Annotation of the last parameter of a path: its value may have slashes, encoded or not. */
export const slashesKeyword = 'x-may-have-slashes';

export const Uuid = Type.String({ format: 'uuid' });
/** A parameter that names a record. */
export const idOf = (record: string) =>
  Type.String({ format: 'uuid', description: `Id of ${record}.` });
export const Timestamp = Type.Unsafe<Date | string>({ type: 'string', format: 'date-time' });
export const WebUrl = Type.String({
  format: 'web-url',
  maxLength: 2000,
  description: 'An http or https address',
});
/** Annotation of an address whose domain is stored in ASCII. */
export const addressKeyword = 'x-ascii-domain';
/** An address as it was typed: its domain may be in Unicode. */
export const TypedEmail = Type.String({ format: 'email', maxLength: 254 });
/** An address with its domain in ASCII, after validation: in Unicode it is taken as well. */
export const Email = Type.String({ ...TypedEmail, [addressKeyword]: true });

export const RequestWarning = named(
  'RequestWarning',
  Type.Object(
    {
      in: oneOf(['body', 'query']),
      field: Type.String({ description: 'Path with dots: decisionMakers.0.mail' }),
      did_you_mean: Type.Optional(Type.String({ description: 'The closest known name' })),
    },
    { description: 'Something in the request that has no meaning here, and was ignored.' },
  ),
);
export type RequestWarning = Static<typeof RequestWarning>;

export const Meta = named(
  'Meta',
  Type.Object({
    request_id: Type.String({ description: 'Quote it when you report a problem.' }),
    timestamp: Timestamp,
    warnings: Type.Optional(
      Type.Array(RequestWarning, {
        maxItems: 20,
        description: 'Only where something in the request was ignored.',
      }),
    ),
  }),
);

export const Pagination = named(
  'Pagination',
  Type.Object({
    next_cursor: nullable(Type.String({ description: 'Pass it as `cursor` for the next page.' })),
    has_more: Type.Boolean(),
  }),
);

export const ProblemBody = named(
  'Problem',
  Type.Object(
    {
      type: Type.String({ format: 'uri', description: 'A page that explains this kind.' }),
      title: Type.String(),
      status: Type.Integer(),
      detail: Type.String({ deprecated: true, description: 'Same as message.' }),
      message: Type.String(),
      instance: Type.String({ description: 'Path of the request.' }),
      request_id: Type.String(),
      code: Type.String({ description: 'Names the cause: `/errors` lists all.' }),
      errors: Type.Optional(
        Type.Array(
          Type.Object({
            field: Type.String({ description: 'Path with dots: decisionMakers.0.email' }),
            message: Type.String(),
            code: oneOf(fieldErrorCodes),
          }),
        ),
      ),
    },
    { description: 'RFC 9457 problem details.' },
  ),
);

/** Query parameters of every list. */
export const pageQuery = {
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 20,
      description: 'Items of a page, at most.',
    }),
  ),
};
export const defaultLimit = 20;

/** Query parameters of lists of what has `created_at`. */
export const createdQuery = {
  created_after: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only what was created after that time.' }),
  ),
  created_before: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only what was created before that time.' }),
  ),
};

/** One or more of these texts, separated by commas. */
export const someOf = (values: readonly string[], description = '') =>
  Type.String({
    pattern: `^(${values.join('|')})(,(${values.join('|')}))*$`,
    maxLength: 200,
    description: `${description} One or more of ${values.join(', ')}, separated by commas.`.trim(),
  });
