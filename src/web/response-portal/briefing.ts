import { listComments } from '../../campaigns/comments/comments.ts';
import {
  newestResponses,
  type NewestResponses,
} from '../../campaigns/decision-makers/decision-makers.ts';
import type { Portal } from '../../campaigns/decision-makers/schema.ts';
import { listVersionDates } from '../../campaigns/petitions/list.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { profilesOf } from '../../identity/accounts/accounts.ts';
import { organizationsById } from '../../identity/organizations/organizations.ts';
import type { Context } from '../../platform/context.ts';
import { growthByDay, placesOfLastWeek } from '../../reach/analytics/analytics.ts';
import type { GeoCell } from '../../reach/analytics/schema.ts';
import { hasEntries } from '../../reach/transparency-log/transparency-log.ts';

/** What the public page of a petition shows beside its text. */
interface PublicFacts {
  /** Signatures up to the end of each day. */
  growth: { date: string; cumulative: number }[];
  /** Places of signatures of the last seven days. */
  places: GeoCell[];
  /** Oldest first; one if the text was never changed. */
  versions: SignedVersion[];
  hasEarlierVersions: boolean;
  comments: { body: string; author: string | undefined; at: Date }[];
  /** Responses of other decision makers. */
  responses: NewestResponses;
  /** Whether the public log has entries of it. */
  isInLog: boolean;
}

/** A version of the text. */
interface SignedVersion {
  version: number;
  from: Date;
  /** Signatures from this version to the next; null if that is not known. */
  signatures: number | null;
}

/** What a decision maker is shown beside the petition. */
export interface Briefing {
  /** For which the petition was started. */
  organization: { name: string; slug: string; verified: boolean } | undefined;
  /** Undefined for a private petition: its link shows what the mail gave, and no more. */
  facts: PublicFacts | undefined;
}

const limits = { versions: 20, comments: 5, responses: 10 };
/** Signatures below which charts show nothing useful, as on the petition's page. */
const minCharted = 10;

/** Returns what the briefing of a valid link shows. Reads as an anonymous visitor of the petition's page. */
export async function readBriefing(ctx: Context, portal: Portal): Promise<Briefing> {
  const { petition } = portal;
  const isPublic = petition.visibility !== 'private';
  const [organization, facts] = await Promise.all([
    findOrganization(ctx, petition),
    isPublic ? readFacts(ctx, portal) : undefined,
  ]);
  return { organization, facts };
}

async function findOrganization(ctx: Context, { org_id: id }: Petition) {
  if (id === null || !ctx.site.current.modules.organizations) return undefined;
  return (await organizationsById(ctx.db, [id])).get(id);
}

async function readFacts(ctx: Context, portal: Portal): Promise<PublicFacts> {
  const { petition, response, earlier_responses: earlier } = portal;
  const { id, signature_count: count } = petition;
  const { modules } = ctx.site.current;
  const isCharted = count >= minCharted;
  const [growth, places, versions, comments, responses, isInLog] = await Promise.all([
    isCharted ? growthByDay(ctx, null, id, undefined) : [],
    isCharted && modules.map ? placesOfLastWeek(ctx, id) : [],
    listVersionDates(ctx, null, id, { limit: limits.versions }),
    modules.comments ? readComments(ctx, id) : [],
    newestResponses(ctx, null, id, { limit: limits.responses }),
    hasEntries(ctx, id),
  ]);
  const own = new Set([...earlier, ...(response ? [response] : [])].map((one) => one.id));
  return {
    growth,
    places,
    versions: signedVersions(versions.items, count),
    hasEarlierVersions: versions.nextCursor !== null,
    comments,
    responses: {
      ...responses,
      responses: responses.responses.filter((one) => !own.has(one.id)),
    },
    isInLog,
  };
}

/** Returns the comments with the most replies, which everybody can read. */
async function readComments(ctx: Context, petitionId: string): Promise<PublicFacts['comments']> {
  const query = { sort: 'popular', limit: limits.comments } as const;
  const { items } = await listComments(ctx, null, petitionId, query);
  const shown = items.filter(({ body }) => body !== '');
  const authors = await profilesOf(
    ctx.db,
    shown.flatMap(({ user_id: author }) => author ?? []),
  );
  return shown.map(({ body, user_id: author, created_at: at }) => ({
    body,
    author: authors.get(author ?? '')?.display_name,
    at: new Date(at),
  }));
}

type VersionDate = Awaited<ReturnType<typeof listVersionDates>>['items'][number];

/** Returns versions, oldest first, with the signatures from each to the next. */
function signedVersions(newestFirst: readonly VersionDate[], count: number): SignedVersion[] {
  const ends = [count, ...newestFirst.map((one) => one.signatures_before)];
  return newestFirst
    .map(({ version, created_at: at, signatures_before: before }, index) => {
      const start = version === 1 ? 0 : before;
      const end = ends[index]!;
      const signatures = start === null || end === null ? null : Math.max(0, end - start);
      return { version, from: new Date(at), signatures };
    })
    .toReversed();
}
