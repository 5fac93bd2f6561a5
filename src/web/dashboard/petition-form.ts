import { html, type Content } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { listCategories } from '../../campaigns/categories/categories.ts';
import {
  PetitionInput,
  PetitionUpdate,
  signaturePrivacies,
  visibilities,
  type Petition,
} from '../../campaigns/petitions/schema.ts';
import { creatorsFields, type EditablePetition } from '../../campaigns/petitions/write.ts';
import { organizationsById, ownOrganizations } from '../../identity/organizations/organizations.ts';
import type { Organization } from '../../identity/organizations/schema.ts';
import {
  countryOptions,
  formFor,
  isOwnView,
  readForm,
  type Fields,
  type FormState,
  type OwnView,
  type View,
} from '../site/site.ts';
import { petitionTexts } from './texts.ts';

/** The fields of a petition's title and text. */
export const textNames = ['title', 'description'] as const;

const publishedDetailNames = [
  'categoryId',
  'tags',
  'signatureGoal',
  'closesAt',
  'visibility',
  'locationCity',
  'locationRegion',
  'locationCountry',
] as const;
const unpublishedDetailNames = [...publishedDetailNames, 'signaturePrivacy', 'orgId'] as const;

type FieldName = (typeof textNames | typeof unpublishedDetailNames)[number];

type Stage = Pick<EditablePetition, 'status' | 'published_at'>;

/** Who fills in the form. Editors have no fields for what the creator decides. */
type FilledInBy = 'creator' | 'editor';

/** The fields of a petition besides its text. Some cannot change after it was published, the date not after the end. */
export const detailNames = (petition: Stage, by: FilledInBy = 'creator'): readonly FieldName[] => {
  const names: readonly FieldName[] =
    petition.published_at === null ? unpublishedDetailNames : publishedDetailNames;
  return names
    .filter((name) => name !== 'closesAt' || isDateOpen(petition))
    .filter((name) => by === 'creator' || !creatorsFields.includes(name));
};

/** Whether the closing date can change. */
const isDateOpen = ({ status, published_at: publishedAt }: Stage) =>
  publishedAt === null || status === 'active' || status === 'draft';

export function textFields(view: View, state: FormState): Content[] {
  const say = speak(petitionTexts, view.language);
  const form = formFor(view, state, PetitionInput);
  return [
    form.text('title', { label: say('title'), hint: say('title_hint') }),
    form.text('description', {
      label: say('description'),
      hint: say('description_hint'),
      type: 'markdown',
      // Pictures belong to accounts.
      ...(view.viewer && { pictures: 'petition_image' }),
      rows: 12,
    }),
  ];
}

/** The fields of the details, the category first. */
export async function detailFields(
  view: View,
  state: FormState,
  petition: Stage & Pick<Petition, 'org_id'>,
  by: FilledInBy = 'creator',
): Promise<Content[]> {
  const names = new Set(detailNames(petition, by));
  const say = speak(petitionTexts, view.language);
  const categories = await listCategories(view.ctx, view.language);
  const organizations =
    names.has('orgId') && isOwnView(view) && view.ctx.site.current.modules.organizations
      ? await organizationsFor(view, petition)
      : [];
  const form = formFor(view, state, PetitionUpdate);
  return [
    form.select('categoryId', {
      label: say('category'),
      options: [{ value: '', label: say('category_none') }, ...optionsOf(categories)],
    }),
    form.text('tags', { label: say('tags'), hint: say('tags_hint') }),
    form.text('signatureGoal', { label: say('goal'), hint: say('goal_hint') }),
    names.has('closesAt') &&
      form.text('closesAt', {
        label: say('closes_at'),
        hint: say('closes_at_hint'),
        type: 'datetime-local',
      }),
    html`<fieldset><legend>${say('place')}</legend>
${[
  form.text('locationCity', { label: say('city') }),
  form.text('locationRegion', { label: say('region') }),
  form.select('locationCountry', {
    label: say('country'),
    options: [{ value: '', label: say('country_none') }, ...countryOptions(view)],
  }),
]}</fieldset>\n`,
    names.has('visibility') &&
      form.select('visibility', {
        label: say('visibility'),
        options: visibilities.map((value) => ({ value, label: say(`visibility_${value}`) })),
      }),
    names.has('signaturePrivacy')
      ? form.select('signaturePrivacy', {
          label: say('privacy'),
          options: signaturePrivacies.map((value) => ({ value, label: say(`privacy_${value}`) })),
        })
      : html`<p class="hint">${say(by === 'creator' ? 'settled' : 'creators_terms')}</p>`,
    organizations.length > 0 &&
      form.select('orgId', {
        label: say('organization'),
        options: [{ value: '', label: say('organization_none') }, ...optionsOf(organizations)],
      }),
  ];
}

const optionsOf = (records: { id: string; name: string }[]) =>
  records.map(({ id, name }) => ({ value: id, label: name }));

/** The viewer's organizations, and the one of the petition, which its creator may have left. */
async function organizationsFor(
  { ctx, viewer }: OwnView,
  { org_id: orgId }: Pick<Petition, 'org_id'>,
): Promise<Organization[]> {
  const [own, chosen] = await Promise.all([
    ownOrganizations(ctx, viewer.caller, { limit: 100 }),
    organizationsById(ctx.db, orgId === null ? [] : [orgId]),
  ]);
  const joined = own.items.map(({ organization }) => [organization.id, organization] as const);
  return [...new Map([...joined, ...chosen]).values()];
}

/**
 * Reads changes of a petition from these fields. Empty details are cleared; the organization stays where the form has no
 * choice of one.
 * @throws {Problem} validation-failed, with the fields by name
 */
export const readChanges = (fields: Fields, names: readonly FieldName[]): PetitionUpdate => {
  const given = names.filter((name) => name !== 'orgId' || fields.orgId !== undefined);
  return readForm(PetitionUpdate, fields, given, {
    required: textNames,
    read: { tags: tagsIn, closesAt: timeIn },
  });
};

/** Tags are separated by commas; Arabic has a comma of its own. */
const tagsIn = (text: string) =>
  text
    .split(/[,،]/)
    .map((tag) => tag.trim())
    .filter(Boolean);

/** A time in UTC, as browsers send it (HTML, local date and time); other texts as they are, so that validation fails. */
const timeIn = (text: string): string | undefined => {
  const [, day, minutes, seconds = ':00'] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?$/.exec(text) ?? [];
  return day === undefined ? text || undefined : `${day}T${minutes}${seconds}Z`;
};

/** A time for such a field: without seconds, if there are none. */
const timeField = (time: Date | string | null): string =>
  time === null
    ? ''
    : new Date(time)
        .toISOString()
        .replace('Z', '')
        .replace(/(:00)?\.000$/, '');

/** The values of a petition's form, by fields of which some cannot change after it was published. */
export function valuesOf(petition: EditablePetition, by: FilledInBy = 'creator'): Fields {
  const values = allValuesOf(petition);
  const names = [...textNames, ...detailNames(petition, by)];
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

const allValuesOf = (petition: EditablePetition): Record<FieldName, string> => ({
  title: petition.title,
  description: petition.description,
  categoryId: petition.category?.id ?? '',
  tags: petition.tags.join(', '),
  signatureGoal: String(petition.signature_goal ?? ''),
  closesAt: timeField(petition.closes_at),
  visibility: petition.visibility,
  locationCity: petition.location_city ?? '',
  locationRegion: petition.location_region ?? '',
  locationCountry: petition.location_country ?? '',
  signaturePrivacy: petition.signature_privacy,
  orgId: petition.org_id ?? '',
});
