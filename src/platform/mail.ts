import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Logger } from 'pino';
import { writeAtomically } from './files.ts';

export interface Mail {
  /**
   * Why it is sent: an act of the recipient, or what concerns their own account or signature; something that they asked
   * to be told of; somebody whom they may not know.
   */
  cause: 'own act' | 'list' | 'stranger';
  to: string;
  subject: string;
  text: string;
  headers?: Record<string, string>;
  attachments?: Attachment[];
}

export interface Attachment {
  filename: string;
  contentType: string;
  content: Buffer;
}

export interface Mailer {
  /** Sends the mail. Call it from jobs only. @throws {MailError} if the mail server does not accept it */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** Creates a mailer that sends by SMTP, or without an SMTP address writes .eml files to `DATA_DIR/mail/`, named by time. */
export function createMailer(options: {
  smtpUrl: string | undefined;
  dataDir: string;
  from: string;
}): Mailer {
  return options.smtpUrl
    ? smtpMailer(options.smtpUrl, options.from)
    : fileMailer(join(options.dataDir, 'mail'), options.from);
}

interface SmtpFailure {
  code?: string;
  responseCode?: number;
  /** Text of the server's answer. */
  response?: string;
}

/**
 * Whether an answer says for good that there is no such mailbox: by its enhanced status code (RFC 3463: 5.1.1, 5.1.2,
 * 5.1.3, 5.1.6, 5.1.10, 5.2.1), else by its reply code (RFC 5321, section 4.2.3).
 */
function isAboutMailbox(responseCode: number, response: string): boolean {
  const status = /\b5\.\d{1,3}\.\d{1,3}\b/.exec(response)?.[0];
  if (status !== undefined) return /^5\.(1\.(1|2|3|6|10)|2\.1)$/.test(status);
  return responseCode === 550 || responseCode === 551 || responseCode === 553;
}

/** A mail that was not accepted. Unlike the mail server's message, its own does not name the recipient. */
export class MailError extends Error {
  override name = 'MailError';
  /**
   * Whether the recipient or the mail was rejected permanently (RFC 5321 section 4.2.1), so that a retry is useless.
   * A rejected login of ours does not count.
   */
  readonly isPermanent: boolean;
  /** Whether there is no such mailbox. Other rejections are about the mail or its sender. */
  readonly isUnknownMailbox: boolean;

  constructor({ code = '', responseCode = 0, response = '' }: SmtpFailure) {
    super(`the mail server did not take a mail: ${code} ${responseCode || ''}`.trim());
    this.isUnknownMailbox = code === 'EENVELOPE' && isAboutMailbox(responseCode, response);
    this.isPermanent = (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500;
  }
}

/** Whether the error is a permanent rejection of a mail. */
export const isPermanentRejection = (error: unknown): boolean =>
  error instanceof MailError && error.isPermanent;

export const isUnknownMailbox = (error: unknown): boolean =>
  error instanceof MailError && error.isUnknownMailbox;

/** Sends a mail from a job. Throws on temporary failures, so that the job is retried; logs permanent rejections. */
export async function sendOrLogRejection(
  { mail: mailer, log }: { mail: Mailer; log: Logger },
  mail: Mail,
): Promise<void> {
  try {
    await mailer.send(mail);
  } catch (error) {
    if (!isPermanentRejection(error)) throw error;
    log.warn({ err: error }, 'a mail was refused for good');
  }
}

function messageOf(from: string, mail: Mail) {
  const { cause: _, ...message } = mail;
  return { from, ...message };
}

function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport({
    url,
    pool: true,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
  } as object);
  return {
    async send(mail) {
      try {
        await transport.sendMail(messageOf(from, mail));
      } catch (error) {
        throw new MailError(error as Error & SmtpFailure);
      }
    },
    close: () => transport.close(),
  };
}

function fileMailer(directory: string, from: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return {
    async send(mail) {
      const { message } = await transport.sendMail(messageOf(from, mail));
      await writeAtomically(directory, 'eml', message as Buffer);
    },
    close: () => transport.close(),
  };
}
