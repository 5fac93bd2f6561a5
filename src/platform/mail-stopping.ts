import type { Context } from './context.ts';
import { mailTexts } from './mail-layout.ts';
import { stopToken } from './mail-suppressions.ts';
import { unsubscribeHeaders } from './mail.ts';
import { plainText } from './pages/catalog.ts';
import type { Language } from './pages/language.ts';

/** Returns how the recipient stops mail that others cause: the last paragraphs of a mail, and its headers. */
export function stopInstructions(
  { config, keys }: Pick<Context, 'config' | 'keys'>,
  { email, language }: { email: string; language: Language },
) {
  const link = `${config.baseUrl}/mail/stop/${stopToken(keys, email)}`;
  return {
    paragraphs: ['--', plainText(mailTexts, language, 'stop', { link })],
    headers: unsubscribeHeaders(link),
  };
}
