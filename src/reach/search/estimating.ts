import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import type { Counted } from './facets.ts';
import type { Match } from './queries.ts';
import {
  readSample,
  sizeAndCompletions,
  sizeOf,
  survey,
  type Begun,
  type Completed,
  type Extent,
  type Sample,
} from './sample-queries.ts';

// What the sample tells is remembered for a minute: it is about right for longer.

/** What the sample is of. */
export const sampleIn = ({ estimates }: Context, db: Db): Promise<Sample> =>
  estimates.read('search-sample', '', () => readSample(db));

/** Roughly how many match, which decides how they are read; such a part of all meets the filters among it. */
export const sizeIn = (ctx: Context, db: Db, match: Match, share = 1): Promise<number> =>
  ctx.estimates.read('search-sizes', JSON.stringify(match), async () =>
    sizeOf(db, await sampleIn(ctx, db), match, share),
  );

/** The same, with what a word that is begun may become. */
export const sizeAndCompletionsIn = (
  ctx: Context,
  db: Db,
  wanted: { match: Match; share: number; begun: Begun },
): Promise<Completed> =>
  ctx.estimates.read('search-completions', JSON.stringify([wanted.match, wanted.begun]), async () =>
    sizeAndCompletions(db, await sampleIn(ctx, db), wanted),
  );

/** About how many match, and of which kinds they are. */
export const surveyIn = (ctx: Context, db: Db, match: Match, extent: Extent): Promise<Counted> =>
  ctx.estimates.read('search-surveys', JSON.stringify(match), () => survey(db, match, extent));
