import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { writeAtomically } from './files.ts';
import { isFinal, MailError, type SmtpFailure } from './mail-errors.ts';
import { identifyMail, type SenderSettings } from './mail-keys.ts';
import { mailHtml, mailTexts, type FormattedPart, type MailPicture } from './mail-layout.ts';
import { plainText } from './pages/catalog.ts';
import type { Language } from './pages/language.ts';
import type { WrittenText } from './pages/text-language.ts';
import type { SiteProfile } from './site/profile.ts';

/** Every kind of mail, as logs and metrics name it. */
export const mailKinds = [
  'verification',
  'reconfirmation',
  'sign-in',
  'new_sign_in',
  'reset',
  'setup',
  'password-changed',
  'access_ended',
  'new_address',
  'address_changed',
  'signing',
  'signing-reminder',
  'signature-receipt',
  'signature-rejected',
  'signature-invalidated',
  'delivery',
  'notifications',
  'moderation-decision',
  'petition-redacted',
  'report-confirmation',
  'report-receipt',
  'contact',
  'organizer-contact',
  'organizer-invitation',
  'hand-over-offered',
  'handed-over',
  'test',
] as const;
export type MailKind = (typeof mailKinds)[number];

export interface Mail {
  kind: MailKind;
  /**
   * Why it is sent: an act of the recipient, or what concerns their own account or signature; an act of somebody who may
   * not be the recipient, since nothing proves that the address is theirs (`fromUnprovenAct`); something that they asked
   * to be told of; somebody whom they may not know.
   */
  cause: 'own act' | 'unproven act' | 'list' | 'stranger';
  to: string;
  /** Of the text. */
  language: Language;
  subject: string;
  /** Paragraphs between empty lines; the HTML is made of it (`mailHtml`). What follows a line `--` is small. */
  text: string;
  picture?: MailPicture | undefined;
  formatted?: readonly FormattedPart[];
  /** Texts of people in it, as they stand there, whose language is marked in the HTML. */
  written?: readonly WrittenText[];
  headers?: Record<string, string>;
  /** Address for answers, where it is another than that of the site. */
  replyTo?: string;
  attachments?: Attachment[];
}

export interface Attachment {
  filename: string;
  contentType: string;
  content: Buffer;
}

export interface Mailer {
  /**
   * Sends the mail. Call it from jobs only. Returns the server's answer, or where the file is.
   * @throws {MailError} if the mail server does not accept it, {MailSuppressed}
   */
  send(mail: Mail): Promise<string>;
  close(): void;
}

export interface MailSettings extends SenderSettings {
  /** Where mails go. Undefined: into files. */
  smtp: SmtpSettings | undefined;
  /** Where mails go that many people get at once; by default where all others go. */
  bulkSmtp?: SmtpSettings;
  /** Key that signs every mail (RFC 6376). */
  dkim?: DkimSettings;
  from: {
    /** Undefined: the name of the site. */
    name: string | undefined;
    address: string;
  };
  /** Address for answers. Undefined: nobody reads them. */
  replyTo: string | undefined;
  /** Of the pages. Other addresses become no links. */
  baseUrl: string;
}

/** What of the site's settings is in every mail. */
export type MailIdentity = Pick<SiteProfile, 'name' | 'accent' | 'mailFromName' | 'mailReplyTo'>;

/** The settings of a sender, with those of the site as they are now. */
export interface MailerSettings extends MailSettings {
  site: () => MailIdentity;
}

export interface SmtpSettings {
  url: string;
  /** Whether a login needs an encrypted connection. */
  requireTls: boolean;
  /** The name of this host in EHLO. */
  hostname: string;
}

export interface DkimSettings {
  /** The domain that signs; receivers compare it with that of From. */
  domain: string;
  /** The public key is the TXT record `<selector>._domainkey.<domain>`. */
  selector: string;
  /** An RSA key in PEM. */
  privateKey: string;
}

/** Creates a mailer that sends by SMTP, or writes .eml files to `DATA_DIR/mail/`, named by time. */
export const createMailer = (settings: MailerSettings, dataDir: string): Mailer =>
  settings.smtp ? smtpMailer(settings.smtp, settings) : fileMailer(join(dataDir, 'mail'), settings);

