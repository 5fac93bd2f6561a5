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

/** The picture, and the status of one that was just uploaded. */
function shownPicture(
  view: View,
  { action, name = 'picture', url, status, shown, alt }: PictureForm,
): Html {
  const say = speak(pictureTexts, view.language);
  const isPending = status === 'pending' || status === 'uploaded' || status === 'processing';
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
  return html`<div id="${name}-shown" role="status"${attribute('data-coming', isPending && view.path)}>${
    picture && html`<p>${picture}</p>\n`
  }${
    isPending &&
    html`<p class="notice">${say('pending')} <a href="${view.path}" data-without-script>${say('look_again')}</a></p>\n`
  }${status === 'ready' && html`<p class="notice">${say('ready')}</p>\n`}${
    failure && html`<p class="notice bad">${say(failureTexts[failure])}</p>\n`
  }${
    alt &&
    url !== null &&
    !isPending &&
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

/** Stores the uploaded picture, and redirects to the page of the form, which shows its status. */
export async function takePicture(
  { ctx, header, viewer }: OwnView,
  pictureOwners: PictureOwners,
  {
    fields,
    page,
    name = 'picture',
    ...record
  }: {
    fields: Fields;
    page: string;
    name?: string;
    type: EntityType;
    /** Undefined for the viewer's avatar. */
    id?: string;
  },
): Promise<RawAnswer> {
  const { file, image_alt } = fields;
  const input = checkInput(
    UploadForm,
    omitEmpty({ file, entity_type: record.type, entity_id: record.id, image_alt }),
  );
  const { id } = await uploadMedia(ctx, pictureOwners, viewer.caller, input);
  return redirectTo(header, `${page}?media=${id}&of=${name}#${name}`, 303);
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
