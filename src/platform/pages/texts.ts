import editor from '../../../locales/en/editor.json' with { type: 'json' };
import en from '../../../locales/en/failures.json' with { type: 'json' };
import { catalog } from './catalog.ts';

/** Texts of failures, for every page that shows them. */
export const failureTexts = catalog('failures', en);

/** Texts of fields that take Markdown. */
export const editorTexts = catalog('editor', editor);
