export { dashboardStyles } from './assets.ts';
export { deletionPanel, requireConfirmation } from './deletion.ts';
export { actionButton, actionPanel, dashboardPage, petitionPath } from './frame.ts';
export { entryItem } from './entries.ts';
export { dashboardTexts } from './texts.ts';
export {
  detailFields,
  detailNames,
  readChanges,
  textFields,
  textNames,
  valuesOf,
} from './petition-form.ts';
export { makerFields, readMaker } from './maker-fields.ts';
