import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { maxImageAltLength } from '../../platform/http/schema.ts';
import { isUuid } from '../../platform/ids.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { Problem } from '../../platform/problems.ts';
import { requireOwnMedia, uploadMedia, type PictureOwners } from '../../campaigns/media/media.ts';
import {
  failureCodes,
  maxBytes,
  pictureTypes,
  UploadForm,
  type EntityType,
  type FailureCode,
  type Media,
} from '../../campaigns/media/schema.ts';
import { reportError, reportProblem } from './error-summary.ts';
import { field, type FormState } from './fields.ts';
import { postForm } from './form.ts';
import { formToken } from './form-token.ts';
import { checkInput, omitEmpty } from './input.ts';
import { pictureTexts } from './texts.ts';
import type { Fields, OwnView } from './page-routes.ts';
import { responsiveImage } from './responsive-image.ts';
import type { View } from './view.ts';

/** What became of a picture that was just uploaded; for one that failed, why. */
type PictureStatus = Exclude<Media['status'], 'failed'> | FailureCode;

/** The picture of a form. */
export interface PictureState {
  /** Address of the current picture. */
  url: string | null;
  /** Status of the picture that was just uploaded. */
  status?: PictureStatus | undefined;
  problem?: Problem | undefined;
}

export interface PictureForm extends PictureState {
  /** Path of the form; `/remove` below it removes the picture. */
  action: string;
  /** Distinguishes several forms on a page. */
  name?: string;
  title?: Content;
  hint?: Content;
  /** Shows the picture in another way than as an image. */
  shown?: Html;
  /** For pictures that are described in words. */
  alt?: AltForms;
}

/** Fields for what a picture shows, in words: of a new one, and of the current one. */
interface AltForms {
  /** Name of the field of the current picture's form, whose path is `/alt` below that of the picture. */
  name: 'image_alt' | 'imageAlt';
  /** State of the form that uploads. */
  upload: FormState;
  /** State of the form of the current picture. */
  change: FormState;
}

/** A form that uploads or removes a picture; picture.js sends it without leaving the page. */
export function pictureForm(view: View, form: PictureForm): Html {
  const { action, name = 'picture', alt } = form;
  // A problem of the words alone stands at their field.
  const problem = isOnlyOfAlt(form.problem) ? undefined : form.problem;
  const say = speak(pictureTexts, view.language);
  reportProblem(view, { problem: form.problem });
  if (problem?.kind === 'validation-failed') {
    reportError(view, { id: `${name}-file`, label: say('file'), text: say('unusable') });
  }
  return html`<section class="panel" id="${name}"><h2>${form.title ?? say('title')}</h2>
${shownPicture(view, form)}<form method="post" action="${action}" enctype="multipart/form-data" data-upload="${name}" data-largest="${maxBytes}" data-unusable="${say('unusable')}" data-unsent="${say('unsent')}">${formToken(view)}
<div class="field"><label for="${name}-file">${say('file')}</label>
<span class="hint" id="${name}-hint">${form.hint ?? say('hint')}</span>
<input type="file" id="${name}-file" name="file" accept="${pictureTypes.join(',')}" required aria-describedby="${name}-hint ${name}-wrong"${attribute('aria-invalid', problem && 'true')}>
<span class="wrong" id="${name}-wrong" aria-live="assertive">${problem && say('unusable')}</span></div>
${alt && altField(view, alt.upload, { name: 'image_alt', id: `${name}-alt` })}<progress class="progress" max="1" value="0" hidden aria-label="${say('upload')}"></progress>
<button class="second">${say('upload')}</button>
</form></section>\n`;
}

interface PictureFields extends Omit<PictureState, 'problem'> {
  /** Where picture.js sends the picture as soon as it is chosen. */
  uploadAt: string;
  /** State of the form around, whose field `imageAlt` says what the picture shows. */
  state: FormState;
  /** Value of the button `go` that removes the picture. */
  removeValue: string;
}

/** A picture as a part of a larger form, which stores it without a script; picture.js sends it at once. */
export function pictureFields(
  view: View,
  { uploadAt, state, removeValue, ...picture }: PictureFields,
): Html {
  const name = 'picture';
  const say = speak(pictureTexts, view.language);
  const isWrong = state.problem?.errors?.some(({ field: one }) => one === 'file') ?? false;
  if (isWrong) {
    reportError(view, { id: `${name}-file`, label: say('file'), text: say('unusable') });
  }
  return html`<section class="panel" id="${name}" data-upload="${name}" data-upload-at="${uploadAt}" data-largest="${maxBytes}" data-unusable="${say('unusable')}" data-unsent="${say('unsent')}"><h2>${say('title')}</h2>
<div id="${name}-shown" role="status"${comingAttribute(view, picture.status)}>${pictureNotice(view, picture)}${
    picture.url !== null &&
    html`<p><button class="danger" name="go" value="${removeValue}" formnovalidate>${say('remove')}</button></p>\n`
  }</div>
<div class="field"><label for="${name}-file">${say('file')}</label>
<span class="hint" id="${name}-hint">${say('hint')}</span>
<input type="file" id="${name}-file" name="file" accept="${pictureTypes.join(',')}" aria-describedby="${name}-hint ${name}-wrong"${attribute('aria-invalid', isWrong && 'true')}>
<span class="wrong" id="${name}-wrong" aria-live="assertive">${isWrong && say('unusable')}</span></div>
<progress class="progress" max="1" value="0" hidden aria-label="${say('upload')}"></progress>
${altField(view, state, { name: 'imageAlt', id: `${name}-alt` })}</section>\n`;
}

