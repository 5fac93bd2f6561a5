import { Type, type TObject, type TSchema } from 'typebox';
import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { idOf, nullable } from '../../platform/http/schema.ts';
import { languageName, languages, type Language } from '../../platform/pages/language.ts';
import { notFound } from '../../platform/problems.ts';
import {
  addCategory,
  listAllCategories,
  mergeCategory,
  renameCategory,
} from '../../campaigns/categories/categories.ts';
import {
  CategoryInput,
  CategoryMerger,
  CategoryUpdate,
  type AdminCategory,
} from '../../campaigns/categories/schema.ts';
import {
  doneNotice,
  field,
  formFor,
  panel,
  postForm,
  readForm,
  stateOf,
  type Fields,
  type FormHandler,
  type OwnView,
  type PageHandler,
  type PageRequest,
  type Site,
} from '../site/site.ts';
import { administrationPage, sayOf } from './administration.ts';

const path = '/admin/site/categories';
const access = 'admin';
const CategoryRef = Type.Object({ id: idOf('the category') });
type CategoryRef = { id: string };

/** Categories: their names in each language, their order, and merging. */
export const categoryRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showCategories',
    path,
    access,
    show: categoriesPage,
    forms: { add: { id: 'submitCategory', once: true, act: add } },
  }),
  ...site.page({
    id: 'showCategory',
    path: `${path}/{id}`,
    access,
    params: CategoryRef,
    show: categoryPage,
    forms: {
      edit: { id: 'submitCategoryChange', act: change },
      merge: { id: 'submitCategoryMerger', at: '/merge', act: merge },
    },
  }),
];

const otherLanguages = languages.filter((language) => language !== 'en');

const categoriesPage: PageHandler = async (view, request) => {
  const say = sayOf(view);
  const categories = await listAllCategories(view.ctx);
  const state = stateOf(request, 'add');
  const nameOf = (id: string | null) => categories.find((one) => one.id === id)?.name;
  return administrationPage(view, {
    section: 'categories',
    title: say('categories'),
    main: html`${doneNotice(say, request.query.done, ['category_saved', 'category_merged'])}<ul class="list">
${categories.map((category) => categoryItem(view, category, nameOf(category.merged_into)))}</ul>
${panel(
  say('category_add'),
  postForm(view, state, {
    action: path,
    once: true,
    fields: formFor(view, state, CategoryInput).text('name', { label: say('category_english') }),
    submit: say('category_add'),
  }),
)}`,
  });
};

const categoryItem = (view: OwnView, category: AdminCategory, into?: string): Html => {
  const say = sayOf(view);
  const { id, name, names } = category;
  const missing = otherLanguages.filter((language) => !names[language]).map(languageName);
  return html`<li class="row between"><div><p><a href="${path}/${id}" lang="en">${name}</a></p>
${
  into !== undefined
    ? html`<p class="quiet">${say('category_merged_into', { name: into })}</p>`
    : missing.length > 0 &&
      html`<p class="quiet">${say('category_untranslated', { languages: missing.join(', ') })}</p>`
}</div></li>
`;
};

/** The name of the field with the name in a language. */
const fieldOf = (language: Language): string => `name_${language}`;

const OptionalName = Type.Optional(nullable(CategoryInput.properties.name));

/** A change as the form has it: a field for the name in each language. */
const CategoryForm: TObject<Record<string, TSchema>> = Type.Object({
  name: CategoryUpdate.properties.name,
  position: CategoryUpdate.properties.position,
  ...Object.fromEntries(otherLanguages.map((language) => [fieldOf(language), OptionalName])),
});
const formFields = ['name', 'position', ...otherLanguages.map(fieldOf)];

const valuesOf = ({ name, names, position }: AdminCategory): Fields => ({
  name,
  position: position === null ? '' : String(position),
  ...Object.fromEntries(otherLanguages.map((one) => [fieldOf(one), names[one] ?? ''])),
});

async function categoryPage(view: OwnView, { params, ...request }: PageRequest<CategoryRef>) {
  const say = sayOf(view);
  const categories = await listAllCategories(view.ctx);
  const category = categories.find(({ id }) => id === params.id.toLowerCase());
  if (!category) throw notFound('category');
  const others = categories.filter((one) => one !== category && one.merged_into === null);
  const isMerged = category.merged_into !== null;
  return administrationPage(view, {
    section: 'categories',
    title: category.name,
    main: isMerged
      ? html`<p>${say('category_merged_into', { name: others.find(({ id }) => id === category.merged_into)?.name ?? '' })}</p>`
      : html`${editForm(view, request, category)}${others.length > 0 && mergeForm(view, request, { category, others })}`,
  });
}

function editForm(
  view: OwnView,
  request: Pick<PageRequest, 'refused'>,
  category: AdminCategory,
): Html {
  const say = sayOf(view);
  const state = stateOf(request, 'edit', valuesOf(category));
  const form = formFor(view, state, CategoryForm);
  return postForm(view, state, {
    action: `${path}/${category.id}`,
    fields: html`${form.text('name', { label: say('category_english'), required: true })}
${otherLanguages.map((language) =>
  field(view, state, {
    name: fieldOf(language),
    label: html`<span lang="${language}">${languageName(language)}</span>`,
    maxLength: 100,
  }),
)}${form.text('position', { label: say('category_position'), hint: say('category_position_hint') })}`,
    submit: view.say('save'),
  });
}

function mergeForm(
  view: OwnView,
  request: Pick<PageRequest, 'refused'>,
  { category, others }: { category: AdminCategory; others: AdminCategory[] },
): Html {
  const say = sayOf(view);
  const state = stateOf(request, 'merge');
  const form = formFor(view, state, CategoryMerger);
  const options = [
    { value: '', label: '–' },
    ...others.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return panel(
    say('category_merge'),
    html`<p>${say('category_merge_lead')}</p>
${postForm(view, state, {
  action: `${path}/${category.id}/merge`,
  fields: form.select('into', { label: say('category_into'), options }),
  submit: say('category_merge'),
  buttonClass: 'danger',
})}`,
  );
}

/** Adds a category by its English name. */
const add: FormHandler = async (view, { fields }) => {
  const input = readForm(CategoryInput, fields, ['name']);
  const { id } = await addCategory(view.ctx, view.viewer.caller, input);
  return `${path}/${id}`;
};

/** Changes the names and the position. */
const change: FormHandler<CategoryRef> = async (view, { params, fields }) => {
  const values = readForm(CategoryForm, fields, formFields, { required: ['name'] }) as Record<
    string,
    unknown
  >;
  const { name, position } = values as CategoryUpdate;
  const names = Object.fromEntries(
    otherLanguages.map((one) => [one, (values[fieldOf(one)] ?? null) as string | null]),
  );
  await renameCategory(view.ctx, view.viewer.caller, params.id, { name, position, names });
  return `${path}?done=category_saved`;
};

/** Merges the category into another one. */
const merge: FormHandler<CategoryRef> = async (view, { params, fields }) => {
  const input = readForm(CategoryMerger, fields, ['into'], { required: ['into'] });
  await mergeCategory(view.ctx, view.viewer.caller, params.id, input);
  return `${path}?done=category_merged`;
};
