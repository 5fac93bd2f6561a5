import { join } from 'node:path';
import { writeAtomically } from './files.ts';

export interface TextMessage {
  /** E.164: +441632960961 */
  to: string;
  text: string;
}

/** A provider of text messages. */
export interface Texter {
  send(message: TextMessage): Promise<void>;
}

/** Creates a texter without a provider, which writes messages as JSON files to `DATA_DIR/sms/`. */
export function createFileTexter(dataDir: string): Texter {
  const directory = join(dataDir, 'sms');
  return {
    async send(message) {
      await writeAtomically(directory, 'json', JSON.stringify(message));
    },
  };
}
