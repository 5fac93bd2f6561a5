import { html, type Html } from '../../platform/html.ts';
import { editorButton } from '../../platform/pages/editor.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { maxBytes, pictureTypes, type EntityType } from '../../campaigns/media/schema.ts';
import { pictureTexts } from './texts.ts';
import type { View } from './view.ts';

/** Kinds of pictures that stand in texts. */
export const textPictureKinds = ['petition_image', 'petition_update_image'] as const;
export type TextPictures = (typeof textPictureKinds)[number] & EntityType;

export const textPicturesPath = '/text-pictures';

/** Opens the panel. */
export const pictureButton = ({ language }: View): Html =>
  editorButton({
    act: 'picture',
    drawing: 'picture',
    label: speak(pictureTexts, language)('in_text'),
  });

/**
 * Fields for a picture in a text, which text-pictures.js shows and sends. They have no names, since they are no part of
 * the form around them.
 */
export function picturePanel(view: View, { id, kind }: { id: string; kind: TextPictures }): Html {
  const say = speak(pictureTexts, view.language);
  return html`<div class="panel" data-text-pictures="${textPicturesPath}" data-kind="${kind}" data-largest="${maxBytes}" data-sending="${say('sending')}" data-pending="${say('pending')}" data-ready="${say('ready')}" data-failed="${say('failed')}" data-unusable="${say('unusable')}" data-unsent="${say('unsent')}" data-file-missing="${say('file_missing')}" data-shows-missing="${say('shows_missing')}" hidden>
<div class="field"><label for="${id}-picture">${say('file')}</label>
<span class="hint" id="${id}-picture-hint">${say('hint')}</span>
<input type="file" id="${id}-picture" accept="${pictureTypes.join(',')}" aria-describedby="${id}-picture-hint"></div>
<div class="field"><label for="${id}-shows">${say('alt')}</label>
<span class="hint" id="${id}-shows-hint">${say('alt_hint')}</span>
<input type="text" id="${id}-shows" maxlength="300" dir="auto" aria-describedby="${id}-shows-hint"></div>
<p class="small" role="status"></p>
<p class="row"><button type="button" class="second" data-act="insert">${say('insert')}</button>
<button type="button" class="plain" data-act="cancel">${view.say('cancel')}</button></p></div>\n`;
}
