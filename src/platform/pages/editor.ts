import { html, type Html } from '../html.ts';
import { asset } from './assets.ts';
import { speak } from './catalog.ts';
import type { Language } from './language.ts';
import { editorTexts } from './texts.ts';

/** Adds buttons and a preview to fields that take Markdown, and turns pasted HTML into Markdown. */
export const editorScript = asset(
  ['editor-marks.js', 'editor-paste.js', 'editor.js'].map((file) => new URL(file, import.meta.url)),
  'editor.js',
);

/** Where the editor sends a text to be rendered, in a field of this name. */
export const previewPath = '/preview';
export const previewField = 'text';

export interface Editor {
  language: Language;
  /** Of the text area. */
  id: string;
  textArea: Html;
  /** Shown below the buttons, for tools of its own. */
  panel?: Html | undefined;
  /** More buttons. */
  buttons?: Html | undefined;
}

/** Which marks a field takes, in one sentence. */
export const editorHint = (language: Language): Html => speak(editorTexts, language)('hint');

const drawings = {
  bold: 'M7 4h6a4 4 0 0 1 0 8H7zM7 12h7a4 4 0 0 1 0 8H7z',
  italics: 'M10 4h8M6 20h8M14 4l-4 16',
  heading: 'M6 4v16M18 4v16M6 12h12',
  list: 'M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01',
  quote: 'M4 5v14M9 7h11M9 12h11M9 17h7',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  picture: 'M4 5h16v14H4zM4 16l5-5 5 5 2-2 4 4M15 9h.01',
};

interface EditorButton {
  /** What editor.js does. */
  act: string;
  drawing: keyof typeof drawings;
  label: Html;
  /** The key that does it together with Ctrl or Cmd. */
  key?: string;
}

/** A button of the editor, with a drawing. */
export const editorButton = ({ act, drawing, label, key }: EditorButton): Html =>
  html`<button type="button" class="second" data-act="${act}" aria-label="${label}" title="${label}${key && html` (Ctrl+${key})`}"${key && html` aria-keyshortcuts="Control+${key} Meta+${key}"`}><svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true"><path d="${drawings[drawing]}"/></svg></button>\n`;

/**
 * A text area for Markdown, and a guide to the marks. The buttons are hidden until editor.js is there: without scripts it
 * is a text area.
 */
export function editorOf({ language, id, textArea, panel, buttons }: Editor): Html {
  const say = speak(editorTexts, language);
  const tools = [
    { act: 'bold', key: 'B' },
    { act: 'italics', key: 'I' },
    { act: 'heading' },
    { act: 'list' },
    { act: 'quote' },
    { act: 'link', key: 'K' },
  ] as const;
  const toggle = (act: 'write' | 'preview') =>
    html`<button type="button" class="second" data-act="${act}" aria-pressed="${String(act === 'write')}">${say(act)}</button>\n`;
  return html`<div class="editor" data-preview="${previewPath}" data-empty="${say('empty')}" data-not-shown="${say('not_shown')}">
<div class="tools" hidden><div role="group" aria-label="${say('tools')}" data-tools>${tools.map(
    (tool) => editorButton({ ...tool, drawing: tool.act, label: say(tool.act) }),
  )}${buttons}</div><div role="group" aria-label="${say('view')}">${toggle('write')}${toggle('preview')}</div></div>
${panel}${textArea}
<section class="preview" aria-label="${say('preview')}" hidden></section></div>
${guideTo(language, id)}`;
}

/** The marks, with what they become. */
function guideTo(language: Language, id: string): Html {
  const say = speak(editorTexts, language);
  const text = say('example');
  const marks = [
    ['bold', html`**${text}**`],
    ['italics', html`*${text}*`],
    ['heading', html`# ${text}`],
    ['list', html`- ${text}`],
    ['numbered', html`1. ${text}`],
    ['quote', html`&gt; ${text}`],
    ['link', html`[${text}](https://example.org)`],
  ] as const;
  return html`<details class="small marks"><summary id="${id}-marks">${say('guide')}</summary>
<dl class="pairs">${marks.map(
    ([name, mark]) => html`<dt>${say(name)}</dt><dd><code>${mark}</code></dd>\n`,
  )}</dl>
<p>${say('paragraphs')}</p></details>\n`;
}
