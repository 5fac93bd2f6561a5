import { STATUS_CODES } from 'node:http';
import { generalCode, type ProblemCode } from './problem-codes.ts';

/** All problem types that callers can see, by the last segment of their type URI. */
export const problemKinds = {
  'invalid-request': {
    status: 400,
    about:
      'The request could not be understood: the body is not JSON, the URL is malformed, or a cursor was not issued by this service. Mend the request before sending it again.',
  },
  unauthorized: {
    status: 401,
    about:
      'Credentials are missing, wrong, expired or withdrawn. With code token_expired, get a new pair from POST /v1/auth/refresh.',
  },
  'payment-required': {
    status: 402,
    about: "The organization's tier does not allow this. A larger tier does.",
  },
  forbidden: {
    status: 403,
    about: 'You are known, but you may not do this. Sending the request again will not help.',
  },
  'not-found': {
    status: 404,
    about: 'Nothing is here, or nothing that you may see.',
  },
  'method-not-allowed': {
    status: 405,
    about: 'The path exists, but not with this method. The Allow header lists those that do.',
  },
  conflict: {
    status: 409,
    about:
      'The state of the resource does not allow this, or it has been done already. The code says which.',
  },
  gone: { status: 410, about: 'The link or token was valid once and is no longer.' },
  'precondition-failed': {
    status: 412,
    about:
      'What you change is no longer what If-Match names. Read it again, and apply your change to that.',
  },
  'payload-too-large': { status: 413, about: 'The body is larger than this endpoint takes.' },
  'unsupported-media-type': {
    status: 415,
    about: 'The body has a media type that this endpoint does not take. Most take JSON.',
  },
  'expectation-failed': {
    status: 417,
    about: 'The Expect header asks for something else than 100-continue. Leave it out.',
  },
  'upgrade-required': {
    status: 426,
    about: 'This is a WebSocket: connect with a client that speaks it.',
  },
  'validation-failed': {
    status: 422,
    about:
      'One or more values do not meet their constraints. Each item of errors names a field, a code and what is wanted.',
  },
  'rate-limited': {
    status: 429,
    about: 'Too many requests. Wait for the seconds that the Retry-After header gives.',
  },
  'request-header-fields-too-large': {
    status: 431,
    about: 'The header of the request is larger than 16 KiB, often by its cookies. Send less.',
  },
  'internal-error': {
    status: 500,
    about: 'A fault of the service. Quote the request_id when you report it.',
  },
  'not-implemented': { status: 501, about: 'This is not offered here. The code says what.' },
  unavailable: {
    status: 503,
    about: 'The service cannot answer at the moment. Try again shortly.',
  },
} as const satisfies Record<string, { status: number; about: string }>;

export type ProblemKind = keyof typeof problemKinds;

/** An error of one value of a request. */
export interface FieldError {
  /** Path with dots: decisionMakers.0.email. */
  field: string;
  message: string;
  code: FieldErrorCode;
  /** The limit that the value exceeds, for pages, which translate the message. Not part of the response. */
  limit?: { value: number; of?: 'character' | 'item' };
}

export const fieldErrorCodes = [
  'required',
  'invalid_type',
  'too_small',
  'too_big',
  'invalid_format',
  'invalid_value',
  'invalid_characters',
  'tag_limit_exceeded',
  'password_too_common',
] as const;
export type FieldErrorCode = (typeof fieldErrorCodes)[number];

interface ProblemOptions {
  code?: ProblemCode | undefined;
  /** Names the cause for the slice itself, such as a page or another format of failures. Not part of the answer. */
  localCode?: string | undefined;
  errors?: FieldError[];
  headers?: Record<string, string>;
  cause?: unknown;
}

/** An error that is sent to the caller as problem details (RFC 9457, formerly 7807). */
export class Problem extends Error {
  override name = 'Problem';
  readonly kind: ProblemKind;
  readonly status: number;
  readonly code: ProblemCode | undefined;
  readonly localCode: string | undefined;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(kind: ProblemKind, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause });
    this.kind = kind;
    this.status = problemKinds[kind].status;
    this.code = options.code;
    this.localCode = options.localCode;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
  }

  /** Returns the body of the response. */
  toBody(baseUrl: string, instance: string, requestId: string) {
    return {
      type: `${baseUrl}/errors/${this.kind}`,
      title: STATUS_CODES[this.status] ?? this.kind,
      status: this.status,
      detail: this.message,
      message: this.message,
      instance,
      request_id: requestId,
      code: this.code ?? generalCode(this.kind),
      ...(this.errors && {
        errors: this.errors.map(({ field, message, code }) => ({ field, message, code })),
      }),
    };
  }
}

export const notFound = (what: string) =>
  new Problem('not-found', `No such ${what}, or none that you may see.`);

export const forbidden = (detail: string, code?: ProblemCode) =>
  new Problem('forbidden', detail, code ? { code } : {});

export const unauthorized = (detail: string, code?: ProblemCode) =>
  new Problem('unauthorized', detail, {
    ...(code && { code }),
    headers: { 'www-authenticate': 'Bearer' },
  });

export const conflict = (code: ProblemCode, detail: string) =>
  new Problem('conflict', detail, { code });

/** For `catch`: what was refused is undefined; other errors are thrown. */
export function undefinedIfRefused(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error;
}

export const preconditionFailed = () =>
  new Problem(
    'precondition-failed',
    'This was changed since you read it. Read it again, and apply your change to that.',
  );

export const gone = (detail: string) => new Problem('gone', detail);

export const invalidRequest = (detail: string) => new Problem('invalid-request', detail);

export const unsupportedMediaType = (taken: readonly string[]) =>
  new Problem('unsupported-media-type', `Send the body as ${taken.join(' or ')}.`);

export const unavailable = (detail: string, cause?: unknown) =>
  new Problem('unavailable', detail, { headers: { 'retry-after': '1' }, cause });

export function rateLimited(
  retryAfterSeconds: number,
  what = 'Too many requests.',
  localCode?: string,
) {
  const seconds = Math.max(1, Math.ceil(retryAfterSeconds));
  return new Problem('rate-limited', `${what} Try again in ${seconds} seconds.`, {
    headers: { 'retry-after': String(seconds) },
    ...(localCode !== undefined && { localCode }),
  });
}

/** Codes of values that are codes of the whole problem, too. */
const specificCodes = ['tag_limit_exceeded', 'password_too_common'] as const;

export function validationFailed(...errors: FieldError[]) {
  const named = errors.map((error) => error.field || 'the body').join(', ');
  const specific = specificCodes.find((code) => errors.some((error) => error.code === code));
  return new Problem('validation-failed', `The request is not valid: see ${named}.`, {
    errors,
    ...(specific && { code: specific }),
  });
}

/** A problem for one value that is well formed but not acceptable. */
export const invalidValue = (field: string, message: string) =>
  validationFailed({ field, message, code: 'invalid_value' });
