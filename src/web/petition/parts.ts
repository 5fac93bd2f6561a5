import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { Problem } from '../../platform/problems.ts';
import { profilesOf } from '../../identity/accounts/accounts.ts';
import type { PublicProfile } from '../../identity/accounts/schema.ts';
import { listComments } from '../../campaigns/comments/comments.ts';
import type { Comment } from '../../campaigns/comments/schema.ts';
import { listResponses } from '../../campaigns/decision-makers/decision-makers.ts';
import type { DecisionMakerResponse } from '../../campaigns/decision-makers/schema.ts';
import { powersOver, type Powers } from '../../campaigns/petitions/policy.ts';
import { readablePetition, showPetition } from '../../campaigns/petitions/read.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { hasSigned, listSignatures } from '../../campaigns/signatures/signatures.ts';
import type { Signature } from '../../campaigns/signatures/schema.ts';
import { ownShares } from '../../campaigns/shares/shares.ts';
import { listUpdates } from '../../campaigns/updates/updates.ts';
import type { Update } from '../../campaigns/updates/schema.ts';
import { growthByDay, placesOfWeek } from '../../reach/analytics/analytics.ts';
import type { GeoCell } from '../../reach/analytics/schema.ts';
import { embedCode } from '../../reach/embeds/embeds.ts';

/** Threads of comments, and who wrote them. */
export interface Discussion {
  threads: Comment[];
  nextCursor: string | null;
  authors: Map<string, PublicProfile>;
}

/** All that the page of a petition shows, as the caller may see it. */
export interface Parts {
  petition: Petition;
  /** Undefined where its list of signatures is not for the caller. */
  signers: Signature[] | undefined;
  updates: Update[];
  responses: DecisionMakerResponse[];
  discussion: Discussion;
  /** How many had signed at the end of each day. */
  growth: { date: string; cumulative: number }[];
  /** Where it was signed in the last seven days. */
  places: GeoCell[];
  /** What shows it in other pages, where everybody can see it. */
  embed: string | undefined;
  /** By which the caller shares it, once they have asked for one. */
  ownLink: string | undefined;
  /** Whether the caller has signed it. */
  signed: boolean;
  /** What the caller may do for it on the dashboard. */
  may: Powers;
}

/** Of each part, so many are on the page. */
const shown = { signers: 8, updates: 1, responses: 5, comments: 10 };

/** @throws {Problem} not-found, or forbidden for a private petition without its code */
export async function readParts(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  code: string | undefined,
): Promise<Parts> {
  const petition = await showPetition(ctx, caller, ref, code);
  const { id } = petition;
  const query = code === undefined ? {} : { access_code: code };
  const row = await readablePetition(ctx, caller, id, code);
  const [signers, updates, responses, discussion, growth, places, embed, signed, shares, may] =
    await Promise.all([
      allowed(listSignatures(ctx, caller, id, { ...query, limit: shown.signers })),
      listUpdates(ctx, caller, id, { ...query, limit: shown.updates }),
      listResponses(ctx, caller, id, { ...query, limit: shown.responses }),
      readDiscussion(ctx, caller, id, { ...query, limit: shown.comments }),
      growthByDay(ctx, caller, id, code),
      placesOfWeek(ctx, id),
      allowed(embedCode(ctx, caller, id, {})),
      caller ? hasSigned(ctx, id, caller.userId) : false,
      caller ? ownShares(ctx, caller, id, code) : undefined,
      powersOver(ctx, row, caller),
    ]);
  return {
    petition,
    signers: signers?.items,
    updates: updates.items,
    responses: responses.items.filter(({ state }) => state === 'published'),
    discussion,
    growth,
    places,
    embed: embed?.html,
    ownLink: shares?.items.find(({ channel }) => channel === 'link')?.share_url,
    signed,
    may,
  };
}

/** A page of threads, with who wrote what is in them. */
export async function readDiscussion(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  query: { access_code?: string; cursor?: string; limit?: number },
): Promise<Discussion> {
  const { items: threads, nextCursor } = await listComments(ctx, caller, ref, query);
  return { threads, nextCursor, authors: await authorsOf(ctx, threads) };
}

/** Who wrote these comments and the replies to them. */
export async function authorsOf(
  ctx: Context,
  comments: Comment[],
): Promise<Map<string, PublicProfile>> {
  const ids = new Set(withReplies(comments).flatMap(({ user_id }) => user_id ?? []));
  return profilesOf(ctx.db, [...ids]);
}

/** The comments and all below them. */
export function withReplies(comments: Comment[]): Comment[] {
  const all = [...comments];
  // Goes on over what it adds itself.
  for (const { replies } of all) for (const reply of replies) all.push(reply);
  return all;
}

/** Undefined where it is not for the caller, or for nobody in the petition's state. */
const allowed = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: unknown) => {
    if (error instanceof Problem && (error.kind === 'forbidden' || error.kind === 'conflict')) {
      return undefined;
    }
    throw error;
  });
