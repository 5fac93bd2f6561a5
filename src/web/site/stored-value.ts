import { html, type Content, type Html } from '../../platform/html.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { textOf, type Fields } from './page-routes.ts';
import type { View } from './view.ts';

/** A field whose stored value is shown. */
interface StoredField {
  name: string;
  /** Of the element. */
  id: string;
  /** How a value is shown; as a text by default. */
  show?: (text: string) => Content;
}

interface StoredState {
  stored?: Fields;
  values: Fields;
  /** Of stored texts, by field. */
  languages?: Record<string, string | null>;
}

/** Shows what is stored now, where somebody changed it meanwhile and something else was typed. */
export function storedValue(
  { say, language }: View,
  { stored, values, languages }: StoredState,
  { name, id, show }: StoredField,
): Html | undefined {
  if (!stored) return undefined;
  const text = plainText(stored, name);
  if (text === plainText(values, name)) return undefined;
  const content = show ? show(text) : text || say('stored_empty');
  return html`<div class="stored" id="${id}-stored"><p class="hint">${say('stored_now')}</p>
<p class="plain-text"${!show && text !== '' && languageAttributes(languages?.[name] ?? null, language)}>${content}</p></div>\n`;
}

/** Browsers send line breaks as CRLF. */
const plainText = (fields: Fields, name: string): string =>
  textOf(fields, name).replaceAll('\r\n', '\n');
