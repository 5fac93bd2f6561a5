import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Type } from 'typebox';
import { invalidRequest, Problem, unsupportedMediaType } from '../problems.ts';
import type { Route } from './route.ts';

/** A body of any type that the handler reads as a stream. For routes with `types: ['*\/*']`. */
export const StreamBody = Type.Unsafe<Readable>({ contentMediaType: 'application/octet-stream' });

interface StoredFile {
  path: string;
  type: string;
  sha256: string;
  size: number;
  /** The file was larger than allowed; the rest of it is not stored. */
  isCutOff: boolean;
}

/**
 * A file that was sent in a form, stored until the request is answered. If it is too large, `bytes` fails, so that the
 * form can show the error beside its field.
 */
export class FormFile {
  /** Media type that the form declares, in lower case. */
  readonly type: string;
  readonly sha256: string;
  /** In bytes; browsers send an empty file where none was chosen. */
  readonly size: number;
  readonly #path: string;
  readonly #isCutOff: boolean;

  constructor({ path, type, sha256, size, isCutOff }: StoredFile) {
    this.#path = path;
    this.type = type;
    this.sha256 = sha256;
    this.size = size;
    this.#isCutOff = isCutOff;
  }

  /** @throws {Problem} payload-too-large */
  async bytes(): Promise<Buffer> {
    if (this.#isCutOff) throw new Problem('payload-too-large', 'The file is too large.');
    return readFile(this.#path);
  }
}

/** Annotation of a member that must be a file. */
export const fileKeyword = 'x-file';

/** A file of a form. For routes with `types: ['multipart/form-data']`. */
export const FileMember = Type.Unsafe<FormFile>({
  [fileKeyword]: true,
  contentMediaType: 'application/octet-stream',
});

const streamedTypes = ['*/*', 'multipart/form-data'] as const;

/** The type of a body that is read as a stream: neither JSON nor a URL-encoded form. */
export const streamedBodyType = ({ body }: Route) =>
  streamedTypes.find((type) => body?.types?.includes(type));

/** Makes this scope accept such bodies and no others. */
export async function acceptStreamedBody(scope: FastifyInstance, route: Route): Promise<void> {
  scope.removeAllContentTypeParsers();
  if (streamedBodyType(route) === '*/*') {
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    return;
  }
  scope.addContentTypeParser('*', (_request, _payload, done) => {
    done(unsupportedMediaType(route.body!.types!));
  });
  await scope.register(multipart, { throwFileSizeLimit: false });
  scope.addHook('preValidation', async (request) => {
    if (request.isMultipart()) request.body = await readForm(request, route);
  });
}

/** Every form of the service stays below these limits. */
const formLimits = { fields: 60, files: 1, parts: 61, fieldSize: 10_000, headerPairs: 20 };

/**
 * Reads a form. Its file is stored on disk, since a slow upload would hold memory for long, and removed when the
 * request is answered. If a member is sent twice, the last counts; of a form of a page, both do.
 * @throws {Problem} payload-too-large for a text, invalid-request for a malformed form
 */
async function readForm(
  request: FastifyRequest,
  { page: keepsAll, body }: Route,
): Promise<Record<string, unknown>> {
  const form: Record<string, unknown> = {};
  const limits = { ...formLimits, fileSize: body!.maxFileBytes! };
  try {
    for await (const part of request.parts({ limits })) {
      const value =
        part.type === 'file' ? await storeFile(request, part.file, part.mimetype) : part.value;
      const { fieldname: name } = part;
      form[name] = keepsAll && name in form ? [form[name], value].flat() : value;
    }
  } catch (error) {
    if (error instanceof Problem || (error as { statusCode?: number }).statusCode === 413) {
      throw error;
    }
    throw invalidRequest('The form could not be read.');
  }
  return form;
}

async function storeFile(
  request: FastifyRequest,
  file: Readable & { truncated?: boolean },
  type: string,
): Promise<FormFile> {
  const path = join(tmpdir(), `petitions-form-${randomUUID()}`);
  (request.tmpUploads ??= []).push(path);
  const digest = createHash('sha256');
  let size = 0;
  const hasher = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(file, hasher, createWriteStream(path, { mode: 0o600 }));
  return new FormFile({
    path,
    type: type.toLowerCase(),
    sha256: digest.digest('hex'),
    size,
    isCutOff: file.truncated === true,
  });
}
