import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { sendSetupLink, sendTestMail } from './setup.ts';

export const setupSlice = (ctx: Context): Slice => ({
  routes: [],
  mailJobs: {
    'send-setup-link': ({ id }: { id: string }) => sendSetupLink(ctx, id),
    'send-test-mail': (job: { user_id: string }) => sendTestMail(ctx, job.user_id),
  },
});
