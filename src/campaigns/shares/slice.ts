import { giveRows } from '../../platform/rows-of-accounts.ts';
import type { Context } from '../../platform/context.ts';
import type { Slice } from '../../platform/slice.ts';
import { invalidateLeaderboards } from './leaderboard.ts';
import { exportShares, eraseSharer } from './queries.ts';
import { shareRoutes } from './routes.ts';
import { shareSignatureSums } from './signature-sums.ts';
import type { VisitCounter } from './visits.ts';

export const sharesSlice = (ctx: Context, visits: VisitCounter): Slice => ({
  routes: shareRoutes,
  followers: [shareSignatureSums],
  personalData: {
    name: 'shares',
    export: exportShares,
    erase: eraseSharer,
    quarantine: {
      release: async (tx, accounts) => {
        await giveRows(
          tx,
          { table: 'shares', column: 'user_id', once: ['petition_id', 'channel'] },
          accounts,
        );
        await giveRows(
          tx,
          { table: 'sharers', column: 'user_id', once: ['petition_id'] },
          accounts,
        );
      },
    },
    onErased: async () => invalidateLeaderboards(ctx),
  },
  start: async () => visits.writer.start(),
  stop: () => visits.writer.stop(),
});
