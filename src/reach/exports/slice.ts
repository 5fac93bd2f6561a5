import { streamed, routes } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { PetitionRef } from '../../campaigns/petitions/schema.ts';
import { exportPetitions, exportSignatures } from './exports.ts';
import {
  ExportedPetition,
  ExportedSignature,
  PetitionExportQuery,
  SignatureExportQuery,
} from './schema.ts';

const api = routes('Petitions');
const signaturesApi = routes('Signatures');

export const exportsSlice = (): Slice => ({
  routes: [
    api.get('/v1/petitions/export', {
      id: 'exportPetitions',
      summary: 'Export petitions that everybody can see, or your own',
      description:
        'As JSON or CSV (RFC 4180, UTF-8; texts that a spreadsheet would take for a formula begin with an apostrophe), newest first. With your own creatorId: all of yours; with status=draft: your drafts. The next page is in the Link header too. With includeSignatures your own petitions have `signatures`, of others and of count_only ones it is null; in CSV a row for each signature follows its petition, with the columns signature_…, and of the petition id and slug only. 10 of these a minute.',
      auth: { access: 'user', scope: 'read:petitions' },
      query: PetitionExportQuery,
      returns: streamed(ExportedPetition, 'text/csv'),
      handle: ({ ctx, caller, query, header }) => exportPetitions(ctx, caller, query, header),
    }),
    signaturesApi.get('/v1/petitions/{id}/signatures/export', {
      id: 'exportSignatures',
      summary: 'Export who signed',
      description:
        'All signatures of a petition in one answer, oldest first, as JSON or CSV (RFC 4180, UTF-8; texts that a spreadsheet would take for a formula begin with an apostrophe). For its creator, the owner and admins of its organization, and administrators; of a count_only petition for no one. Anonymous signatures have no signer. If the transfer is interrupted, continue with after=<the last id that you have completely>. 10 of these a minute.',
      auth: { access: 'owner', scope: 'read:signatures' },
      params: PetitionRef,
      query: SignatureExportQuery,
      returns: streamed(ExportedSignature, 'text/csv'),
      problems: ['forbidden', 'not-found'],
      handle: ({ ctx, caller, params, query, header }) =>
        exportSignatures(ctx, caller, params.id, query, header),
    }),
  ],
});
