import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Logger } from 'pino';
import { writeWhole } from './files.ts';

export interface Mail {
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
  /** Hands the mail over. Called from jobs only. @throws {MailError} where it was not taken */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/**
 * Sends by SMTP where an address is set; else writes each mail to `DATA_DIR/mail/` as one .eml file,
 * named so that names sort by time.
 */
export function createMailer(options: {
  smtpUrl: string | undefined;
  dataDir: string;
  from: string;
}): Mailer {
  return options.smtpUrl
    ? smtpMailer(options.smtpUrl, options.from)
    : fileMailer(join(options.dataDir, 'mail'), options.from);
}

/** A mail that was not taken. It says how, but not to whom it went, as mail servers do. */
export class MailError extends Error {
  override name = 'MailError';
  /**
   * Whether this recipient or this mail was refused for good (RFC 5321 section 4.2.1), so that sending
   * it again would not help. Refusing our own login is not that.
   */
  readonly forGood: boolean;

  constructor({ code = '', responseCode = 0 }: { code?: string; responseCode?: number }) {
    super(`the mail server did not take a mail: ${code} ${responseCode || ''}`.trim());
    this.forGood = (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500;
  }
}

/** Whether what was thrown says that sending this mail again would not help. */
export const isRefusedForGood = (error: unknown): boolean =>
  error instanceof MailError && error.forGood;

/**
 * Sends a mail that somebody waits for, out of a job. What the mail server may take later is left to the job to be
 * tried again; what it refuses for good is not.
 */
export async function sendUnlessRefused(
  { mail: mailer, log }: { mail: Mailer; log: Logger },
  mail: Mail,
): Promise<void> {
  try {
    await mailer.send(mail);
  } catch (error) {
    if (!isRefusedForGood(error)) throw error;
    log.warn({ err: error }, 'a mail was refused for good');
  }
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
        await transport.sendMail({ from, ...mail });
      } catch (error) {
        throw new MailError(error as Error & { code?: string });
      }
    },
    close: () => transport.close(),
  };
}

function fileMailer(directory: string, from: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return {
    async send(mail) {
      const { message } = await transport.sendMail({ from, ...mail });
      await writeWhole(directory, 'eml', message as Buffer);
    },
    close: () => transport.close(),
  };
}
