import { attribute, html, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { isUuid } from '../../platform/ids.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { Problem } from '../../platform/problems.ts';
import { ownMedia, uploadMedia, type ImageHolders } from '../../campaigns/media/media.ts';
import {
  maxBytes,
  pictureTypes,
  UploadForm,
  type EntityType,
  type Media,
} from '../../campaigns/media/schema.ts';
import { checkInput, formToken, type Fields, type OwnView, type View } from '../site/site.ts';
import { act } from './frame.ts';
import { petitionTexts } from './petition-texts.ts';

/** What is known of a picture that a form is for. */
export interface PictureState {
  /** The one that is shown now. */
  url: string | null;
  /** How far the one is that was just uploaded. */
  status?: Media['status'] | undefined;
  problem?: Problem | undefined;
}

interface PictureForm extends PictureState {
  /** Where it is sent; removing it, to that with `/remove`. */
  action: string;
  /** The page that it is on. */
  page: string;
  /** Where there is more than one on the page. */
  name?: string;
  title?: Html;
}

/** A form for giving something a picture, or taking it away. */
export function pictureForm(view: View, form: PictureForm): Html {
  const { action, page, url, status, problem, name = 'picture' } = form;
  const say = speak(petitionTexts, view.language);
  const waits = status === 'pending' || status === 'uploaded' || status === 'processing';
  const wrong = (problem || status === 'failed') && `${name}-wrong`;
  return html`<section class="panel" id="${name}"><h2>${form.title ?? say('picture')}</h2>
${url && html`<p><img class="shown" src="${url}" alt="" referrerpolicy="no-referrer"></p>\n`}${
    waits &&
    html`<p class="notice" role="status" data-waiting>${say('picture_pending')} <a href="${page}#${name}">${say('reload')}</a></p>\n`
  }${wrong && html`<p role="alert" id="${wrong}">${say(problem ? 'picture_unusable' : 'picture_failed')}</p>\n`}<form method="post" action="${action}" enctype="multipart/form-data" data-upload data-largest="${maxBytes}" data-too-large="${say('picture_unusable')}">${formToken(view)}
<div class="field"><label for="${name}-file">${say('picture_file')}</label>
<span class="hint" id="${name}-hint">${say('picture_hint')}</span>
<input type="file" id="${name}-file" name="file" accept="${pictureTypes.join(',')}" required aria-describedby="${name}-hint${wrong && ` ${wrong}`}"${attribute('aria-invalid', wrong && 'true')}></div>
<progress class="progress" max="1" value="0" hidden aria-label="${say('upload')}"></progress>
<p role="alert" hidden></p>
<button class="second">${say('upload')}</button>
</form>
${url && act(view, `${action}/remove`, say('remove_picture'), 'danger')}</section>\n`;
}

/** Takes a picture that a form brought, and leads back to the form's page, which tells how far it is. */
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
    id: string;
  },
): Promise<RawAnswer> {
  const input = checkInput(UploadForm, {
    file: fields.file,
    entity_type: record.type,
    entity_id: record.id,
  });
  const { id } = await uploadMedia(ctx, holders, viewer.caller, input);
  return redirectTo(header, `${page}?media=${id}&of=${name}#${name}`, 303);
}

/** How far the picture is that a page's address names, if that is of this form. */
export async function pictureStatus(
  { ctx, viewer }: OwnView,
  { media, of }: Record<string, string>,
  name = 'picture',
): Promise<Media['status'] | undefined> {
  if (!media || !isUuid(media) || of !== name) return undefined;
  try {
    return (await ownMedia(ctx, viewer.caller, media)).status;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
