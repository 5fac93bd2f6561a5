export {
  actionButton,
  actionPanel,
  dashboardPage,
  dashboardStyles,
  deletionPanel,
  namedLabel,
  petitionPath,
  requireConfirmation,
} from './dashboard-layout.ts';
export { setPetitionPicture } from './edit.ts';
export { entryItem } from './list.ts';
export { dashboardTexts } from './texts.ts';
export {
  detailFields,
  detailNames,
  readChanges,
  textFields,
  textNames,
  valuesOf,
} from './petition-form.ts';
export { makerFields, readMaker } from './makers.ts';
