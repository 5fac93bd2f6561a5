import type { Context } from '../../platform/context.ts';
import type { Attachment, Mail } from '../../platform/mail.ts';
import type { Petition } from '../petitions/schema.ts';
import { tokenOf } from './links.ts';
import type { PendingDelivery } from './queries.ts';
import { summaryFile } from './summary-file.ts';
import { addressed, dateOf, numberOf, signaturesOf } from './wording.ts';

/** The mail that brings a petition before a decision maker. */
export async function deliveryMail(
  ctx: Context,
  delivery: PendingDelivery & { email: string },
  petition: Petition,
): Promise<Mail> {
  const attachments = await attachmentsOf(ctx, delivery, petition);
  return {
    to: delivery.email,
    subject: `A petition to you: ${shortened(oneLine(petition.title), 150)}`,
    text: textOf(ctx, delivery, petition),
    ...(attachments.length > 0 && { attachments }),
  };
}

function textOf(ctx: Context, delivery: PendingDelivery, petition: Petition): string {
  const goal = petition.signature_goal;
  const creator = petition.creator ? oneLine(petition.creator.display_name) : 'The creator';
  const paragraphs = [
    `To ${oneLine(addressed(delivery))}`,
    `${creator} asks for your response to this petition:`,
    `  ${oneLine(petition.title)}`,
    `It had ${signaturesOf(petition.signature_count)} on ${dateOf(ctx.now())}${
      goal ? `, of a goal of ${numberOf(goal)}` : ''
    }.`,
    ...(delivery.message ? [`${creator} writes:`, quoted(delivery.message)] : []),
    'What it asks:',
    quoted(shortened(petition.description, 1000)),
    'Read the whole petition and respond here:',
    `${ctx.config.baseUrl}/respond/${tokenOf(ctx, delivery.id)}`,
    `You need no account. The link works until ${dateOf(delivery.expires_at)}, for one response. Whoever has it can respond in your name, so keep it to yourself. Your response is published with the petition by its creator, or by itself after 7 days.`,
    ...(delivery.summary === 'none' ? [] : ['A summary of the signatures is attached.']),
    `You get this email because ${creator} named you as somebody who can decide on the petition.`,
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

async function attachmentsOf(
  ctx: Context,
  { summary: format }: PendingDelivery,
  petition: Petition,
): Promise<Attachment[]> {
  if (format === 'none') return [];
  return [await summaryFile(ctx, petition, format)];
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

const quoted = (text: string) =>
  text
    .trim()
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`)
    .join('\n');

/** At most so many characters, cut between words where there are any. */
function shortened(text: string, most: number): string {
  const characters = Array.from(text);
  if (characters.length <= most) return text;
  const cut = characters.slice(0, most - 1).join('');
  return `${cut.replace(/\s+\S{0,50}$/, '')}…`;
}
