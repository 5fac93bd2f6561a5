import type { Context } from './context.ts';
import { mailTexts } from './mail-layout.ts';
import { stopToken } from './mail-suppressions.ts';
import { unsubscribeHeaders, type Mail } from './mail.ts';
import { plainText } from './pages/catalog.ts';
import type { Language } from './pages/language.ts';

type StopContext = Pick<Context, 'config' | 'keys'>;

/** Returns how the recipient stops mail that others cause: the last paragraphs of a mail, and its headers. */
export function stopInstructions(
  { config, keys }: StopContext,
  { email, language }: { email: string; language: Language },
) {
  const link = `${config.baseUrl}/mail/stop/${stopToken(keys, email)}`;
  return {
    paragraphs: ['--', plainText(mailTexts, language, 'stop', { link })],
    headers: unsubscribeHeaders(link),
  };
}

/**
 * Returns the mail as one that somebody caused who may not be its recipient: it says how to stop such mails, and is not
 * sent where these are stopped.
 */
export function fromUnprovenAct(ctx: StopContext, mail: Mail): Mail {
  const stop = stopInstructions(ctx, { email: mail.to, language: mail.language });
  return {
    ...mail,
    cause: 'unproven act',
    text: `${[mail.text.trimEnd(), ...stop.paragraphs].join('\n\n')}\n`,
    headers: { ...mail.headers, ...stop.headers },
  };
}
