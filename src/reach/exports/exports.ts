import type { Context } from '../../platform/context.ts';
import type { Call, Caller, StreamedAnswer } from '../../platform/http/route.ts';
import { momentOf } from '../../platform/http/validation.ts';
import { forbidden } from '../../platform/problems.ts';
import { canExportSignatures } from '../../campaigns/petitions/policy.ts';
import { exportPetitions as readPetitions } from '../../campaigns/petitions/export.ts';
import { readablePetition, type PetitionRow } from '../../campaigns/petitions/read.ts';
import { readSignatures } from './reading.ts';
import type { Format, PetitionExportQuery, SignatureExportQuery } from './schema.ts';
import {
  petitionsAsCsv,
  petitionsAsJson,
  signaturesAsCsv,
  signaturesAsJson,
  type PetitionToWrite,
  type ReadSignatures,
} from './writing.ts';

type Header = Call['header'];

const csvType = 'text/csv; charset=utf-8; header=present';

/**
 * A page of the petitions that the caller sees in lists. With signatures: those of the caller's own
 * petitions, but for petitions whose signatures nobody may read.
 */
export async function exportPetitions(
  ctx: Context,
  caller: Caller,
  query: PetitionExportQuery,
  header: Header,
): Promise<StreamedAnswer> {
  const { format = 'json', includeSignatures = false, limit = 100, ...filter } = query;
  if (includeSignatures) requireSignatureScope(caller);
  await ctx.limits.take('petition-export', caller.userId, tooMany);
  const { petitions, nextCursor } = await readPetitions(ctx, caller, filter, limit);
  if (nextCursor) header('link', `<${nextPage(ctx, query, nextCursor)}>; rel="next"`);
  const toWrite = withSignatures(ctx, petitions, includeSignatures);
  if (format === 'json') return { pieces: petitionsAsJson(toWrite), nextCursor };
  asFile(header, 'petitions', format);
  return { pieces: petitionsAsCsv(toWrite, includeSignatures), mediaType: csvType, nextCursor };
}

async function* withSignatures(
  ctx: Context,
  petitions: Awaited<ReturnType<typeof readPetitions>>['petitions'],
  wanted: boolean,
): AsyncGenerator<PetitionToWrite> {
  for await (const { petition, own } of petitions) {
    const open = own && petition.signature_privacy !== 'count_only';
    const signatures: ReadSignatures | null = open
      ? (write) => readSignatures(ctx, petition.id, write)
      : null;
    yield { petition, signatures: wanted ? signatures : undefined };
  }
}

/** All signatures of a petition, for those who act for it. */
export async function exportSignatures(
  ctx: Context,
  caller: Caller,
  ref: string,
  query: SignatureExportQuery,
  header: Header,
): Promise<StreamedAnswer> {
  const { format = 'json', after } = query;
  const wanted = {
    from: query.from === undefined ? undefined : momentOf('from', query.from),
    until: query.until === undefined ? undefined : momentOf('until', query.until),
    after: after?.toLowerCase(),
  };
  const petition = await readablePetition(ctx, caller, ref, query.access_code);
  await requireExporter(ctx, caller, petition);
  await ctx.limits.take('signature-export', caller.userId, tooMany);
  const read: ReadSignatures = (write) => readSignatures(ctx, petition.id, write, wanted);
  asFile(header, `signatures-${petition.slug}`, format);
  if (format === 'json') return { pieces: signaturesAsJson(read), nextCursor: null };
  return { pieces: signaturesAsCsv(read), mediaType: csvType, nextCursor: null };
}

/** @throws {Problem} forbidden for all but those who may take the list away with them */
async function requireExporter(ctx: Context, caller: Caller, petition: PetitionRow): Promise<void> {
  if (await canExportSignatures(ctx, petition, caller)) return;
  if (petition.signature_privacy === 'count_only') {
    throw forbidden('Nobody can read who signed this petition.');
  }
  throw forbidden(
    'Only the creator of the petition, admins of its organization and administrators may export who signed.',
  );
}

/** @throws {Problem} forbidden where an OAuth grant is of petitions alone */
function requireSignatureScope({ credential }: Caller): void {
  if (credential.kind !== 'oauth' || credential.scopes.includes('read:signatures')) return;
  throw forbidden('includeSignatures needs the scope read:signatures.', 'insufficient_scope');
}

const tooMany = 'Too many exports.';

function asFile(header: Header, name: string, format: Format): void {
  header('content-disposition', `attachment; filename="${name}.${format}"`);
}

function nextPage({ config }: Context, query: PetitionExportQuery, cursor: string): string {
  const parameters = Object.entries({ ...query, cursor }).map(
    ([name, value]) => [name, String(value)] as [string, string],
  );
  return `${config.baseUrl}/v1/petitions/export?${new URLSearchParams(parameters).toString()}`;
}
