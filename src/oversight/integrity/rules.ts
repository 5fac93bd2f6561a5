import type { Context } from '../../platform/context.ts';
import { isCountry } from '../../platform/countries.ts';
import { invalidValue, validationFailed } from '../../platform/problems.ts';
import { isDisposable } from './mail-domains.ts';
import { mailDomainsOf, type Conditions } from './rule-queries.ts';
import type { InvalidationRule } from './schema.ts';

/** A rule as it is kept: what was asked for, and the conditions that follow from it. */
export type KeptRule = Omit<Conditions, 'created_at'> & {
  domain: string | null;
  disposable: boolean;
};

/**
 * Checks a rule, and finds which domains of this petition's signers it is about: what counts as disposable
 * may be another list tomorrow.
 * @throws {Problem} validation-failed where it has no condition, or one that nothing can meet
 */
export async function keepRule(
  ctx: Context,
  petitionId: string,
  rule: InvalidationRule,
): Promise<KeptRule> {
  const domain = rule.domain?.toLowerCase() ?? null;
  const disposable = rule.disposable ?? false;
  const kept = {
    network: rule.network ?? null,
    country: rule.country ?? null,
    domain,
    disposable,
    signed_from: moment(rule.from, 'rule.from'),
    signed_until: moment(rule.until, 'rule.until'),
  };
  if (kept.country && !isCountry(kept.country)) {
    throw invalidValue('rule.country', 'This is no country of ISO 3166-1.');
  }
  if (!disposable && !Object.values(kept).some(Boolean)) {
    const message = 'A rule has at least one condition.';
    throw validationFailed({ field: 'rule', message, code: 'too_small' });
  }
  if (kept.signed_from && kept.signed_until && kept.signed_from >= kept.signed_until) {
    throw invalidValue('rule.until', 'This must be later than from.');
  }
  return { ...kept, domains: await domainsMeant(ctx, petitionId, domain, disposable) };
}

async function domainsMeant(
  ctx: Context,
  petitionId: string,
  domain: string | null,
  disposable: boolean,
): Promise<string[] | null> {
  if (!disposable) return domain === null ? null : [domain];
  const asked = domain === null ? await mailDomainsOf(ctx.db, petitionId) : [domain];
  return asked.filter(isDisposable);
}

/** A time of a rule; years that the database cannot hold are out of the question. */
function moment(text: string | undefined, field: string): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  const year = time.getUTCFullYear();
  if (!(year >= 2000 && year < 3000)) throw invalidValue(field, 'No signature is of that time.');
  return time;
}
