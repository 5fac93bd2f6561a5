import type { Context } from '../../platform/context.ts';
import { isCountry } from '../../platform/countries.ts';
import { canonicalDomain } from '../../platform/mail-addresses.ts';
import { invalidValue, validationFailed } from '../../platform/problems.ts';
import { isDisposable, mailDomainHash } from '../../identity/accounts/accounts.ts';
import type { Keys } from '../../platform/keys.ts';
import { findMailDomains, type Conditions } from './rule-queries.ts';
import type { InvalidationRule } from './schema.ts';

/** A rule as stored. */
export interface ResolvedRule {
  network: string | null;
  country: string | null;
  domain: string | null;
  disposable: boolean;
  /** The domain if it is given, else those of signers that are disposable. Processes of earlier versions match them. */
  domains: string[] | null;
  signed_from: Date | null;
  signed_until: Date | null;
}

/**
 * Validates a rule, and resolves the mail domains of signers that it matches, since the list of disposable
 * domains changes with updates.
 * @throws {Problem} validation-failed if the rule has no condition, or an impossible one
 */
export async function resolveRule(
  ctx: Context,
  petitionId: string,
  rule: InvalidationRule,
): Promise<ResolvedRule> {
  const domain = rule.domain?.toLowerCase() ?? null;
  const disposable = rule.disposable ?? false;
  const kept = {
    network: rule.network ?? null,
    country: rule.country ?? null,
    domain,
    disposable,
    signed_from: parseTime(rule.from, 'rule.from'),
    signed_until: parseTime(rule.until, 'rule.until'),
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
  return { ...kept, domains: await findDomains(ctx, petitionId, domain, disposable) };
}

/** Returns the conditions of a rule on the signatures of a petition. */
export function conditionsOf(
  keys: Keys,
  petitionId: string,
  rule: ResolvedRule & { created_at?: Date },
): Conditions {
  const hashOf = (domain: string) => mailDomainHash(keys, canonicalDomain(domain)).toString('hex');
  return {
    petitionId,
    network: rule.network,
    country: rule.country,
    domainHash: rule.domain === null ? null : hashOf(rule.domain),
    disposableHashes: rule.disposable ? (rule.domains ?? []).map(hashOf) : null,
    signedFrom: rule.signed_from,
    signedUntil: rule.signed_until,
    createdAt: rule.created_at ?? null,
  };
}

async function findDomains(
  ctx: Context,
  petitionId: string,
  domain: string | null,
  disposable: boolean,
): Promise<string[] | null> {
  if (!disposable) return domain === null ? null : [domain];
  const candidates = domain === null ? await findMailDomains(ctx.db, petitionId) : [domain];
  return candidates.filter(isDisposable);
}

/** Parses a time of a rule. Rejects years in which no signature can be. */
function parseTime(text: string | undefined, field: string): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  const year = time.getUTCFullYear();
  if (!(year >= 2000 && year < 3000)) throw invalidValue(field, 'No signature is of that time.');
  return time;
}
