import { randomBytes } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { equalInConstantTime, type Keys } from './keys.ts';

/**
 * The key of a mail names its mailbox and the day on which it was sent, and has a MAC. It stands in the envelope sender
 * and in the Message-ID, so that a delivery report names the mail that it is about. Nothing is stored for it.
 */
export interface KeyedMail {
  /** As `mailboxHash`. */
  mailbox: Buffer;
  /** Midnight of that day, UTC. */
  sentOn: Date;
}

/** How a mail is identified to mail servers. */
export interface SenderSettings {
  /** Address to which mail servers report failures. */
  envelopeFrom: string;
  /** Whether the envelope sender carries the key of the mail; otherwise only the Message-ID does. */
  envelopeKeys?: boolean;
  /** Returns the key of a mail to this address that is sent now. Undefined: mails carry no keys. */
  keyOf?: (to: string) => string;
}

const mailboxBytes = 16;
const dayBytes = 2;
const macBytes = 8;
const keyBytes = mailboxBytes + dayBytes + macBytes;
const dayMs = 86_400_000;
/** Mail servers retry for 5 days, and send the last reports of a mail days later. */
const validDays = 30;

/** Digits of base32hex (RFC 4648, section 7) in lower case, since local parts are compared without case. */
const keyDigits = Math.ceil((keyBytes * 8) / 5);
const unusedBits = BigInt(keyDigits * 5 - keyBytes * 8);

/** A local part has 64 octets (RFC 5321, section 4.5.3.1.1), and the key follows a plus sign. */
export const maxKeyedLocalPart = 64 - 1 - keyDigits;

/** Returns the key of a mail to a mailbox that is sent now. */
export function createMailKey(keys: Keys, mailbox: Buffer, now: Date): string {
  const day = Buffer.alloc(dayBytes);
  day.writeUInt16BE(Math.floor(now.getTime() / dayMs));
  const named = Buffer.concat([mailbox, day]);
  return encode(Buffer.concat([named, macOf(keys, named)]));
}

/** Returns the mail that a key names; undefined if the key is forged or older than 30 days. */
export function openMailKey(keys: Keys, key: string, now: Date): KeyedMail | undefined {
  const bytes = decode(key);
  if (!bytes) return undefined;
  const named = bytes.subarray(0, mailboxBytes + dayBytes);
  const mac = bytes.subarray(mailboxBytes + dayBytes);
  if (!equalInConstantTime(mac.toString('hex'), macOf(keys, named).toString('hex')))
    return undefined;
  const day = named.readUInt16BE(mailboxBytes);
  const age = Math.floor(now.getTime() / dayMs) - day;
  // Clocks of processes may differ at midnight.
  if (age > validDays || age < -1) return undefined;
  return { mailbox: named.subarray(0, mailboxBytes), sentOn: new Date(day * dayMs) };
}

const macOf = (keys: Keys, named: Buffer): Buffer =>
  keys.hash('mail-key', named.toString('hex')).subarray(0, macBytes);

const encode = (bytes: Buffer): string =>
  (BigInt(`0x${bytes.toString('hex')}`) << unusedBits).toString(32).padStart(keyDigits, '0');

function decode(key: string): Buffer | undefined {
  if (key.length !== keyDigits) return undefined;
  let bits = 0n;
  for (const digit of key) bits = bits * 32n + BigInt(Number.parseInt(digit, 32));
  // Each mail has one key: digits that differ in unused bits are not taken.
  if (bits % (1n << unusedBits) !== 0n) return undefined;
  return Buffer.from((bits >> unusedBits).toString(16).padStart(keyBytes * 2, '0'), 'hex');
}

/** `bounces+KEY@…` and `<KEY.random@…>`. */
const keyPattern = new RegExp(
  `(?:\\+([0-9a-v]{${keyDigits}})@|(?<![0-9a-z])([0-9a-v]{${keyDigits}})\\.[0-9a-f]+@)`,
  'g',
);

/** Returns what could be keys of mails in a text, in its order, each once. */
export const keysIn = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .matchAll(keyPattern)
      .map(([, sender, messageId]) => (sender ?? messageId)!),
  ),
];

/** Returns the envelope and the Message-ID of a mail for the SMTP client. */
export function identifyMail(to: string, { envelopeFrom, envelopeKeys, keyOf }: SenderSettings) {
  if (!keyOf) return { envelope: { from: envelopeFrom, to } };
  const key = keyOf(to);
  const at = envelopeFrom.lastIndexOf('@');
  const domain = envelopeFrom.slice(at + 1);
  const keyed = `${envelopeFrom.slice(0, at)}+${key}@${domain}`;
  return {
    envelope: { from: envelopeKeys === false ? envelopeFrom : keyed, to },
    messageId: `<${key}.${randomBytes(8).toString('hex')}@${domainToASCII(domain) || domain}>`,
  };
}
