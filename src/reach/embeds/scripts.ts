import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A script that browsers run, as it is in this folder. */
export interface Script {
  text: string;
  /** Changes with the text, for URLs that may be kept forever. */
  version: string;
}

export const widgetScript = read('widget.js');
export const embedScript = read('embed.js');

function read(name: string): Script {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8');
  const version = createHash('sha256').update(text).digest('base64url').slice(0, 12);
  return { text, version };
}
