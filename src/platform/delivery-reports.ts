import PostalMime from 'postal-mime';
import { isRecipientStatus } from './mail-errors.ts';
import { keysIn } from './mail-keys.ts';

/** A report may return the whole mail. */
export const maxReportBytes = 1_048_576;

const maxPartBytes = 65_536;
/** The parser takes 10 µs a line, all at once. The returned mail, which comes last, may be cut. */
const maxLines = 20_000;
/** Reports have three parts. The parser takes quadratic time in their number. */
const maxBoundaryLines = 1000;

/** What somebody else's mail server reports. None of it is proven but by a key. */
export interface DeliveryReport {
  /** `other`: delayed, delivered, or failed for a reason that can pass. */
  kind: 'bounce' | 'complaint' | 'other';
  /** What could be keys of the mail that it is about. */
  keys: string[];
  /** Domain of the recipient. */
  domain: string | undefined;
}

/** Names in lower case, with all values of each. */
type Fields = Map<string, string[]>;

/** Headers in which the report's own recipient stands: the envelope sender of the mail. */
const recipientHeaders = new Set([
  'x-original-to',
  'delivered-to',
  'envelope-to',
  'x-envelope-to',
  'to',
  // Message-ID of the mail.
  'in-reply-to',
  'references',
]);
/** Fields of a report that repeat the sender or the Message-ID of the mail. */
const senderFields = [
  'original-mail-from',
  'x-postfix-sender',
  'original-envelope-id',
  'x-original-message-id',
];
/** Headers of the returned mail. */
const returnedHeaders = ['return-path', 'x-envelope-from', 'message-id', 'x-original-message-id'];

const returnedTypes = new Set([
  'message/rfc822',
  'message/global',
  'message/global-headers',
  'message/rfc822-headers',
  'text/rfc822-headers',
]);
const statusTypes = new Set(['message/delivery-status', 'message/global-delivery-status']);
const feedbackTypes = new Set(['message/feedback-report']);

/** Feedback (RFC 5965, section 7.3; RFC 6591) that complains about no mail. */
const harmlessFeedback = new Set(['not-spam', 'auth-failure']);

/**
 * Reads a report of a delivery (RFC 3464) or of feedback (RFC 5965). Returns undefined for what is neither. Any bytes can
 * be given.
 */
export async function readReport(bytes: Buffer): Promise<DeliveryReport | undefined> {
  if (countUpTo(maxBoundaryLines, bytes, '\n--').count === maxBoundaryLines) return undefined;
  const lines = countUpTo(maxLines, bytes, '\n');
  const beginning = lines.count === maxLines ? bytes.subarray(0, lines.end) : bytes;
  const mail = await PostalMime.parse(beginning, {
    forceRfc822Attachments: true,
    maxNestingDepth: 16,
    maxHeadersSize: 262_144,
  }).catch(() => undefined);
  if (!mail) return undefined;
  const partsOf = (types: Set<string>) =>
    mail.attachments
      .filter(({ mimeType }) => types.has(mimeType))
      .map(({ content }) => textOf(content));
  const statuses = partsOf(statusTypes).flatMap(fieldGroups);
  const feedback = partsOf(feedbackTypes).flatMap(fieldGroups);
  if (statuses.length === 0 && feedback.length === 0) return undefined;
  const groups = [...statuses, ...feedback];
  const returned = partsOf(returnedTypes).map((text) => fieldGroups(text)[0] ?? new Map());
  const own = mail.headers.filter(({ key }) => recipientHeaders.has(key));
  const texts = [
    ...own.map(({ value }) => value),
    ...groups.flatMap((fields) => valuesOf(fields, senderFields)),
    ...returned.flatMap((fields) => valuesOf(fields, returnedHeaders)),
  ];
  const failed = statuses.find(isBounce);
  const complaint = feedback.find(isComplaint);
  return {
    kind: failed ? 'bounce' : complaint ? 'complaint' : 'other',
    keys: keysIn(texts.join('\n')),
    domain: recipientDomain(failed ?? complaint ?? groups.at(-1)!),
  };
}

/** Returns how many times a text stands in the bytes, at most `limit`, and where the last one of these ends. */
function countUpTo(limit: number, bytes: Buffer, text: string): { count: number; end: number } {
  let count = 0;
  let end = 0;
  while (count < limit) {
    const at = bytes.indexOf(text, end);
    if (at < 0) break;
    count += 1;
    end = at + text.length;
  }
  return { count, end };
}

/** Returns the beginning of a part: its fields, or the headers of the returned mail. */
function textOf(content: ArrayBuffer | Uint8Array | string): string {
  if (typeof content === 'string') return content.slice(0, maxPartBytes);
  const bytes = new Uint8Array(content).subarray(0, maxPartBytes);
  return new TextDecoder('latin1').decode(bytes).replaceAll('\r\n', '\n');
}

/** Returns the groups of fields of a text, which blank lines separate, without empty ones. */
const fieldGroups = (text: string): Fields[] =>
  text
    .split(/\n[ \t]*(?:\n|$)/)
    .map(readFields)
    .filter(({ size }) => size > 0);

function readFields(text: string): Fields {
  const fields: Fields = new Map();
  for (const line of text.replaceAll(/\n[ \t]+/g, ' ').split('\n')) {
    const end = line.indexOf(':');
    if (end <= 0) continue;
    const name = line.slice(0, end).trim().toLowerCase();
    const values = fields.get(name);
    if (values) values.push(line.slice(end + 1).trim());
    else fields.set(name, [line.slice(end + 1).trim()]);
  }
  return fields;
}

const valuesOf = (fields: Fields, names: readonly string[]): string[] =>
  names.flatMap((name) => fields.get(name) ?? []);

const first = (fields: Fields, name: string): string => fields.get(name)?.[0] ?? '';

/** Whether the fields of one recipient report a permanent failure that is about the recipient. */
function isBounce(fields: Fields): boolean {
  if (!/^failed\b/i.test(first(fields, 'action'))) return false;
  const status = /^5\.\d{1,3}\.\d{1,3}\b/.exec(first(fields, 'status'))?.[0] ?? '';
  // Some servers, such as Exim, give no more than the class, and repeat what the next server answered.
  return isRecipientStatus(status === '5.0.0' ? diagnosticStatus(fields) : status);
}

/** Returns the status in the answer of the recipient's server: `smtp; 550 5.1.1 no such user`, `smtp; 550-5.1.1 …`. */
const diagnosticStatus = (fields: Fields): string =>
  /^smtp;\s*5\d\d[ -]#?(5\.\d{1,3}\.\d{1,3})\b/i.exec(first(fields, 'diagnostic-code'))?.[1] ?? '';

function isComplaint(fields: Fields): boolean {
  const type = first(fields, 'feedback-type').toLowerCase();
  return type !== '' && !harmlessFeedback.has(type);
}

/** Returns the domain in a field such as `Final-Recipient: rfc822; ada@example.org`, in a form that is safe to log. */
function recipientDomain(fields: Fields): string | undefined {
  const [recipient = ''] = valuesOf(fields, [
    'original-recipient',
    'final-recipient',
    'original-rcpt-to',
  ]);
  return /@([a-z0-9.-]{1,253})>?$/i.exec(recipient)?.[1]?.toLowerCase();
}
