import { createServer, type AddressInfo } from 'node:net';

interface MailServer {
  /** Value of SMTP_URL. */
  url: string;
  /** Accepted mails, oldest first. */
  mails: string[];
  close: () => void;
}

/** Starts a mail server that answers the first recipients with these lines, and accepts all later ones. */
export async function startMailServer(answers: string[]): Promise<MailServer> {
  const mails: string[] = [];
  const server = createServer((socket) => {
    socket.setEncoding('utf8').write('220 test\r\n');
    let body: string | undefined;
    let pending = '';
    socket.on('error', () => {});
    socket.on('data', (chunk: string) => {
      pending += chunk;
      for (let end = pending.indexOf('\r\n'); end >= 0; end = pending.indexOf('\r\n')) {
        const line = pending.slice(0, end);
        pending = pending.slice(end + 2);
        if (body !== undefined) {
          if (line !== '.') {
            body += `${line.replace(/^\./, '')}\r\n`;
            continue;
          }
          mails.push(body);
          body = undefined;
          socket.write('250 taken\r\n');
        } else if (/^RCPT/i.test(line)) socket.write(`${answers.shift() ?? '250 fine'}\r\n`);
        else if (/^DATA/i.test(line)) {
          body = '';
          socket.write('354 go on\r\n');
        } else socket.write('250 fine\r\n');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, mails, close: () => void server.close() };
}
