export { awaitedMailScript, draftScript, pictureScript } from './assets.ts';
export { captchaAssets, captchaFields, captchaProblem, requireFormCaptcha } from './captcha.ts';
export { draftAttributes, draftSaved, draftStatus } from './draft-saving.ts';
export { reportProblem } from './error-summary.ts';
export { countryOptions, field, type FormState } from './fields.ts';
export {
  formFor,
  hiddenFields,
  actionForm,
  postForm,
  readForm,
  stateOf,
  type Form,
} from './form.ts';
export { editStateOf, shownUnchanged } from './edit-form.ts';
export { formToken } from './form-token.ts';
export { sitePage } from './site-layout.ts';
export { checkInput, digitsIn, omitEmpty, localPathOr, pageOf, toAsciiDigits } from './input.ts';
export { logOut } from './log-out.ts';
export { onceToken } from './once.ts';
export {
  isOwnView,
  loginNeeded,
  Site,
  textOf,
  textsIn,
  type Fields,
  type FormHandler,
  type FormRequest,
  type OwnView,
  type PageHandler,
  type PageRequest,
} from './page-routes.ts';
export {
  avatar,
  canonicalLink,
  copyButton,
  doneNotice,
  feedLinks,
  listOf,
  nextLink,
  noIndex,
  panel,
  progressOf,
  statusBadge,
  tabs,
} from './parts.ts';
export { categoryPattern } from './pattern.ts';
export { petitionCard, petitionList } from './petition-card.ts';
export { fullWidth, responsiveImage, type Layout } from './responsive-image.ts';
export {
  pictureFields,
  pictureForm,
  pictureNotice,
  pictureStatus,
  storePicture,
  takePicture,
  type PictureForm,
} from './pictures.ts';
export { isShared, sharedPage } from './shared-page.ts';
export { callerOf, viewAs, type View } from './view.ts';
