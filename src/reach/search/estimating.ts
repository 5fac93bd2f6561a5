import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import type { Match } from './queries.ts';
import {
  sharesOfTiers,
  sizeAndCompletions,
  sizeOf,
  survey,
  type Completed,
  type Size,
  type Survey,
  type Tier,
} from './sample-queries.ts';

// What the sample tells is remembered for a minute: it is about right for longer.

/** Roughly how many match, which decides how they are read. */
export const sizeIn = ({ estimates }: Context, db: Db, match: Match): Promise<Size> =>
  estimates.read('search-sizes', JSON.stringify(match), () => sizeOf(db, match));

/** The same, with what a word that is begun may become. */
export const sizeAndCompletionsIn = (
  { estimates }: Context,
  db: Db,
  match: Match,
  begun: string,
): Promise<Completed> =>
  estimates.read('search-completions', JSON.stringify([match, begun]), () =>
    sizeAndCompletions(db, match, begun),
  );

/** About how many match, and of which kinds they are. */
export const surveyIn = (
  { estimates }: Context,
  db: Db,
  match: Match,
  roughly: Size,
): Promise<Survey> =>
  estimates.read('search-surveys', JSON.stringify(match), () => survey(db, match, roughly));

export const tiersIn = ({ estimates }: Context, db: Db): Promise<Tier[]> =>
  estimates.read('search-tiers', '', () => sharesOfTiers(db));
