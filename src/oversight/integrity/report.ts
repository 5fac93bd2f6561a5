import { deviceOfLetter, findSharedOrigins } from '../../campaigns/signatures/signatures.ts';
import { requireReadablePetition } from '../../campaigns/petitions/read.ts';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { notFound } from '../../platform/problems.ts';
import { findBursts, withQuietHour } from './bursts.ts';
import { proposalsFor } from './proposals.ts';
import { isDisposable } from '../../identity/accounts/accounts.ts';
import * as queries from './report-queries.ts';
import type { Part } from './report-queries.ts';
import type { IntegrityReport } from './schema.ts';
import { findAlerts } from './watching-queries.ts';

/** Maximum number of networks, countries, mail domains and bursts. */
const maxEntries = 20;
/** Petitions with more signatures are sampled to about this number. */
const sampleSize = 100_000;
/** Older alerts are not shown. */
const alertDays = 7;
const cacheGroup = 'integrity';
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Bursts of petitions with a longer signing period are found by hour instead of by minute. */
const maxSpanByMinuteMs = 48 * hourMs;

/** Returns figures that show whether a petition's signatures are honest. Contains no address. */
export async function integrityReport(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<IntegrityReport> {
  const { id } = await requireReadablePetition(ctx, caller, ref, undefined);
  // Concurrent callers share one pass over the signatures.
  return ctx.cache.read(cacheGroup, id, () => makeReport(ctx, id));
}

/** Drops the report of a petition from this process's cache. */
export const dropCachedReport = (ctx: Context, petitionId: string): void =>
  ctx.cache.drop(cacheGroup, petitionId);

async function makeReport(ctx: Context, petitionId: string): Promise<IntegrityReport> {
  const db = ctx.pools.replica;
  const totals = await queries.findTotals(db, petitionId);
  if (!totals) throw notFound('petition');
  const { valid, invalid, imported, held, first_at: first, last_at: last } = totals;
  const widthMs = Number(last) - Number(first) <= maxSpanByMinuteMs ? minuteMs : hourMs;
  const sampled = Math.min(256, Math.ceil((256 * sampleSize) / (valid + invalid)) || 256);
  const [times, parts] = await Promise.all([
    queries.countByTime(db, petitionId, widthMs),
    queries.countByPart(db, petitionId, sampled, maxEntries),
  ]);
  const { network = [], country = [], domain = [], device = [], ...marks } = byKind(parts);
  const since = new Date(ctx.now().getTime() - alertDays * 24 * hourMs);
  const [alerts, cadences, shared] = await Promise.all([
    findAlerts(db, petitionId, since),
    queries.cadenceOfNetworks(
      db,
      petitionId,
      network.map(({ key }) => key!),
      sampled,
    ),
    findSharedOrigins(ctx, petitionId),
  ]);
  const sharedIds = new Set(shared.ids);
  const figures = (part: Part) => {
    const count = Math.round((part.valid * 256) / sampled);
    return {
      count,
      share: valid > 0 ? Math.min(1, count / valid) : 0,
      invalid: Math.round((part.invalid * 256) / sampled),
    };
  };
  const markOf = ([part]: Part[] = []) =>
    part ? figures(part) : { count: 0, share: 0, invalid: 0 };
  return {
    petition_id: petitionId,
    totals: { valid, invalid, imported, held },
    sampled: sampled / 256,
    unconfirmed: markOf(marks.unconfirmed),
    aliases: markOf(marks.alias),
    elsewhere: markOf(marks.elsewhere),
    alerts: alerts.map(({ kind, value, since: startedAt, signatures, usual }) => ({
      kind,
      value,
      since: startedAt,
      signatures,
      usual,
    })),
    proposals: await proposalsFor(ctx, petitionId, { alerts, valid }),
    bursts: findBursts(withQuietHour(times, widthMs), widthMs).slice(0, maxEntries),
    networks: network.map((part) => ({
      network: part.key!,
      ...figures(part),
      countries: part.countries,
      first_at: part.first_at,
      last_at: part.last_at,
      cadence: cadences.get(part.key!) ?? null,
      shared: sharedIds.has(part.key!),
    })),
    countries: country.map((part) => ({ country: part.key!, ...figures(part) })),
    mail_domains: domain.map((part) => ({
      domain: part.key,
      ...figures(part),
      disposable: part.is_disposable || (part.key !== null && isDisposable(part.key)),
    })),
    devices: device.map((part) => ({
      device: deviceOfLetter(part.key) ?? 'unknown',
      ...figures(part),
    })),
  };
}

const byKind = (parts: Part[]): Partial<Record<Part['kind'], Part[]>> =>
  Object.groupBy(parts, ({ kind }) => kind);
