import { html, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { listCategories } from '../../campaigns/categories/categories.ts';
import type { Category } from '../../campaigns/categories/schema.ts';
import {
  signaturePrivacies,
  visibilities,
  type Petition,
} from '../../campaigns/petitions/schema.ts';
import { organizationsById, ownOrganizations } from '../../identity/organizations/organizations.ts';
import type { Organization } from '../../identity/organizations/schema.ts';
import {
  countryOptions,
  field,
  numberIn,
  selectField,
  textOf,
  type Fields,
  type FormState,
  type OwnView,
  type View,
} from '../site/site.ts';
import { petitionTexts } from './texts.ts';

/** The fields for what a petition says. */
export function textFields(view: View, state: FormState): Html {
  const say = speak(petitionTexts, view.language);
  return html`${field(view, state, {
    name: 'title',
    label: say('title'),
    hint: say('title_hint'),
    required: true,
    minLength: 5,
    maxLength: 200,
  })}${field(view, state, {
    name: 'description',
    label: say('description'),
    hint: say('description_hint'),
    type: 'textarea',
    rows: 12,
    required: true,
    minLength: 50,
    maxLength: 50_000,
  })}`;
}

export const textIn = (fields: Fields) => ({
  title: textOf(fields, 'title'),
  description: textOf(fields, 'description'),
});

/** What can be chosen for a petition's details. */
export interface Choices {
  categories: Category[];
  /** Of the viewer, and the one for which the petition is, though its creator may have left. */
  organizations: Organization[];
}

export async function choicesFor(
  { ctx, viewer }: OwnView,
  { org_id: current }: Petition,
): Promise<Choices> {
  const [categories, own, chosen] = await Promise.all([
    listCategories(ctx),
    ownOrganizations(ctx, viewer.caller, { limit: 100 }),
    organizationsById(ctx.db, current === null ? [] : [current]),
  ]);
  const all = [...own.items.map(({ organization }) => organization), ...chosen.values()];
  return { categories, organizations: [...new Map(all.map((one) => [one.id, one])).values()] };
}

interface DetailFields extends Choices {
  /** Who sees names, and for whom it is, can be chosen no more. */
  settled: boolean;
}

/** The fields for all that a petition has besides its text. */
export function detailFields(view: View, state: FormState, details: DetailFields): Html {
  const say = speak(petitionTexts, view.language);
  return html`${selectField(view, state, {
    name: 'categoryId',
    label: say('category'),
    options: [
      { value: '', label: say('category_none') },
      ...details.categories.map(({ id, name }) => ({ value: id, label: name })),
    ],
  })}${field(view, state, { name: 'tags', label: say('tags'), hint: say('tags_hint') })}${field(
    view,
    state,
    {
      name: 'signatureGoal',
      label: say('goal'),
      hint: say('goal_hint'),
      inputMode: 'numeric',
      maxLength: 15,
    },
  )}<fieldset><legend>${say('place')}</legend>
${field(view, state, { name: 'locationCity', label: say('city'), maxLength: 100 })}${field(
    view,
    state,
    { name: 'locationRegion', label: say('region'), maxLength: 100 },
  )}${selectField(view, state, {
    name: 'locationCountry',
    label: say('country'),
    options: [{ value: '', label: say('country_none') }, ...countryOptions(view)],
  })}</fieldset>
${selectField(view, state, {
  name: 'visibility',
  label: say('visibility'),
  options: visibilities.map((value) => ({ value, label: say(`visibility_${value}`) })),
})}${details.settled ? html`<p class="hint">${say('settled')}</p>` : unsettledFields(view, state, details)}`;
}

function unsettledFields(view: View, state: FormState, { organizations }: Choices): Html {
  const say = speak(petitionTexts, view.language);
  return html`${selectField(view, state, {
    name: 'signaturePrivacy',
    label: say('privacy'),
    options: signaturePrivacies.map((value) => ({ value, label: say(`privacy_${value}`) })),
  })}${
    organizations.length > 0 &&
    selectField(view, state, {
      name: 'orgId',
      label: say('organization'),
      options: [
        { value: '', label: say('organization_none') },
        ...organizations.map(({ id, name }) => ({ value: id, label: name })),
      ],
    })
  }`;
}

/** The details that were filled in; what was left empty is cleared. */
export const detailsIn = (fields: Fields) => ({
  categoryId: textOf(fields, 'categoryId') || null,
  tags: tagsIn(textOf(fields, 'tags')),
  signatureGoal: numberIn(textOf(fields, 'signatureGoal')) ?? null,
  visibility: textOf(fields, 'visibility') || 'public',
  locationCity: textOf(fields, 'locationCity') || null,
  locationRegion: textOf(fields, 'locationRegion') || null,
  locationCountry: textOf(fields, 'locationCountry') || null,
});

/** Those besides that publishing settles. */
export const unsettledIn = (fields: Fields) => ({
  signaturePrivacy: textOf(fields, 'signaturePrivacy') || 'public',
  orgId: textOf(fields, 'orgId') || null,
});

/** Arabic has a comma of its own. */
const tagsIn = (text: string) =>
  text
    .split(/[,،]/)
    .map((tag) => tag.trim())
    .filter(Boolean);

/** A petition as its forms hold it. */
export const valuesOf = (petition: Petition): Fields => ({
  title: petition.title,
  description: petition.description,
  categoryId: petition.category?.id ?? '',
  tags: petition.tags.join(', '),
  signatureGoal: petition.signature_goal === null ? '' : String(petition.signature_goal),
  visibility: petition.visibility,
  locationCity: petition.location_city ?? '',
  locationRegion: petition.location_region ?? '',
  locationCountry: petition.location_country ?? '',
  signaturePrivacy: petition.signature_privacy,
  orgId: petition.org_id ?? '',
});
