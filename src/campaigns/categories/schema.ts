import { Type, type Static, type TSchema } from 'typebox';
import { named, nullable, Uuid, VisibleText } from '../../platform/http/schema.ts';
import { languages } from '../../platform/pages/language.ts';

const properties = { id: Uuid, name: Type.String(), slug: Type.String() };

export const Category = named('Category', Type.Object(properties));
export type Category = Static<typeof Category>;

/** `name` is the English one. */
const otherLanguages = languages.filter((language) => language !== 'en');

/** A name for each language of the pages but English. */
const namesOf = <T extends TSchema>(name: T, description: string) =>
  Type.Unsafe<Record<string, Static<T>>>({
    type: 'object',
    properties: Object.fromEntries(otherLanguages.map((language) => [language, name])),
    additionalProperties: false,
    description,
  });

/** A category as administrators see it. */
export const AdminCategory = named(
  'AdminCategory',
  Type.Object({
    ...properties,
    names: namesOf(Type.String(), 'By language. `name` is the English one.'),
    position: nullable(Type.Integer({ description: 'Lists go by it, then by name. null: last.' })),
    merged_into: nullable(
      Type.String({ format: 'uuid', description: 'The category that has its petitions now.' }),
    ),
  }),
);
export type AdminCategory = Static<typeof AdminCategory>;

const Name = VisibleText({ minLength: 1, maxLength: 100 });

export const CategoryInput = Type.Object({
  name: Name,
  names: Type.Optional(namesOf(Name, 'By language. `name` is the English one.')),
});
export type CategoryInput = Static<typeof CategoryInput>;

export const CategoryUpdate = Type.Object({
  name: Type.Optional(Name),
  names: Type.Optional(
    namesOf(
      nullable(Name),
      'By language. null removes one; languages that are absent keep theirs.',
    ),
  ),
  position: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: 1000,
        description: 'Lists go by it, then by name. null: last.',
      }),
    ),
  ),
});
export type CategoryUpdate = Static<typeof CategoryUpdate>;

export const CategoryMerger = Type.Object({ into: Uuid });
export type CategoryMerger = Static<typeof CategoryMerger>;

const categoryRef = (description: string) =>
  Type.Optional(Type.String({ maxLength: 200, description }));

/** Query parameters that filter by category. */
export const categoryFilter = {
  category: categoryRef('Slug or id of the category'),
  categoryId: categoryRef('Same as `category`.'),
};

/** Query parameter of reads that show categories. */
export const categoryLanguage = {
  lang: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$',
      maxLength: 35,
      description:
        'Language of the names of categories (BCP 47). Default, and where there is no such name: English.',
    }),
  ),
};