/**
 * Sends a mail from a job, unless that is useless. Returns whether it was sent.
 * @throws {MailError} if the job is to be retried
 */
export async function sendUnlessFinal(
  { mail: mailer }: { mail: Mailer },
  mail: Mail,
): Promise<boolean> {
  try {
    await mailer.send(mail);
    return true;
  } catch (error) {
    if (!isFinal(error)) throw error;
    return false;
  }
}

/** Headers of a mail that one click at this address ends (RFC 8058). */
export const unsubscribeHeaders = (url: string): Record<string, string> => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

/** Returns the message for the SMTP client, with what all automatic mails have. */
export function composeMessage(mail: Mail, { from, baseUrl, site, ...sender }: MailerSettings) {
  const { language, to, subject, text, headers, attachments = [] } = mail;
  const { name, accent, mailFromName, mailReplyTo } = site();
  const replyTo = mail.replyTo ?? mailReplyTo;
  const footer = plainText(mailTexts, language, replyTo ? 'answers_read' : 'answers_not_read');
  return {
    from: { name: mailFromName ?? name, address: from.address },
    ...(replyTo && { replyTo }),
    ...identifyMail(to, sender),
    to,
    subject,
    attachments,
    text: `${text.trimEnd()}\n\n${footer}\n`,
    html: mailHtml(mail, footer, { name, baseUrl, accent }),
    // RFC 3834, section 5: no automatic answers to this.
    headers: { 'Auto-Submitted': 'auto-generated', ...headers },
  };
}

/** Connections of a process for mails to one person. */
const maxConnections = 5;
/** Its connections for mails to many. 8 send 690,000 mails a day even if the server takes a second for each. */
export const maxBulkConnections = 8;

/** Mails to many have connections of their own even at the same server, so that no other mail waits behind them. */
function smtpMailer(smtp: SmtpSettings, settings: MailerSettings): Mailer {
  const main = smtpTransport(smtp, settings, maxConnections);
  const bulk = smtpTransport(settings.bulkSmtp ?? smtp, settings, maxBulkConnections);
  return {
    async send(mail) {
      const transport = mail.cause === 'list' ? bulk : main;
      try {
        const { response } = await transport.sendMail(composeMessage(mail, settings));
        return response;
      } catch (error) {
        throw new MailError(error as Error & SmtpFailure, mail.to);
      }
    },
    close() {
      main.close();
      bulk.close();
    },
  };
}

const smtpTransport = (
  { url, requireTls, hostname }: SmtpSettings,
  { dkim }: MailSettings,
  connections: number,
) =>
  createTransport(
    {
      url,
      ...dkimOptions(dkim),
      pool: true,
      maxConnections: connections,
      name: hostname,
      requireTLS: requireTls,
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 30_000,
    } as object,
    // Postmark replaces the Message-ID unless it is asked not to.
    new URL(url).hostname.endsWith('.postmarkapp.com')
      ? { headers: { 'X-PM-KeepID': 'true' } }
      : {},
  );

/** Fields that a signature covers if the mail has them. RFC 8058, section 4 asks for List-Unsubscribe-Post. */
const signedFields = [
  'From',
  'Reply-To',
  'To',
  'Subject',
  'Date',
  'Message-ID',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'Auto-Submitted',
  'Feedback-ID',
  'List-Id',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
];

const dkimOptions = (dkim: DkimSettings | undefined) =>
  dkim && {
    dkim: {
      domainName: dkim.domain,
      keySelector: dkim.selector,
      privateKey: dkim.privateKey,
      headerFieldNames: signedFields.join(':'),
    },
  };

function fileMailer(directory: string, settings: MailerSettings): Mailer {
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'unix',
    ...dkimOptions(settings.dkim),
  });
  return {
    async send(mail) {
      const { message } = await transport.sendMail(composeMessage(mail, settings));
      return writeAtomically(directory, 'eml', message as Buffer);
    },
    close: () => transport.close(),
  };
}
