import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { forgetSigner, signaturesOf } from './queries.ts';
import { signatureRoutes } from './routes.ts';
import { eraseSigner } from './signatures.ts';
import { SignatureWriter } from './writer.ts';

export const signaturesSlice = (ctx: Context): Slice => ({
  routes: signatureRoutes(new SignatureWriter(ctx)),
  jobs: { 'forget-signer': (job: { user_id: string }) => forgetSigner(ctx.db, job.user_id) },
  personalData: { name: 'signatures', export: signaturesOf, erase: eraseSigner },
});
