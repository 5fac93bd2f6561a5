import type { Quota } from '../../platform/limits.ts';
import type { Context } from '../../platform/context.ts';
import type { Call, Caller, StreamedAnswer } from '../../platform/http/route.ts';
import { parseDateTime } from '../../platform/http/times.ts';
import { forbidden } from '../../platform/problems.ts';
import { canExportSignatures } from '../../campaigns/petitions/policy.ts';
import { exportPetitions as listPetitions } from '../../campaigns/petitions/export.ts';
import { requireReadablePetition, type PetitionRow } from '../../campaigns/petitions/read.ts';
import { readSignatures } from './reading.ts';
import type { Format, PetitionExportQuery, SignatureExportQuery } from './schema.ts';
import {
  petitionsAsCsv,
  petitionsAsJson,
  signaturesAsCsv,
  signaturesAsJson,
  type ExportItem,
  type ReadSignatures,
} from './writing.ts';

const petitionExportQuota: Quota = { name: 'petition-export', points: 10, durationSeconds: 60 };
const signatureExportQuota: Quota = { name: 'signature-export', points: 10, durationSeconds: 60 };

type Header = Call['header'];

const csvType = 'text/csv; charset=utf-8; header=present';

/**
 * Exports a page of the petitions that the caller sees in lists. Signatures are included only for the
 * caller's own petitions that do not hide their signers from everybody.
 */
export async function exportPetitions(
  ctx: Context,
  caller: Caller,
  query: PetitionExportQuery,
  header: Header,
): Promise<StreamedAnswer> {
  const { format = 'json', includeSignatures = false, limit = 100, ...filter } = query;
  if (includeSignatures) requireSignatureScope(caller);
  await ctx.limits.take(petitionExportQuota, caller.userId, limitMessage);
  const { petitions, nextCursor } = await listPetitions(ctx, caller, filter, limit);
  const exported = withSignatures(ctx, petitions, includeSignatures);
  if (format === 'json') return { chunks: petitionsAsJson(exported), nextCursor };
  nameFile(header, 'petitions', format);
  return { chunks: petitionsAsCsv(exported, includeSignatures), mediaType: csvType, nextCursor };
}

async function* withSignatures(
  ctx: Context,
  petitions: Awaited<ReturnType<typeof listPetitions>>['petitions'],
  isRequested: boolean,
): AsyncGenerator<ExportItem> {
  for await (const { petition, isOwn: own } of petitions) {
    const isReadable = own && petition.signature_privacy !== 'count_only';
    const signatures: ReadSignatures | null = isReadable
      ? (write) => readSignatures(ctx, petition.id, write)
      : null;
    yield { petition, signatures: isRequested ? signatures : undefined };
  }
}

/** Exports all signatures of a petition, for those who act for it. */
export async function exportSignatures(
  ctx: Context,
  caller: Caller,
  ref: string,
  query: SignatureExportQuery,
  header: Header,
): Promise<StreamedAnswer> {
  const { format = 'json', after } = query;
  const filter = {
    from: startOf(query),
    until: query.until === undefined ? undefined : parseDateTime('until', query.until),
    after: after?.toLowerCase(),
  };
  const petition = await requireReadablePetition(ctx, caller, ref, query.access_code);
  await requireExporter(ctx, caller, petition);
  await ctx.limits.take(signatureExportQuota, caller.userId, limitMessage);
  const read: ReadSignatures = (write) => readSignatures(ctx, petition.id, write, filter);
  nameFile(header, `signatures-${petition.slug}`, format);
  if (format === 'json') return { chunks: signaturesAsJson(read), nextCursor: null };
  return { chunks: signaturesAsCsv(read), mediaType: csvType, nextCursor: null };
}

/** The time from which signatures are exported. Times of signatures have milliseconds. */
function startOf({ from, signed_after: after }: SignatureExportQuery): Date | undefined {
  const starts = [
    ...(from === undefined ? [] : [parseDateTime('from', from).getTime()]),
    ...(after === undefined ? [] : [parseDateTime('signed_after', after).getTime() + 1]),
  ];
  return starts.length > 0 ? new Date(Math.max(...starts)) : undefined;
}

/** @throws {Problem} forbidden if the caller cannot export the petition's signatures */
async function requireExporter(ctx: Context, caller: Caller, petition: PetitionRow): Promise<void> {
  if (await canExportSignatures(ctx, petition, caller)) return;
  if (petition.signature_privacy === 'count_only') {
    throw forbidden('Nobody can read who signed this petition.');
  }
  throw forbidden(
    'Only the creator of the petition, admins of its organization and administrators may export who signed.',
  );
}

/** @throws {Problem} forbidden if an OAuth grant lacks the scope read:signatures */
function requireSignatureScope({ credential }: Caller): void {
  if (credential.kind !== 'oauth' || credential.scopes.includes('read:signatures')) return;
  throw forbidden('includeSignatures needs the scope read:signatures.', 'insufficient_scope');
}

const limitMessage = 'Too many exports.';

function nameFile(header: Header, name: string, format: Format): void {
  header('content-disposition', `attachment; filename="${name}.${format}"`);
}
