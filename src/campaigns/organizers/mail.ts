import type en from '../../../locales/en/organizers-mail.json';
import type { Context } from '../../platform/context.ts';
import { lineWithoutLinks } from '../../platform/mail-addresses.ts';
import { titleLine, writtenTitle } from '../../platform/mail-layout.ts';
import { stopInstructions } from '../../platform/mail-stopping.ts';
import type { Mail } from '../../platform/mail.ts';
import { dayText, plainText } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import type { OrganizerInput } from './schema.ts';
import { organizersMailTexts } from './texts.ts';

interface OrganizerMail {
  to: { email: string; language: Language };
  petition: { id: string; title: string; language: string | null };
}

interface Invitation extends OrganizerMail {
  /** Who invites. */
  name: string;
  role: OrganizerInput['role'];
  token: string;
  expiresAt: Date;
}

type MailContext = Pick<Context, 'config' | 'keys'>;

const speakerFor =
  (language: Language) =>
  (name: keyof typeof en, values: Record<string, string> = {}): string =>
    plainText(organizersMailTexts, language, name, values);

/** Composes the invitation. The recipient may know neither who invites nor the site. */
export function invitationMail(
  { config, keys }: MailContext,
  { to, petition, name: displayName, role, token, expiresAt }: Invitation,
): Mail {
  const { language } = to;
  const say = speakerFor(language);
  const name = lineWithoutLinks(displayName);
  const stop = stopInstructions({ config, keys }, to);
  return {
    kind: 'organizer-invitation',
    cause: 'stranger',
    to: to.email,
    language,
    subject: say('invitation_subject', { name }),
    text: `${[
      say('invitation_lead', { name }),
      titleLine(petition.title),
      say(`invitation_${role}`),
      say('invitation_succession', { name }),
      say('invitation_link', { day: dayText(language, expiresAt) }),
      `${config.baseUrl}/organizers/${token}`,
      say('invitation_unknown'),
      ...stop.paragraphs,
    ].join('\n\n')}\n`,
    written: [writtenTitle(petition.title, petition.language)],
    headers: stop.headers,
  };
}

/** Composes the mail to an organizer to whom the creator offers the petition. */
export function offerMail(
  { config, keys }: MailContext,
  { to, petition, name: displayName }: OrganizerMail & { name: string },
): Mail {
  const say = speakerFor(to.language);
  const name = lineWithoutLinks(displayName);
  const stop = stopInstructions({ config, keys }, to);
  return {
    kind: 'hand-over-offered',
    cause: 'stranger',
    to: to.email,
    language: to.language,
    subject: say('offer_subject', { name }),
    text: `${[
      say('offer_lead', { name }),
      titleLine(petition.title),
      say('offer_meaning'),
      organizersPage(config, petition),
      ...stop.paragraphs,
    ].join('\n\n')}\n`,
    written: [writtenTitle(petition.title, petition.language)],
    headers: stop.headers,
  };
}

/**
 * Composes the mail to who held the petition, with the name of who took it over; or to who holds it from now on, since its
 * creator has left the site.
 */
export const handedOverMail = (
  ctx: MailContext,
  { name, ...about }: OrganizerMail & { name: string | undefined },
): Mail =>
  name === undefined ? successionMail(ctx, about) : acceptedOfferMail({ ...about, name });

function acceptedOfferMail({
  to,
  petition,
  name: displayName,
}: OrganizerMail & { name: string }): Mail {
  const say = speakerFor(to.language);
  const name = lineWithoutLinks(displayName);
  return {
    kind: 'handed-over',
    cause: 'own act',
    to: to.email,
    language: to.language,
    subject: say('handed_over_subject', { name }),
    text: `${[
      say('handed_over_lead', { name }),
      titleLine(petition.title),
      say('handed_over_meaning'),
    ].join('\n\n')}\n`,
    written: [writtenTitle(petition.title, petition.language)],
  };
}

function successionMail(ctx: MailContext, { to, petition }: OrganizerMail): Mail {
  const say = speakerFor(to.language);
  const stop = stopInstructions(ctx, to);
  return {
    kind: 'handed-over',
    cause: 'stranger',
    to: to.email,
    language: to.language,
    subject: say('succeeded_subject'),
    text: `${[
      say('succeeded_lead'),
      titleLine(petition.title),
      say('succeeded_meaning'),
      organizersPage(ctx.config, petition),
      ...stop.paragraphs,
    ].join('\n\n')}\n`,
    written: [writtenTitle(petition.title, petition.language)],
    headers: stop.headers,
  };
}

const organizersPage = ({ baseUrl }: MailContext['config'], { id }: { id: string }) =>
  `${baseUrl}/dashboard/petitions/${id}/organizers`;
