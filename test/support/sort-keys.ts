import { eventually } from './eventually.ts';
import type { Service } from './service.ts';

/** Waits until the orders of lists have followed the counts. The service must run a worker. */
export const sortKeysFollowed = ({ ctx }: Service): Promise<void> =>
  eventually(
    async () =>
      !(await ctx.db.exists`
        select from petitions where (sort_count, sort_trend) <> (signature_count, trend)`),
  );
