import { giveRows } from '../../platform/rows-of-accounts.ts';
import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { eraseContactsOf, findContactsOfUser, forgetOldContacts } from './contacts.ts';
import { sendReportMail, type ReportMailJob } from './pending.ts';
import { deleteExpiredPending, erasePendingOf, findPendingOfUser } from './pending-queries.ts';
import { eraseUser, findReportsOfUser, forgetOldSnapshots } from './queries.ts';
import { reportRoutes } from './routes.ts';

export const reportsSlice = (ctx: Context): Slice => ({
  routes: reportRoutes,
  mailJobs: { 'send-report-mail': (job: ReportMailJob) => sendReportMail(ctx, job) },
  jobs: {
    'drop-pending-reports': () => deleteExpiredPending(ctx.db),
    'forget-report-snapshots': () => forgetOldSnapshots(ctx.db),
    'forget-report-contacts': () => forgetOldContacts(ctx.db),
  },
  schedules: [
    { job: 'drop-pending-reports', cron: '37 * * * *' },
    { job: 'forget-report-snapshots', cron: '41 3 * * *' },
    { job: 'forget-report-contacts', cron: '43 3 * * *' },
  ],
  personalData: {
    name: 'reports',
    export: findReportsOfUser,
    erase: eraseUser,
    quarantine: {
      release: async (tx, accounts) => {
        await giveRows(tx, { table: 'reports', column: 'reporter_id' }, accounts);
        await giveRows(tx, { table: 'reports', column: 'author_id' }, accounts);
      },
    },
  },
});

/** Reports that wait for the confirmation of an address. */
export const pendingReportsSlice = (): Slice => ({
  routes: [],
  personalData: { name: 'pending_reports', export: findPendingOfUser, erase: erasePendingOf },
});

/** Addresses of reporters without an account. */
export const reportContactsSlice = (): Slice => ({
  routes: [],
  personalData: { name: 'report_contacts', export: findContactsOfUser, erase: eraseContactsOf },
});
