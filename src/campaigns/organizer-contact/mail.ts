import type en from '../../../locales/en/organizer-mail.json';
import type { Context } from '../../platform/context.ts';
import { lineWithoutLinks, withoutLinks } from '../../platform/mail-addresses.ts';
import { titleLine, writtenTitle } from '../../platform/mail-layout.ts';
import { stopInstructions } from '../../platform/mail-stopping.ts';
import type { Mail } from '../../platform/mail.ts';
import { plainText } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { organizerMailTexts } from './texts.ts';

export interface MessageToOrganizer {
  to: { email: string; language: Language };
  sender: { name: string; email: string };
  petition: { title: string; slug: string; language: string | null };
  message: string;
}

/** Composes the mail; an answer to it goes to the sender. The message is without links, since anybody can write one. */
export function organizerMail(
  ctx: Pick<Context, 'config' | 'keys'>,
  { to, sender, petition, message }: MessageToOrganizer,
): Mail {
  const { language } = to;
  const say = (name: keyof typeof en, values: Record<string, string> = {}) =>
    plainText(organizerMailTexts, language, name, values);
  const name = lineWithoutLinks(sender.name);
  const stop = stopInstructions(ctx, to);
  const quoted = withoutLinks(message).trim().replaceAll(/\r\n?/g, '\n');
  return {
    kind: 'organizer-contact',
    cause: 'stranger',
    to: to.email,
    replyTo: sender.email,
    language,
    subject: say('subject', { name }),
    text: `${[
      say('lead', { name, email: sender.email }),
      titleLine(petition.title),
      quoted.replaceAll(/^/gm, '> '),
      say('answering'),
      `${ctx.config.baseUrl}/p/${petition.slug}`,
      ...stop.paragraphs,
    ].join('\n\n')}\n`,
    written: [writtenTitle(petition.title, petition.language), { text: quoted, language: null }],
    headers: stop.headers,
  };
}
