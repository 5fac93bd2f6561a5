import type { Context } from '../../platform/context.ts';
import { loadIpCountries } from '../../platform/ip-country.ts';
import { loadPlaces } from '../../platform/places.ts';
import type { Slice } from '../../platform/slice.ts';
import { notifyRejected } from './held.ts';
import { mailboxBackfills } from './mailboxes.ts';
import { forgetSigner } from './queries.ts';
import { sendReceipt } from './receipts.ts';
import { forgetOldOrigins } from './retention.ts';
import { signatureRoutes } from './routes.ts';
import { eraseSigner, exportSignatures } from './signatures.ts';
import type { SignatureWriter } from './writer.ts';

export const signaturesSlice = (ctx: Context, writer: SignatureWriter): Slice => ({
  routes: signatureRoutes(ctx, writer),
  jobs: {
    'forget-signer': (job: { user_id: string }) => forgetSigner(ctx.db, job.user_id),
    'forget-origins': () => forgetOldOrigins(ctx),
  },
  mailJobs: {
    'notify-rejected': (job: { id: string }) => notifyRejected(ctx, job.id),
    'send-signature-receipt': (job: { id: string }) => sendReceipt(ctx, job.id),
  },
  schedules: [{ job: 'forget-origins', cron: '17 3 * * *' }],
  backfills: mailboxBackfills(ctx.keys),
  personalData: {
    name: 'signatures',
    export: exportSignatures,
    erase: (tx, userId) => eraseSigner(ctx, tx, userId),
  },
  async start() {
    loadIpCountries();
    loadPlaces();
  },
});
