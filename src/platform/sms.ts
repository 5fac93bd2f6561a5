import { join } from 'node:path';
import { writeWhole } from './files.ts';

export interface TextMessage {
  /** E.164: +441632960961 */
  to: string;
  text: string;
}

/** A provider of text messages. */
export interface Texter {
  send(message: TextMessage): Promise<void>;
}

/** Without a provider, each text is a JSON file in `DATA_DIR/sms/`. */
export function createFileTexter(dataDir: string): Texter {
  const directory = join(dataDir, 'sms');
  return { send: (message) => writeWhole(directory, 'json', JSON.stringify(message)) };
}
