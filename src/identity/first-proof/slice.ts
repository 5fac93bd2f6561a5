import type { Context } from '../../platform/context.ts';
import { nothing, one, routes } from '../../platform/http/route.ts';
import type { PersonalData, Slice } from '../../platform/slice.ts';
import type { FirstProof } from './first-proof.ts';
import {
  discardExpired,
  discardQuarantined,
  endLateActs,
  findQuarantined,
  keepQuarantined,
  lateActsJob,
  noEarlierAccount,
} from './quarantine.ts';
import { exportQuarantined } from './queries.ts';
import { EarlierAccount } from './schema.ts';

const api = routes('Users');
const path = '/v1/users/me/earlier-account';

export const firstProofSlice = (
  ctx: Context,
  { deps }: FirstProof,
  holders: () => PersonalData[],
): Slice => ({
  routes: [
    api.get(path, {
      id: 'getEarlierAccount',
      summary: 'An account that somebody opened with your address before you proved it',
      description:
        'Where you proved your address in another browser than the one that registered, that account is hidden, and all its access has ended. Keep it or delete it within 30 days; then it is deleted. 404 where there is none.',
      auth: { access: 'user', denyOrganizationKeys: true },
      returns: one(EarlierAccount),
      problems: ['not-found'],
      async handle({ ctx: within, caller }) {
        const found = await findQuarantined(within, holders(), caller);
        if (!found) throw noEarlierAccount();
        return found;
      },
    }),
    api.post(`${path}/keep`, {
      id: 'keepEarlierAccount',
      summary: 'Say that the earlier account was yours',
      description:
        'What it published is shown again, as yours, and its signatures are yours. Its password, sessions, keys and settings do not come back.',
      auth: { access: 'user', denyOrganizationKeys: true },
      returns: nothing(),
      problems: ['forbidden', 'not-found'],
      handle: ({ ctx: within, caller }) => keepQuarantined(within, holders(), caller),
    }),
    api.delete(path, {
      id: 'deleteEarlierAccount',
      summary: 'Say that the earlier account was not yours',
      description:
        'Deletes it with its texts, and withdraws its signatures. This cannot be undone.',
      auth: { access: 'user', denyOrganizationKeys: true },
      returns: nothing(),
      problems: ['not-found'],
      handle: ({ ctx: within, caller }) => discardQuarantined(within, holders(), caller),
    }),
  ],
  jobs: {
    'delete-quarantined-accounts': () => discardExpired(ctx, holders()),
    [lateActsJob]: (job: { user_id: string }) => endLateActs(ctx, deps, job.user_id),
  },
  schedules: [{ job: 'delete-quarantined-accounts', cron: '47 * * * *' }],
  personalData: {
    name: 'earlier_account',
    export: exportQuarantined,
    // It stays hidden, and is deleted in time.
    erase: async () => {},
  },
});
