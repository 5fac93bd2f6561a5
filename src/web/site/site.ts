export { checkbox, choicesField, field, formAlert, selectField, type FormState } from './fields.ts';
export { failurePage, fieldErrorText, problemText } from './failures.ts';
export { formToken, sitePage } from './frame.ts';
export { checkInput, given, numberIn, ownPath } from './input.ts';
export { Site, textOf, textsIn, type Fields, type OwnView } from './routes.ts';
export {
  avatar,
  canonicalLink,
  doneNotice,
  feedLinks,
  nextLink,
  petitionCard,
  progressOf,
  statusBadge,
} from './parts.ts';
export { callerOf, type View, type Viewer } from './view.ts';
