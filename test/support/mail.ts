import { Buffer } from 'node:buffer';

export interface ReadMail {
  to: string;
  subject: string;
  text: string;
  attachments: { filename: string; type: string; content: Buffer }[];
}

/** Parses a mail, as far as ours need it: RFC 2045, 2046 and 2047. */
export function readMail(eml: string): ReadMail {
  const root = readPart(eml.replaceAll('\r\n', '\n'));
  const parts = root.boundary
    ? root.body
        .split(`--${root.boundary}`)
        .slice(1, -1)
        .map((part) => readPart(part.replace(/^\n/, '')))
    : [root];
  const [text, ...attached] = parts;
  return {
    to: root.header('to'),
    subject: decodeWords(root.header('subject')),
    text: text!.content().toString(),
    attachments: attached.map((part) => ({
      filename: /filename=([^;\s]+)/.exec(part.header('content-disposition'))?.[1] ?? '',
      type: part.header('content-type').split(';')[0]!,
      content: part.content(),
    })),
  };
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
