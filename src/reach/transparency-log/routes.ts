import { Type } from 'typebox';
import { AccessCodeQuery, PetitionRef } from '../../campaigns/petitions/schema.ts';
import {
  many,
  one,
  Pending,
  rawWhenReady,
  routes,
  type Call,
  type Route,
} from '../../platform/http/route.ts';
import { pageQuery } from '../../platform/http/schema.ts';
import type { LogFiles } from './log-files.ts';
import { listPetitionEntries, showLeaf, showLog, showPetitionLog } from './log-reads.ts';
import { readOwnReceipt } from './own-receipts.ts';
import {
  IndexedEntry,
  LeafRef,
  LogLeaf,
  PendingReceipt,
  PetitionLog,
  PublicLog,
} from './schema.ts';

const api = routes('Public log');

/** A batch is added each second, and published within another. Moderators take longer. */
const retrySeconds = { waiting: 2, held: 3600 };

const requestOf = ({
  caller,
  params,
  query,
}: Pick<Call<{ id: string }, { access_code?: string }>, 'caller' | 'params' | 'query'>) => ({
  caller,
  ref: params.id,
  code: query.access_code,
});

export const logRoutes = (files: LogFiles | undefined): Route[] => [
  api.get('/v1/log', {
    id: 'getLog',
    summary: 'The public log of what is counted',
    description:
      'Every counted signature is an entry of an append-only log in the formats of C2SP. Its checkpoint, tiles and bundles of entries are below `/log/`; docs/verifying.md of the project defines the entries. 404 where an instance has switched it off.',
    auth: { access: 'anyone' },
    returns: one(PublicLog),
    cache: { etag: true },
    problems: ['not-found'],
    handle: ({ ctx }) => showLog(ctx, files),
  }),
  api.get('/v1/log/leaves/{index}', {
    id: 'getLogLeaf',
    summary: 'Whether a signature in the public log is undone',
    description:
      'The `sign` entry with this index, and the `undo` that is in force of it. An `undo` counts once it is published. 404 beyond the published log, and with the code `no_sign_entry` for an entry of another kind.',
    auth: { access: 'anyone' },
    params: LeafRef,
    returns: one(LogLeaf),
    cache: { etag: true },
    problems: ['not-found', 'unavailable'],
    handle: ({ ctx, params }) => showLeaf(ctx, files, params.index),
  }),
  api.get('/v1/petitions/{id}/log', {
    id: 'getPetitionLog',
    summary: 'What the public log holds of a petition',
    description:
      'Its `log_id`, and what its entries add up to: `signature_count` follows the count of the petition within seconds. `days` has what was added on each day. 404 until it has an entry.',
    auth: { access: 'anyone', scope: 'read:petitions' },
    params: PetitionRef,
    query: AccessCodeQuery,
    returns: one(PetitionLog),
    cache: { etag: true },
    problems: ['forbidden', 'not-found'],
    handle: (call) => showPetitionLog(call.ctx, files, requestOf(call)),
  }),
  api.get('/v1/petitions/{id}/log/entries', {
    id: 'listPetitionLogEntries',
    summary: 'The published log entries of a petition, oldest first',
    description:
      'To recount a petition: `sign` and `restore` count up, `undo` counts down, and `import` adds its count. The same entries are in the bundles of the log.',
    auth: { access: 'anyone', scope: 'read:petitions' },
    params: PetitionRef,
    query: Type.Object({ ...AccessCodeQuery.properties, ...pageQuery }),
    returns: many(IndexedEntry),
    cache: { etag: true },
    problems: ['forbidden', 'not-found'],
    handle: (call) => listPetitionEntries(call.ctx, files, requestOf(call), call.query),
  }),
  api.get('/v1/petitions/{id}/signatures/me/receipt', {
    id: 'getOwnReceipt',
    summary: 'A receipt that your signature was counted',
    description:
      'A proof in the format of C2SP tlog-proof, which verifies offline; its `extra` opens the commitment of the entry. Keep it private: it shows that you signed. 202 while the signature is held or its entry is not published yet, 404 with the code `not_counted` if it never counted, 410 after you withdrew it.',
    auth: { access: 'user', scope: 'read:signatures' },
    params: PetitionRef,
    query: AccessCodeQuery,
    returns: rawWhenReady(PendingReceipt, 'text/plain'),
    problems: ['forbidden', 'not-found', 'gone'],
    async handle({ ctx, caller, params, query, header }) {
      const request = { ref: params.id, code: query.access_code };
      const answer = await readOwnReceipt(ctx, files, caller, request);
      if ('pending' in answer) {
        return new Pending({ state: answer.pending }, retrySeconds[answer.pending]);
      }
      header('cache-control', 'private, no-store');
      header('content-disposition', 'attachment; filename="receipt.tlog-proof"');
      return { mediaType: 'text/plain; charset=utf-8', body: answer.receipt };
    },
  }),
];
