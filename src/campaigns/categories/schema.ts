import { Type, type Static } from 'typebox';
import { named, Uuid, VisibleText } from '../../platform/http/schema.ts';

export const Category = named(
  'Category',
  Type.Object({ id: Uuid, name: Type.String(), slug: Type.String() }),
);
export type Category = Static<typeof Category>;

export const CategoryInput = Type.Object({
  name: VisibleText({ minLength: 1, maxLength: 100 }),
});
