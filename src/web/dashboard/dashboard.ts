export { dashboardStyles } from './assets.ts';
export { requireSure } from './finish.ts';
export { act, dashboardPage, petitionPath } from './frame.ts';
export { entryList } from './entries.ts';
export { dashboardTexts } from './texts.ts';
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
