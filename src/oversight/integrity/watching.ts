import { findSharedOrigins } from '../../campaigns/signatures/signatures.ts';
import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import { emit, systemActor } from '../../platform/events.ts';
import { newId } from '../../platform/ids.ts';
import { StepWorker } from '../../platform/workers.ts';
import { retentionMs } from '../../platform/retention.ts';
import { findBursts, withQuietHour } from './bursts.ts';
import { disposableValue } from './proposals.ts';
import { hasPast, isOutlier, usualCount, usualNetworkSize } from './outliers.ts';
import { dropCachedReport } from './report.ts';
import * as queries from './watching-queries.ts';
import type { AlertRow, WindowPart } from './watching-queries.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Time between two steps. Moderators are told within a minute. */
const intervalMs = 10 * secondMs;
/** A step of a process that died is done again after this time. */
const leaseMs = 30 * secondMs;
/** Signatures are committed later than their ids are made, by less than this time. */
const commitMs = 3 * secondMs;
/** Signatures of this time are compared with those before. */
const windowMs = 10 * minuteMs;
/** Signatures of the window, and of the time before it, that are read. */
const windowSize = 20_000;
/** Signatures whose addresses are read. */
const addressSample = 2_000;
/** Petitions with fewer signatures in the window are not looked at. */
const minSignatures = 20;
const maxPetitions = 200;
/** A minute with fewer signatures is no burst that moderators are told of. */
const minBurst = 50;
/** No network is expected to have a larger part of the signatures. */
const maxUsualShare = 0.05;
/** A cause that comes back within this time is the same. */
const sameCauseMs = dayMs;

/** Looks at new signatures every ten seconds, in one process at a time. */
export const watchingWorker = (ctx: Context): StepWorker =>
  new StepWorker(
    { name: 'integrity watch', idleMs: 2 * secondMs, step: () => watchStep(ctx) },
    ctx.log,
  );

/** Does a step if one is due. Returns false, since the next one is due later. */
async function watchStep(ctx: Context): Promise<boolean> {
  const db = ctx.pools.main;
  const now = ctx.now();
  const readUntil = await queries.claimStep(db, now, { intervalMs, leaseMs });
  if (!readUntil) return false;
  const until = new Date(now.getTime() - commitMs);
  // After a long stop, what is older than the window needs no look.
  const from = new Date(Math.max(readUntil.getTime(), now.getTime() - windowMs));
  await transaction(db, (tx) => queries.countMinutes(tx, from, until));
  await queries.forgetMinutes(db, new Date(now.getTime() - retentionMs('signature_minutes')));
  const since = new Date(now.getTime() - windowMs);
  for (const id of await queries.findBusyPetitions(db, since, minSignatures, maxPetitions)) {
    await watchPetition(ctx, id, now);
  }
  await queries.releaseStep(db, ctx.now());
  return false;
}

/** What stands out in the signatures of a petition. */
type Finding = Pick<AlertRow, 'kind' | 'value' | 'since' | 'signatures' | 'usual'>;

/** Stores what stands out now. What is new is told to moderators and administrators by an event. */
async function watchPetition(ctx: Context, petitionId: string, now: Date): Promise<void> {
  const findings = await findOutliers(ctx, petitionId, now);
  if (findings.length === 0) return;
  await transaction(ctx.pools.main, async (tx) => {
    const recently = new Date(now.getTime() - sameCauseMs);
    const known = await queries.findAlerts(tx, petitionId, recently);
    for (const finding of findings) {
      const same = known.find((alert) => isSameCause(alert, finding));
      if (same) {
        await queries.prolongAlert(tx, same.id, { ...finding, last_at: now });
        continue;
      }
      const id = newId();
      await queries.insertAlert(tx, { id, petition_id: petitionId, last_at: now, ...finding });
      const { kind, value, signatures, usual } = finding;
      await emit(tx, {
        type: 'integrity.alert',
        petitionId,
        actor: systemActor,
        data: { id, kind, value, since: finding.since.toISOString(), signatures, usual },
      });
    }
  });
  dropCachedReport(ctx, petitionId);
}

/** A burst that goes on has another start after a pause. */
const isSameCause = (alert: AlertRow, { kind, value }: Finding) =>
  alert.kind === kind && (kind === 'burst' || alert.value === value);

