import { attribute, html, type Content, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { isUuid } from '../../platform/ids.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { Problem } from '../../platform/problems.ts';
import { requireOwnMedia, uploadMedia, type ImageHolders } from '../../campaigns/media/media.ts';
import { failureCodes, type FailureCode } from '../../campaigns/media/failures.ts';
import {
  maxBytes,
  pictureTypes,
  UploadForm,
  type EntityType,
  type Media,
} from '../../campaigns/media/schema.ts';
import { reportError, reportProblem } from './error-summary.ts';
import { formToken } from './form-token.ts';
import { checkInput, omitEmpty } from './input.ts';
import { pictureTexts } from './texts.ts';
import type { Fields, OwnView } from './routes.ts';
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

interface PictureForm extends PictureState {
  /** Path of the form; `/remove` below it removes the picture. */
  action: string;
  /** Distinguishes several forms on a page. */
  name?: string;
  title?: Content;
  hint?: Content;
  /** Shows the picture in another way than as an image. */
  shown?: Html;
}

/** A form that uploads or removes a picture; picture.js sends it without leaving the page. */
export function pictureForm(view: View, form: PictureForm): Html {
  const { action, problem, name = 'picture' } = form;
  const say = speak(pictureTexts, view.language);
  reportProblem(view, { problem });
  if (problem?.kind === 'validation-failed') {
    reportError(view, { id: `${name}-file`, label: say('file'), text: say('unusable') });
  }
  return html`<section class="panel" id="${name}"><h2>${form.title ?? say('title')}</h2>
${shownPicture(view, form)}<form method="post" action="${action}" enctype="multipart/form-data" data-upload="${name}" data-largest="${maxBytes}" data-unusable="${say('unusable')}" data-unsent="${say('unsent')}">${formToken(view)}
<div class="field"><label for="${name}-file">${say('file')}</label>
<span class="hint" id="${name}-hint">${form.hint ?? say('hint')}</span>
<input type="file" id="${name}-file" name="file" accept="${pictureTypes.join(',')}" required aria-describedby="${name}-hint ${name}-wrong"${attribute('aria-invalid', problem && 'true')}>
<span class="wrong" id="${name}-wrong" aria-live="assertive">${problem && say('unusable')}</span></div>
<progress class="progress" max="1" value="0" hidden aria-label="${say('upload')}"></progress>
<button class="second">${say('upload')}</button>
</form></section>\n`;
}

const failureTexts = { unacceptable: 'failed', damaged: 'damaged', too_slow: 'too_slow' } as const;

/** The picture, and the status of one that was just uploaded. */
function shownPicture(
  view: View,
  { action, name = 'picture', url, status, shown }: PictureForm,
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
    url !== null &&
    html`<form method="post" action="${action}/remove">${formToken(view)}<button class="danger">${say('remove')}</button></form>\n`
  }</div>
`;
}

/** Stores the uploaded picture, and redirects to the page of the form, which shows its status. */
export async function takePicture(
  { ctx, header, viewer }: OwnView,
  holders: ImageHolders,
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
  const { file } = fields;
  const input = checkInput(
    UploadForm,
    omitEmpty({ file, entity_type: record.type, entity_id: record.id }),
  );
  const { id } = await uploadMedia(ctx, holders, viewer.caller, input);
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
