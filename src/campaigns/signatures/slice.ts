import type { Context } from '../../platform/context.ts';
import { loadIpCountries } from '../../platform/ip-country.ts';
import { loadPlaces } from '../../platform/places.ts';
import type { Slice } from '../../platform/slice.ts';
import { notifyRejected } from './held.ts';
import { mailboxBackfills } from './mailboxes.ts';
import { placeBackfills, rereadLatePlaces } from './place-backfill.ts';
import { quarantinedSignatures } from './quarantine.ts';
import { forgetSigner } from './queries.ts';
import { sendReceipt } from './receipts.ts';
import { forgetOldOrigins, forgetOldWithdrawals } from './retention.ts';
import { signatureRoutes } from './routes.ts';
import { eraseSigner, exportSignatures } from './signatures.ts';
import { findWithdrawalsOfUser } from './withdrawal-queries.ts';
import type { SignatureWriter } from './writer.ts';

export const signaturesSlice = (ctx: Context, writer: SignatureWriter): Slice => ({
  routes: signatureRoutes(ctx, writer),
  jobs: {
    'forget-signer': (job: { user_id: string }) => forgetSigner(ctx.db, job.user_id),
    'forget-origins': () => forgetOldOrigins(ctx),
    'forget-withdrawals': () => forgetOldWithdrawals(ctx),
    'reread-late-places': () => rereadLatePlaces(ctx),
  },
  mailJobs: {
    'notify-rejected': (job: { id: string }) => notifyRejected(ctx, job.id),
    'send-signature-receipt': (job: { id: string }) => sendReceipt(ctx, job.id),
  },
  schedules: [
    { job: 'forget-origins', cron: '17 3 * * *' },
    { job: 'forget-withdrawals', cron: '19 3 * * *' },
    { job: 'reread-late-places', cron: '23 3 * * *' },
  ],
  backfills: [...mailboxBackfills(ctx.keys), ...placeBackfills()],
  personalData: {
    name: 'signatures',
    export: exportSignatures,
    erase: (tx, userId) => eraseSigner(ctx, tx, userId),
    quarantine: quarantinedSignatures,
  },
  async start() {
    loadIpCountries();
    loadPlaces();
  },
});

/** Withdrawals that are remembered for a while. */
export const signatureWithdrawalsSlice = (): Slice => ({
  routes: [],
  personalData: {
    name: 'signature_withdrawals',
    export: findWithdrawalsOfUser,
    // The foreign key to the account deletes them.
    erase: async () => {},
  },
});
