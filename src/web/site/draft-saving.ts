import en from '../../../locales/en/draft-saving.json' with { type: 'json' };
import { attribute, html, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { catalog, speak } from '../../platform/pages/catalog.ts';
import { htmlType } from '../../platform/pages/page.ts';
import type { View } from './view.ts';

const texts = catalog('draft-saving', en);

/** Attributes of a form that draft.js saves while people write, at its own action or at another path. */
export function draftAttributes(view: View, savedAt?: string): Html {
  const say = speak(texts, view.language);
  return html` data-draft${attribute('data-saved-at', savedAt)} data-saving="${say('saving')}" data-saved="${say('saved')}" data-unsaved="${say('unsaved')}" data-offline="${say('offline')}" data-logged-out="${say('logged_out')}" data-failed="${say('failed')}"`;
}

/** Where draft.js says whether the form is saved. */
export const draftStatus = html`<p class="small quiet" role="status" data-draft-status></p>\n`;

/** The answer to draft.js: the draft can be loaded again at this path. */
export function draftSaved({ header }: View, path: string): RawAnswer {
  header('content-location', path);
  header('cache-control', 'no-store');
  return { mediaType: htmlType, body: '' };
}