const isPending = (status: PictureStatus | undefined): boolean =>
  status === 'pending' || status === 'uploaded' || status === 'processing';

const comingAttribute = (view: View, status: PictureStatus | undefined) =>
  attribute('data-coming', isPending(status) && view.path);

const failureTexts = { unacceptable: 'failed', damaged: 'damaged', too_slow: 'too_slow' } as const;

const isOnlyOfAlt = (problem: Problem | undefined): boolean =>
  problem?.errors?.every(({ field: name }) => name === 'image_alt') ?? false;

/** A field for what a picture shows, in words. */
function altField(view: View, state: FormState, place: { name: string; id: string }): Html {
  const say = speak(pictureTexts, view.language);
  return field(view, state, {
    ...place,
    label: say('alt'),
    hint: say('alt_hint'),
    maxLength: maxImageAltLength,
  });
}

/** The picture, the status of one that was just uploaded, and forms that change it. */
function shownPicture(
  view: View,
  { action, name = 'picture', alt, ...picture }: PictureForm,
): Html {
  const say = speak(pictureTexts, view.language);
  const { url, status } = picture;
  return html`<div id="${name}-shown" role="status"${comingAttribute(view, status)}>${pictureNotice(view, picture)}${
    alt &&
    url !== null &&
    !isPending(status) &&
    postForm(view, alt.change, {
      action: `${action}/alt`,
      fields: altField(view, alt.change, { name: alt.name, id: `${name}-current-alt` }),
      submit: say('alt_save'),
      buttonClass: 'second',
    })
  }${
    url !== null &&
    html`<form method="post" action="${action}/remove">${formToken(view)}<button class="danger">${say('remove')}</button></form>\n`
  }</div>
`;
}

/** The picture, and the status of one that was just uploaded. */
export function pictureNotice(
  view: View,
  { url, status, shown }: PictureState & Pick<PictureForm, 'shown'>,
): Html {
  const say = speak(pictureTexts, view.language);
  const failure = failureCodes.find((code) => code === status);
  const picture =
    shown ??
    (url &&
      responsiveImage(
        view,
        url,
        { className: 'shown', sizes: '28rem', loading: 'eager' },
        html`<span class="notice">${say('not_copied')}</span>`,
      ));
  return html`${picture && html`<p>${picture}</p>\n`}${
    isPending(status) &&
    html`<p class="notice">${say('pending')} <a href="${view.path}" data-without-script>${say('look_again')}</a></p>\n`
  }${status === 'ready' && html`<p class="notice">${say('ready')}</p>\n`}${
    failure && html`<p class="notice bad">${say(failureTexts[failure])}</p>\n`
  }`;
}

/** What a picture is uploaded for. */
interface PictureRecord {
  type: EntityType;
  /** Undefined for the viewer's avatar. */
  id?: string;
}

/** Stores the picture of a form with the fields `file` and `image_alt`. */
export async function storePicture(
  { ctx, viewer }: OwnView,
  pictureOwners: PictureOwners,
  { fields: { file, image_alt }, type, id }: PictureRecord & { fields: Fields },
): Promise<Media> {
  const input = checkInput(
    UploadForm,
    omitEmpty({ file, entity_type: type, entity_id: id, image_alt }),
  );
  return uploadMedia(ctx, pictureOwners, viewer.caller, input);
}

/** Stores the uploaded picture, and redirects to the page of the form, which shows its status. */
export async function takePicture(
  view: OwnView,
  pictureOwners: PictureOwners,
  {
    page,
    name = 'picture',
    ...picture
  }: PictureRecord & { fields: Fields; page: string; name?: string },
): Promise<RawAnswer> {
  const { id } = await storePicture(view, pictureOwners, picture);
  return redirectTo(view.header, `${page}?media=${id}&of=${name}#${name}`, 303);
}

/** The status of the picture that the page's query names, if it belongs to this form. */
export async function pictureStatus(
  { ctx, viewer }: OwnView,
  { media, of }: Record<string, string>,
  name = 'picture',
): Promise<PictureStatus | undefined> {
  if (!media || !isUuid(media) || of !== name) return undefined;
  try {
    const { status, failure } = await requireOwnMedia(ctx, viewer.caller, media);
    return status === 'failed' ? (failure ?? 'unacceptable') : status;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
