import { deviceOfLetter } from '../../campaigns/signatures/signatures.ts';
import { readablePetition } from '../../campaigns/petitions/petitions.ts';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/route.ts';
import { notFound } from '../../platform/problems.ts';
import { findBursts } from './bursts.ts';
import { isDisposable } from './mail-domains.ts';
import * as queries from './report-queries.ts';
import type { Part } from './report-queries.ts';
import type { IntegrityReport } from './schema.ts';

/** How many networks, countries, mail domains and bursts are shown. */
const shown = 20;
/** Of petitions with more signatures, about so many are looked at one by one. */
const sampleSize = 100_000;
const cacheGroup = 'integrity';
const minute = 60_000;
const hour = 60 * minute;
/** Petitions signed for no longer than this are looked at by the minute, others by the hour. */
const shortSpan = 48 * hour;

/** What may tell whether a petition's signatures are honest. Nothing of it names an address. */
export async function integrityReport(
  ctx: Context,
  caller: Caller,
  ref: string,
): Promise<IntegrityReport> {
  const { id } = await readablePetition(ctx, caller, ref, undefined);
  // Callers who ask for one petition at the same moment share one pass over its signatures.
  return ctx.cache.read(cacheGroup, id, () => makeReport(ctx, id));
}

/** Makes this process look anew at signatures that have just changed their state. */
export const forgetReport = (ctx: Context, petitionId: string): void =>
  ctx.cache.drop(cacheGroup, petitionId);

async function makeReport(ctx: Context, petitionId: string): Promise<IntegrityReport> {
  const db = ctx.pools.replica;
  const totals = await queries.totalsOf(db, petitionId);
  if (!totals) throw notFound('petition');
  const { valid, invalid, imported, first_at: first, last_at: last } = totals;
  const width = Number(last) - Number(first) <= shortSpan ? minute : hour;
  const sampled = Math.min(256, Math.ceil((256 * sampleSize) / (valid + invalid)) || 256);
  const [times, parts] = await Promise.all([
    queries.countsByTime(db, petitionId, width),
    queries.partsOf(db, petitionId, sampled, shown),
  ]);
  const { network = [], country = [], domain = [], device = [] } = byKind(parts);
  const figures = (part: Part) => {
    const count = Math.round((part.valid * 256) / sampled);
    return {
      count,
      share: valid > 0 ? Math.min(1, count / valid) : 0,
      invalid: Math.round((part.invalid * 256) / sampled),
    };
  };
  return {
    petition_id: petitionId,
    totals: { valid, invalid, imported },
    sampled: sampled / 256,
    bursts: findBursts(times, width).slice(0, shown),
    networks: network.map((part) => ({
      network: part.key,
      ...figures(part),
      countries: part.countries,
      first_at: part.first_at,
      last_at: part.last_at,
    })),
    countries: country.map((part) => ({ country: part.key, ...figures(part) })),
    mail_domains: domain.map((part) => ({
      domain: part.key,
      ...figures(part),
      disposable: isDisposable(part.key),
    })),
    devices: device.map((part) => ({
      device: deviceOfLetter(part.key) ?? 'unknown',
      ...figures(part),
    })),
  };
}

const byKind = (parts: Part[]): Partial<Record<Part['kind'], Part[]>> =>
  Object.groupBy(parts, ({ kind }) => kind);
