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

/** A body of any type that the handler reads itself while it arrives. Goes with `takes: ['*\/*']`. */
export const StreamBody = Type.Unsafe<Readable>({ contentMediaType: 'application/octet-stream' });

interface KeptFile {
  path: string;
  type: string;
  sha256: string;
  /** There was more of it than may be, which is not kept. */
  isCutOff: boolean;
}

/**
 * A file that came in a form. It is there until the request is answered. One that is too large fails where it
 * is used, so that whoever declared the form can say so beside it.
 */
export class FormFile {
  /** Media type that the form declares, in small letters. */
  readonly type: string;
  readonly sha256: string;
  readonly #path: string;
  readonly #isCutOff: boolean;

  constructor({ path, type, sha256, isCutOff }: KeptFile) {
    this.#path = path;
    this.type = type;
    this.sha256 = sha256;
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

/** A member of a form that is a file. Goes with `takes: ['multipart/form-data']`. */
export const FileMember = Type.Unsafe<FormFile>({
  [fileKeyword]: true,
  contentMediaType: 'application/octet-stream',
});

const specialTypes = ['*/*', 'multipart/form-data'] as const;

/** How the route's body is read, where it is not as JSON or a form of texts. */
export const specialBody = ({ takes }: Route) => specialTypes.find((type) => takes?.includes(type));

/** Lets the routes of this scope take such bodies, and no others. */
export async function acceptSpecial(scope: FastifyInstance, route: Route): Promise<void> {
  scope.removeAllContentTypeParsers();
  if (specialBody(route) === '*/*') {
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    return;
  }
  scope.addContentTypeParser('*', (_request, _payload, done) => {
    done(unsupportedMediaType(route.takes!));
  });
  await scope.register(multipart, { throwFileSizeLimit: false });
  scope.addHook('preValidation', async (request) => {
    if (request.isMultipart()) request.body = await readForm(request, route.largestFile!);
  });
}

/** More of each than any form of ours has. */
const formLimits = { fields: 10, files: 1, parts: 11, fieldSize: 10_000, headerPairs: 20 };

/**
 * Reads a form. Its file waits on disk, since a slow one would keep memory for long, and is removed when
 * the request is answered. Of a member that is sent twice, the last counts.
 * @throws {Problem} payload-too-large where a text is, or invalid-request where the form is broken
 */
async function readForm(
  request: FastifyRequest,
  fileSize: number,
): Promise<Record<string, unknown>> {
  const form: Record<string, unknown> = {};
  try {
    for await (const part of request.parts({ limits: { ...formLimits, fileSize } })) {
      form[part.fieldname] =
        part.type === 'file' ? await keepFile(request, part.file, part.mimetype) : part.value;
    }
  } catch (error) {
    if (error instanceof Problem || (error as { statusCode?: number }).statusCode === 413) {
      throw error;
    }
    throw invalidRequest('The form could not be read.');
  }
  return form;
}

async function keepFile(
  request: FastifyRequest,
  file: Readable & { truncated?: boolean },
  type: string,
): Promise<FormFile> {
  const path = join(tmpdir(), `petitions-form-${randomUUID()}`);
  (request.tmpUploads ??= []).push(path);
  const digest = createHash('sha256');
  const look = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(file, look, createWriteStream(path, { mode: 0o600 }));
  return new FormFile({
    path,
    type: type.toLowerCase(),
    sha256: digest.digest('hex'),
    isCutOff: file.truncated === true,
  });
}
