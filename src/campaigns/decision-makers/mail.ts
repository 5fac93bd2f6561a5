import type { Context } from '../../platform/context.ts';
import { lineWithoutLinks, withoutLinks } from '../../platform/mail-addresses.ts';
import { unsubscribeHeaders, type Attachment, type Mail } from '../../platform/mail.ts';
import { titleLine, writtenTitle } from '../../platform/mail-layout.ts';
import { plainTextOf } from '../../platform/markdown/markdown.ts';
import { stopToken } from '../../platform/mail-suppressions.ts';
import { mailPicture } from '../media/media.ts';
import type { Petition } from '../petitions/schema.ts';
import { linkToken } from './links.ts';
import type { PendingDelivery } from './queries.ts';
import { makeSummaryFile } from './summary-file.ts';
import { formatNameAndTitle, formatDate, formatNumber, formatSignatures } from './wording.ts';

/** Returns the mail that delivers a petition to a decision maker. */
export async function composeDeliveryMail(
  ctx: Context,
  delivery: PendingDelivery & { email: string },
  petition: Petition,
): Promise<Mail> {
  const attachments = await attachmentsOf(ctx, delivery, petition);
  const stopUrl = `${ctx.config.baseUrl}/mail/stop/${stopToken(ctx.keys, delivery.email)}`;
  return {
    kind: 'delivery',
    cause: 'stranger',
    to: delivery.email,
    language: 'en',
    subject: 'A petition is addressed to you',
    text: textOf(ctx, delivery, petition, stopUrl),
    written: [
      writtenTitle(petition.title, petition.language),
      { text: quotable(startOf(petition)), language: petition.language },
    ],
    picture: await mailPicture(ctx, petition.image_url, petition.image_alt),
    headers: unsubscribeHeaders(stopUrl),
    ...(attachments.length > 0 && { attachments }),
  };
}

/** All that the creator wrote is without links, since anyone can be named as a decision maker. */
function textOf(
  ctx: Context,
  delivery: PendingDelivery,
  petition: Petition,
  stopUrl: string,
): string {
  const goal = petition.signature_goal;
  const creator = petition.creator
    ? lineWithoutLinks(petition.creator.display_name)
    : 'The creator';
  const paragraphs = [
    `To ${lineWithoutLinks(formatNameAndTitle(delivery))}`,
    `${creator} asks for your response to this petition:`,
    titleLine(petition.title),
    `It had ${formatSignatures(petition.signature_count)} on ${formatDate(ctx.now())}${
      goal ? `, of a goal of ${formatNumber(goal)}` : ''
    }.`,
    ...(delivery.message ? [`${creator} writes:`, quote(delivery.message)] : []),
    'What it asks:',
    quote(startOf(petition)),
    'Read the whole petition and respond here:',
    `${ctx.config.baseUrl}/respond/${linkToken(ctx, delivery.id)}`,
    `You need no account. The link works until ${formatDate(delivery.expires_at)}, for one response. Whoever has it can respond in your name, so keep it to yourself. Your response is published with the petition by its creator, or by itself after 7 days.`,
    ...(delivery.summary === 'none' ? [] : ['A summary of the signatures is attached.']),
    `You get this email because ${creator} named you as somebody who can decide on the petition. To get no more email of this kind, open this link and press its button:`,
    stopUrl,
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

async function attachmentsOf(
  ctx: Context,
  { summary: format }: PendingDelivery,
  petition: Petition,
): Promise<Attachment[]> {
  if (format === 'none') return [];
  return [await makeSummaryFile(ctx, petition, format)];
}

/** The start of what a petition asks. */
const startOf = ({ description }: Petition): string =>
  truncate(plainTextOf(description, { hasAddresses: true }), 1000);

/** A text as a mail quotes it, before its marks. */
const quotable = (text: string): string => withoutLinks(text).trim().replaceAll(/\r\n?/g, '\n');

const quote = (text: string) => quotable(text).replaceAll(/^/gm, '> ');

/** Truncates to `maxCharacters`, between words if possible. */
function truncate(text: string, maxCharacters: number): string {
  const characters = Array.from(text);
  if (characters.length <= maxCharacters) return text;
  const cut = characters.slice(0, maxCharacters - 1).join('');
  return `${cut.replace(/\s+\S{0,50}$/, '')}…`;
}