async function findOutliers(ctx: Context, petitionId: string, now: Date): Promise<Finding[]> {
  const db = ctx.pools.main;
  const since = new Date(now.getTime() - windowMs);
  const { networks, addresses } = await findSharedOrigins(ctx, petitionId);
  const [parts, tagged, minutes] = await Promise.all([
    queries.countWindow(db, {
      petitionId,
      since,
      earlierSince: new Date(now.getTime() - dayMs),
      limit: windowSize,
      sharedNetworks: networks,
      sharedAddresses: addresses,
    }),
    queries.countTagged(db, petitionId, since, addressSample),
    queries.readMinutes(db, petitionId, new Date(now.getTime() - dayMs)),
  ]);
  const total = parts.find(({ kind }) => kind === 'total');
  if (!total) return [];
  const findings = [
    ...outlyingNetworks(parts, total),
    ...outlyingCountries(parts, total),
    ...disposableDomains(parts, total),
    ...burstsNow(minutes, now),
    ...tagged
      // A few people in a hundred use tags.
      .filter(({ count, of }) => isOutlier(count, 0.05 * of))
      .map(({ domain, count, of, since: first }) => ({
        kind: 'mailbox' as const,
        value: domain,
        since: first,
        signatures: count,
        usual: 0.05 * of,
      })),
  ];
  for (const part of outlyingDomains(parts, total)) {
    const name = await queries.findDomainName(db, petitionId, since, part.value);
    if (name !== undefined) findings.push({ ...part, value: name });
  }
  return findings;
}

const toFinding = (
  kind: Finding['kind'],
  { key, recent, since }: WindowPart,
  usual: number,
): Finding => ({ kind, value: key!, since: since!, signatures: recent, usual });

/**
 * Networks with many more signatures than they had before, and than most others have. On new petitions, where those of
 * carriers are not known yet, than three quarters.
 */
function outlyingNetworks(parts: WindowPart[], total: WindowPart): Finding[] {
  const networks = parts.filter(({ kind }) => kind === 'network');
  const usualSize = Math.min(
    usualNetworkSize(
      networks.map(({ recent }) => recent),
      hasPast(total) ? 0.5 : 0.75,
    ),
    maxUsualShare * total.recent,
  );
  return networks.flatMap((part) => {
    const usual = Math.max(usualSize, usualCount(part, total, 0));
    return isOutlier(part.recent, usual) ? [toFinding('network', part, usual)] : [];
  });
}

/** Countries that signers name far more often than before, from IP addresses of other countries. */
function outlyingCountries(parts: WindowPart[], total: WindowPart): Finding[] {
  return parts.flatMap((part) => {
    if (part.kind !== 'stated') return [];
    const usual = usualCount(part, total, 0.05);
    return isOutlier(part.recent, usual) ? [toFinding('country', part, usual)] : [];
  });
}

/** Domains with a far larger share than before. On new petitions there is nothing to compare them with. */
function outlyingDomains(parts: WindowPart[], total: WindowPart): Finding[] {
  return parts.flatMap((part) => {
    if (part.kind !== 'domain' || part.is_disposable) return [];
    const usual = usualCount(part, total, 1);
    return isOutlier(part.recent, usual) ? [toFinding('domain', part, usual)] : [];
  });
}

/** All disposable domains together, which are one cause. */
function disposableDomains(parts: WindowPart[], total: WindowPart): Finding[] {
  const domains = parts.filter(({ kind, is_disposable }) => kind === 'domain' && is_disposable);
  const sum = domains.reduce(
    (all, { recent, earlier }) => ({ recent: all.recent + recent, earlier: all.earlier + earlier }),
    { recent: 0, earlier: 0 },
  );
  const usual = usualCount(sum, total, 0.02);
  if (!isOutlier(sum.recent, usual)) return [];
  const first = domains.map(({ since }) => since!).toSorted((a, b) => Number(a) - Number(b))[0]!;
  const value = disposableValue;
  return [{ kind: 'domain', value, since: first, signatures: sum.recent, usual }];
}

/** The burst that reaches into the last minutes, if any. */
function burstsNow(minutes: Map<number, number>, now: Date): Finding[] {
  const bursts = findBursts(withQuietHour(minutes, minuteMs), minuteMs);
  return bursts
    .filter(
      ({ until, count, usual }) =>
        now.getTime() - until.getTime() < 2 * minuteMs && count - usual >= minBurst,
    )
    .map(({ from, count, usual }) => ({
      kind: 'burst' as const,
      value: from.toISOString(),
      since: from,
      signatures: count,
      usual,
    }));
}

/** Deletes alerts that are long over. */
export async function forgetOldAlerts(ctx: Context): Promise<void> {
  await queries.deleteOldAlerts(
    ctx.db,
    new Date(ctx.now().getTime() - retentionMs('integrity_alerts')),
  );
}
