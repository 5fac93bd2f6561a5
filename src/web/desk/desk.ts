export { requireSure } from './finish.ts';
export { act, deskPage, placeOf } from './frame.ts';
export { entryList } from './entries.ts';
export { deskTexts } from './texts.ts';
export {
  choicesFor,
  detailFields,
  detailsIn,
  textFields,
  textIn,
  unsettledIn,
  valuesOf,
} from './petition-fields.ts';
export { makerFields, makerIn } from './maker-fields.ts';
