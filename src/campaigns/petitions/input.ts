import { isDeepStrictEqual } from 'node:util';
import { keepOrganization, roleIn } from '../../identity/organizations/organizations.ts';
import type { Context } from '../../platform/context.ts';
import { isCountry } from '../../platform/countries.ts';
import type { Tx } from '../../platform/db.ts';
import type { Caller } from '../../platform/http/route.ts';
import { parseDateTime } from '../../platform/http/times.ts';
import { forbidden, invalidValue, validationFailed } from '../../platform/problems.ts';
import { currentCategoryId } from '../categories/categories.ts';
import type { PetitionChanges, PetitionRow } from './queries.ts';
import type { PetitionUpdate } from './schema.ts';
import { altWithoutPicture } from '../../platform/images.ts';
import { tidyTags } from './tags.ts';

/**
 * Signers relied on the signature privacy and on the organization when they signed.
 * @throws {Problem} validation-failed if one of them would change after publishing
 */
export function rejectChangesOfPublishedTerms(changes: PetitionChanges): void {
  const message = 'This cannot change once a petition was published.';
  if (changes.signature_privacy !== undefined) throw invalidValue('signaturePrivacy', message);
  if (changes.org_id !== undefined) throw invalidValue('orgId', message);
}

/** Who can see the petition and its signers, whose it is, and when it closes. */
const creatorsTerms = {
  visibility: 'visibility',
  signature_privacy: 'signaturePrivacy',
  org_id: 'orgId',
  closes_at: 'closesAt',
} as const satisfies Partial<Record<keyof PetitionChanges, keyof PetitionUpdate>>;

/** Names of the fields that only the creator changes. */
export const creatorsFields: readonly (keyof PetitionUpdate)[] = Object.values(creatorsTerms);

/** @throws {Problem} forbidden if an editor would change what is the creator's to decide */
export function rejectChangesOfCreatorsTerms(changes: PetitionChanges): void {
  for (const [column, field] of Object.entries(creatorsTerms)) {
    if (column in changes) throw forbidden(`Only the creator of the petition may change ${field}.`);
  }
}

/** Returns the changes that differ from the stored petition. */
export function effectiveChanges(
  petition: PetitionRow,
  { tags, tag_keys, ...others }: PetitionChanges,
): PetitionChanges {
  const current: Record<string, unknown> = {
    ...petition,
    category_id: petition.category?.id ?? null,
  };
  const differing = Object.entries(others).filter(
    ([name, value]) => !isDeepStrictEqual(value, current[name]),
  );
  return {
    ...Object.fromEntries(differing),
    ...(tags && tag_keys && !isDeepStrictEqual(tags, petition.tags) && { tags, tag_keys }),
  };
}

/**
 * Returns the changes with those of the words for the picture: they go with it, and another picture has its own or none.
 * @throws {Problem} validation-failed for words without a picture
 */
export function withImageAlt(
  petition: Pick<PetitionRow, 'image_url'>,
  changes: PetitionChanges,
): PetitionChanges {
  const { image_url: url = petition.image_url, image_alt: alt } = changes;
  if (url === null && alt) throw altWithoutPicture('imageAlt');
  return url === petition.image_url ? changes : { ...changes, image_alt: alt ?? null };
}

/** Converts an input to changes of the petition's row. */
export function toChanges(input: PetitionUpdate): PetitionChanges {
  const tags = input.tags && tidyTags(input.tags);
  return {
    ...(input.title !== undefined && { title: trimmedTitle(input.title) }),
    ...(input.description !== undefined && { description: input.description }),
    ...(input.categoryId !== undefined && { category_id: input.categoryId }),
    ...(tags && { tags: tags.tags, tag_keys: tags.tagKeys }),
    ...(input.imageUrl !== undefined && { image_url: input.imageUrl }),
    ...(input.imageAlt !== undefined && { image_alt: input.imageAlt?.trim() || null }),
    ...(input.language !== undefined && { language: input.language }),
    ...(input.signatureGoal !== undefined && { signature_goal: input.signatureGoal }),
    ...(input.closesAt !== undefined && {
      closes_at: input.closesAt === null ? null : parseDateTime('closesAt', input.closesAt),
    }),
    ...(input.visibility !== undefined && { visibility: input.visibility }),
    ...(input.locationCity !== undefined && { location_city: input.locationCity?.trim() || null }),
    ...(input.locationRegion !== undefined && {
      location_region: input.locationRegion?.trim() || null,
    }),
    ...(input.locationCountry !== undefined && {
      location_country: input.locationCountry?.toUpperCase() ?? null,
    }),
    ...(input.signaturePrivacy !== undefined && { signature_privacy: input.signaturePrivacy }),
    ...(input.orgId !== undefined && { org_id: input.orgId?.toLowerCase() ?? null }),
  };
}

/** @throws {Problem} validation-failed if the trimmed title is too short */
export function trimmedTitle(title: string): string {
  const trimmed = title.trim();
  // Code points, as the database counts.
  if (Array.from(trimmed).length < 5) {
    throw validationFailed({
      field: 'title',
      message: 'This must have at least 5 characters besides spaces.',
      code: 'too_small',
      limit: { value: 5, of: 'character' },
    });
  }
  return trimmed;
}

/**
 * Returns the input with the category that its own was merged into, if it was.
 * @throws {Problem} validation-failed if the category or the country does not exist
 */
export async function resolveReferences<
  T extends { categoryId?: string | null; locationCountry?: string | null },
>(ctx: Context, input: T): Promise<T> {
  const categoryId = input.categoryId && (await currentCategoryId(ctx, input.categoryId));
  if (input.categoryId && !categoryId) {
    throw invalidValue('categoryId', 'There is no such category. GET /v1/categories lists them.');
  }
  if (input.locationCountry && !isCountry(input.locationCountry)) {
    throw invalidValue('locationCountry', 'This is no country of ISO 3166-1.');
  }
  return categoryId ? { ...input, categoryId } : input;
}

/**
 * Only members create petitions of an organization. Locks the organization until the petition is stored.
 * @throws {Problem} validation-failed if the organization does not exist, forbidden for non-members
 */
export async function requireMembership(tx: Tx, caller: Caller, orgId: string): Promise<void> {
  if (!(await keepOrganization(tx, orgId))) {
    throw invalidValue('orgId', 'There is no such organization.');
  }
  if (!(await roleIn(tx, orgId, caller.userId))) {
    throw forbidden('Only members of the organization may create its petitions.');
  }
}

/** @throws {Problem} validation-failed if two decision makers have the same address */
export function requireDistinctAddresses(makers: { email: string }[]): void {
  const addresses = makers.map(({ email }) => email.toLowerCase());
  const index = addresses.findIndex((address, n) => addresses.indexOf(address) < n);
  if (index < 0) return;
  throw invalidValue(`decisionMakers.${index}.email`, 'This address is in the list already.');
}

export const goalBelowCount = (count: number) =>
  validationFailed({
    field: 'signatureGoal',
    message: 'The goal cannot be below the number of signatures.',
    code: 'too_small',
    limit: { value: count },
  });
