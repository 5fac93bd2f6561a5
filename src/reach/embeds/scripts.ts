import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A script of this folder that browsers run. */
export interface Script {
  text: string;
  /** Hash of the text, for URLs that are cached forever. */
  version: string;
}

export const widgetScript = read('widget.js');
export const embedScript = read('embed.js');

function read(name: string): Script {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8');
  const version = createHash('sha256').update(text).digest('base64url').slice(0, 12);
  return { text, version };
}
