/** What the SMTP client reports of a mail that was not sent. */
export interface SmtpFailure {
  /** Of the client, such as EENVELOPE or ETIMEDOUT. */
  code?: string;
  /** The command that failed: CONN, AUTH, MAIL FROM, RCPT TO, DATA. */
  command?: string;
  /** Reply code of the server (RFC 5321, section 4.2.3). */
  responseCode?: number;
  /** The server's answer with its code. */
  response?: string;
}

/** A mail that was not accepted. Its texts name no address. */
export class MailError extends Error {
  override name = 'MailError';
  readonly code: string | undefined;
  readonly command: string | undefined;
  readonly responseCode: number | undefined;
  /** The server's answer, without the local parts of addresses. */
  readonly response: string | undefined;
  /** Whether the server says for good that it takes nothing for this recipient. All else can pass: it is tried again. */
  readonly isBounce: boolean;

  /** @param recipient address whose local part is removed from the answer */
  constructor(failure: SmtpFailure, recipient: string) {
    const { code, command, responseCode } = failure;
    const response = failure.response && withoutLocalParts(failure.response, recipient);
    super(
      ['the mail server did not take a mail', code, command, response].filter(Boolean).join(': '),
    );
    this.code = code;
    this.command = command;
    this.responseCode = responseCode;
    this.response = response;
    this.isBounce = isBounce(failure);
  }
}

/** The mailbox is sent no mail of this cause. */
export class MailSuppressed extends Error {
  override name = 'MailSuppressed';
  constructor() {
    super('the mailbox gets no mail of this cause');
  }
}

/** Whether it is useless to try again. */
export const isFinal = (error: unknown): boolean =>
  error instanceof MailSuppressed || (error instanceof MailError && error.isBounce);

/** Replies that are about the login or the order of commands, whatever the command. */
const sessionReplies = new Set([503, 530, 535]);
/** Enhanced status codes (RFC 3463) about the sender, the server, the network, the protocol and policies. */
const senderStatus = /^5\.(1\.[78]|[3457]\.\d+)$/;
/** About the address, or a mailbox that is disabled. */
const recipientStatus = /^5\.(1\.\d+|2\.1)$/;

/**
 * Whether an answer is permanent and about the recipient: any 5xx at RCPT TO, later only by its enhanced status. A
 * server that has lost its login, or blocks the sender, answers 5xx too, and nothing of that may lose a mail.
 */
function isBounce({ command, responseCode = 0, response = '' }: SmtpFailure): boolean {
  if (responseCode < 500 || responseCode > 599 || sessionReplies.has(responseCode)) return false;
  const status = /^\d{3}[ -](5\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? '';
  if (command === 'RCPT TO') return !senderStatus.test(status);
  return command === 'DATA' && isRecipientStatus(status);
}

/** Whether an enhanced status code, without its server's other words, is permanent and about the recipient. */
export const isRecipientStatus = (status: string): boolean =>
  recipientStatus.test(status) && !senderStatus.test(status);

/** Removes the recipient's local part, and those of all addresses. */
function withoutLocalParts(text: string, recipient: string): string {
  const local = recipient.slice(0, recipient.lastIndexOf('@'));
  const masked = text.replaceAll(/[^\s<>"'@]+@/g, '…@');
  return local.length < 3
    ? masked
    : masked.replaceAll(new RegExp(`(?<![\\w.])${RegExp.escape(local)}(?![\\w.])`, 'gi'), '…');
}
