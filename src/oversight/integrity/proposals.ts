import type { Context } from '../../platform/context.ts';
import { countMatches } from './rule-queries.ts';
import { conditionsOf, resolveRule } from './rules.ts';
import type { IntegrityReport, InvalidationRule } from './schema.ts';
import type { AlertRow } from './watching-queries.ts';

/** The value of alerts about disposable domains. */
export const disposableValue = 'disposable';

const maxProposals = 20;

/** Returns rules for what stood out, with the number of valid signatures that match each. */
export async function proposalsFor(
  ctx: Context,
  petitionId: string,
  { alerts, valid }: { alerts: AlertRow[]; valid: number },
): Promise<IntegrityReport['proposals']> {
  const rules = alerts.flatMap((alert) => ruleFor(alert) ?? []).slice(0, maxProposals);
  const resolved = await Promise.all(rules.map((rule) => resolveRule(ctx, petitionId, rule)));
  const conditions = resolved.map((rule) => conditionsOf(ctx.keys, petitionId, rule));
  const counts = await countMatches(ctx.pools.replica, petitionId, conditions);
  return rules.flatMap((rule, index) => {
    const matches = counts[index]!;
    // What stood out may have been invalidated since.
    return matches === 0 ? [] : [{ rule, matches, share: valid > 0 ? matches / valid : 0 }];
  });
}

/**
 * Returns the rule for an alert. From its first signature on, if some are usual there. None for bursts, which honest
 * people cause too, and for what no rule can tell apart.
 */
function ruleFor({ kind, value, since, usual }: AlertRow): InvalidationRule | undefined {
  const from = usual >= 1 ? { from: since.toISOString() } : {};
  if (kind === 'network') return { network: value, ...from };
  if (kind !== 'domain') return undefined;
  return value === disposableValue ? { disposable: true, ...from } : { domain: value, ...from };
}
