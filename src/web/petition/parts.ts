import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { Problem } from '../../platform/problems.ts';
import { profilesOf } from '../../identity/accounts/accounts.ts';
import type { PublicProfile } from '../../identity/accounts/schema.ts';
import {
  findOwnOpinions,
  type OwnOpinions,
} from '../../campaigns/answer-opinions/answer-opinions.ts';
import { listComments } from '../../campaigns/comments/comments.ts';
import type { Comment } from '../../campaigns/comments/schema.ts';
import {
  newestResponses,
  type NewestResponses,
} from '../../campaigns/decision-makers/decision-makers.ts';
import { dimensionsAt } from '../../campaigns/media/media.ts';
import { permissionsFor, type PetitionPermissions } from '../../campaigns/petitions/policy.ts';
import { requireReadablePetition, showPetition } from '../../campaigns/petitions/read.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { hasSigned, listSignatures } from '../../campaigns/signatures/signatures.ts';
import type { Signature } from '../../campaigns/signatures/schema.ts';
import { listOwnShares } from '../../campaigns/shares/shares.ts';
import { listUpdates } from '../../campaigns/updates/updates.ts';
import type { Update } from '../../campaigns/updates/schema.ts';
import { growthByDay, placesOfLastWeek } from '../../reach/analytics/analytics.ts';
import type { GeoCell } from '../../reach/analytics/schema.ts';
import type { TimelineEntry } from '../../reach/timeline/schema.ts';
import { listTimeline } from '../../reach/timeline/timeline.ts';
import { hasEntries } from '../../reach/transparency-log/transparency-log.ts';
import { embedCode } from '../../reach/embeds/embeds.ts';

/** Threads of comments, and their authors by id. */
export interface Discussion {
  threads: Comment[];
  nextCursor: string | null;
  authors: Map<string, PublicProfile>;
}

/** What the page of a petition shows, as the caller may see it. */
export interface Parts {
  petition: Petition;
  /** Undefined if the caller may not list signatures. */
  signers: Signature[] | undefined;
  updates: Update[];
  responses: NewestResponses;
  discussion: Discussion;
  /** Signatures up to the end of each day. */
  growth: { date: string; cumulative: number }[];
  /** Places of signatures of the last seven days. */
  places: GeoCell[];
  /** HTML that embeds the petition in other sites; undefined if not everyone may see it. */
  embed: string | undefined;
  /** The caller's own share link, once they have created one. */
  ownLink: string | undefined;
  /** Whether the caller has signed it. */
  hasSigned: boolean;
  /** What the caller thinks of the responses; undefined if no signature of theirs counts. */
  ownOpinions: OwnOpinions | undefined;
  /** What happened last. */
  timeline: TimelineEntry[];
  /** Whether the public log has entries of it. */
  isInLog: boolean;
  /** Of the pictures that were uploaded here. */
  dimensions: Dimensions;
  /** What the caller may do on the dashboard. */
  powers: PetitionPermissions;
}

/** Width and height of pictures in pixels, by their URLs. */
export type Dimensions = Map<string, { width: number; height: number }>;

/** Items of each part on the page. */
const limits = { signers: 8, updates: 1, responses: 5, comments: 10, timeline: 5 };

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
  const row = await requireReadablePetition(ctx, caller, id, code);
  const [
    signers,
    updates,
    responses,
    discussion,
    growth,
    places,
    embed,
    signed,
    shares,
    powers,
    isInLog,
    timeline,
    ownOpinions,
  ] = await Promise.all([
    ifAllowed(listSignatures(ctx, caller, id, { ...query, limit: limits.signers })),
    listUpdates(ctx, caller, id, { ...query, limit: limits.updates }),
    newestResponses(ctx, caller, id, { ...query, limit: limits.responses }),
    ctx.site.current.modules.comments
      ? readDiscussion(ctx, caller, id, { ...query, limit: limits.comments })
      : emptyDiscussion,
    growthByDay(ctx, caller, id, code),
    placesOfLastWeek(ctx, id),
    ifAllowed(embedCode(ctx, caller, id, {})),
    caller ? hasSigned(ctx, id, caller.userId) : false,
    caller ? listOwnShares(ctx, caller, id, code) : undefined,
    permissionsFor(ctx, row, caller),
    hasEntries(ctx, id),
    listTimeline(ctx, caller, id, { ...query, limit: limits.timeline }),
    caller ? findOwnOpinions(ctx, id, caller.userId) : undefined,
  ]);
  const pictures = [petition, ...updates.items].flatMap(({ image_url }) => image_url ?? []);
  return {
    petition,
    signers: signers?.items,
    updates: updates.items,
    responses,
    timeline: timeline.items,
    discussion,
    growth,
    places,
    embed: embed?.html,
    ownLink: shares?.items.find(({ channel }) => channel === 'link')?.share_url,
    hasSigned: signed,
    ownOpinions,
    isInLog,
    dimensions: await dimensionsAt(ctx, pictures),
    powers,
  };
}

const emptyDiscussion: Discussion = { threads: [], nextCursor: null, authors: new Map() };

/** A page of threads, with the authors of their comments. */
export async function readDiscussion(
  ctx: Context,
  caller: Caller | null,
  ref: string,
  query: { access_code?: string; cursor?: string; limit?: number },
): Promise<Discussion> {
  const { items: threads, nextCursor } = await listComments(ctx, caller, ref, query);
  return { threads, nextCursor, authors: await authorsOf(ctx, threads) };
}

/** Authors of these comments and of all replies to them, by id. */
export async function authorsOf(
  ctx: Context,
  comments: Comment[],
): Promise<Map<string, PublicProfile>> {
  const ids = new Set(withReplies(comments).flatMap(({ user_id }) => user_id ?? []));
  return profilesOf(ctx.db, [...ids]);
}

/** The comments and all replies below them. */
export function withReplies(comments: Comment[]): Comment[] {
  const all = [...comments];
  // The loop also visits the elements that it appends.
  for (const { replies } of all) for (const reply of replies) all.push(reply);
  return all;
}

/** Undefined if the caller, or the petition's state, does not allow the read. */
const ifAllowed = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: unknown) => {
    if (error instanceof Problem && (error.kind === 'forbidden' || error.kind === 'conflict')) {
      return undefined;
    }
    throw error;
  });
