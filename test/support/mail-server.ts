import { createServer, type AddressInfo } from 'node:net';

/** The points of an SMTP session at which a server can refuse; `end` is the end of a mail's data. */
const commands = ['connect', 'ehlo', 'auth', 'mail', 'rcpt', 'data', 'end'] as const;
export type SmtpCommand = (typeof commands)[number];

/** What the next sessions are answered at a command, in this order; afterwards all is accepted. */
export type SmtpAnswers = Partial<Record<SmtpCommand, string[]>>;

export interface MailServer extends AsyncDisposable {
  /** Value of SMTP_URL. */
  url: string;
  /** Accepted mails, oldest first. */
  mails: string[];
  /** Envelopes of accepted mails. */
  envelopes: { from: string; to: string }[];
  /** Names that clients gave in EHLO. */
  clients: string[];
  /** Sets what is answered from now on. */
  answer(answers: SmtpAnswers): void;
  /** Answers this to one recipient, until undefined is given. */
  answerTo(recipient: string, answer: string | undefined): void;
}

const defaults: Record<SmtpCommand, string> = {
  connect: '220 test',
  ehlo: '250-test\r\n250 AUTH PLAIN',
  auth: '235 welcome',
  mail: '250 fine',
  rcpt: '250 fine',
  data: '354 go on',
  end: '250 taken',
};

const nameOf = (line: string): SmtpCommand | undefined =>
  commands.find((name) => line.toLowerCase().startsWith(name));
const addressIn = (line: string) => /<(.*?)>/.exec(line)?.[1] ?? '';

/** Starts a mail server (RFC 5321). An answer of 421 ends the connection. */
export async function startMailServer(first: SmtpAnswers = {}): Promise<MailServer> {
  let answers = structuredClone(first);
  const refusals = new Map<string, string>();
  const received: Pick<MailServer, 'mails' | 'envelopes' | 'clients'> = {
    mails: [],
    envelopes: [],
    clients: [],
  };
  const server = createServer((socket) => {
    const reply = (name: SmtpCommand): boolean => {
      const forRecipient = name === 'rcpt' ? refusals.get(envelope.to) : undefined;
      const text = forRecipient ?? answers[name]?.shift() ?? defaults[name];
      socket.write(`${text}\r\n`);
      if (text.startsWith('421')) socket.end();
      return /^[23]/.test(text);
    };
    let envelope = { from: '', to: '' };
    let body: string | undefined;
    let pending = '';
    const read = (line: string) => {
      if (body !== undefined) {
        if (line !== '.') {
          body += `${line.replace(/^\./, '')}\r\n`;
          return;
        }
        if (reply('end')) {
          received.mails.push(body);
          received.envelopes.push(envelope);
        }
        body = undefined;
        return;
      }
      const name = nameOf(line);
      if (name === undefined) {
        socket.write(/^starttls/i.test(line) ? '502 no TLS here\r\n' : '250 fine\r\n');
        return;
      }
      if (name === 'ehlo') received.clients.push(line.slice(5));
      if (name === 'mail') envelope = { from: addressIn(line), to: '' };
      if (name === 'rcpt') envelope.to = addressIn(line);
      if (reply(name) && name === 'data') body = '';
    };
    socket.on('error', () => {});
    reply('connect');
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      pending += chunk;
      for (let end = pending.indexOf('\r\n'); end >= 0; end = pending.indexOf('\r\n')) {
        const line = pending.slice(0, end);
        pending = pending.slice(end + 2);
        read(line);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    ...received,
    answer: (next) => (answers = structuredClone(next)),
    answerTo(recipient, text) {
      if (text === undefined) refusals.delete(recipient);
      else refusals.set(recipient, text);
    },
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}
