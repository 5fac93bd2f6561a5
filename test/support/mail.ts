import { Buffer } from 'node:buffer';
import { defaultProfile } from '../../src/platform/site/profile.ts';

/** The sender of tests that make a mailer of their own. */
export const testSender = {
  from: { name: undefined, address: 'no-reply@petitions.test' },
  replyTo: undefined,
  site: () => defaultProfile(false),
};

export interface ReadMail {
  to: string;
  subject: string;
  text: string;
  html: string;
  attachments: { filename: string; type: string; content: Buffer }[];
}

/** Parses a mail, as far as ours need it: RFC 2045, 2046 and 2047. */
export function readMail(eml: string): ReadMail {
  const root = readPart(eml.replaceAll('\r\n', '\n'));
  const leaves = leavesOf(root);
  const isAttached = (part: Part) => part.header('content-disposition').startsWith('attachment');
  const attached = leaves.filter(isAttached);
  const bodyOf = (type: string) =>
    leaves
      .find((part) => !isAttached(part) && part.header('content-type').startsWith(type))
      ?.content()
      .toString() ?? '';
  return {
    to: root.header('to'),
    subject: decodeWords(root.header('subject')),
    text: bodyOf('text/plain'),
    html: bodyOf('text/html'),
    attachments: attached.map((part) => ({
      filename: /filename=([^;\s]+)/.exec(part.header('content-disposition'))?.[1] ?? '',
      type: part.header('content-type').split(';')[0]!,
      content: part.content(),
    })),
  };
}

type Part = ReturnType<typeof readPart>;

/** The parts of a message that have none themselves. */
function leavesOf(part: Part): Part[] {
  if (!part.boundary) return [part];
  return (
    part.body
      .split(`--${part.boundary}`)
      .slice(1, -1)
      // The line break before a boundary belongs to it.
      .flatMap((inner) => leavesOf(readPart(inner.replace(/^\n/, '').replace(/\n$/, ''))))
  );
}

function readPart(part: string) {
  const end = part.indexOf('\n\n');
  const body = part.slice(end + 2);
  const lines = part
    .slice(0, end)
    .replaceAll(/\n[ \t]+/g, ' ')
    .split('\n');
  const headers = new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const header = (name: string) => headers.get(name) ?? '';
  return {
    header,
    body,
    boundary: /boundary="([^"]+)"/.exec(header('content-type'))?.[1],
    content: () => decode(body, header('content-transfer-encoding')),
  };
}

function decode(body: string, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64');
  if (encoding !== 'quoted-printable') return Buffer.from(body);
  return fromQuoted(body.replaceAll('=\n', ''));
}

const fromQuoted = (text: string) =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    'latin1',
  );

const decodeWords = (text: string) =>
  text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?([BQ])\?(.*?)\?=/gi, (_, how: string, word: string) =>
      (how.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64')
        : fromQuoted(word.replaceAll('_', ' '))
      ).toString(),
    );
