import { createServer, type AddressInfo, type Socket } from 'node:net';
import { answerParent } from './child.ts';

/** Time for one mail, from the end of its data to the answer. */
const mailMs = 50;

interface Arrivals {
  /** When each mail was taken, in milliseconds since 1970. */
  times: Record<string, number>;
  /** Most connections at the same time. */
  connections: number;
}

const times = new Map<string, number>();
let [open, most] = [0, 0];

/** Starts an SMTP server that takes 50 ms for each mail. Returns its port. */
async function listen(): Promise<number> {
  const server = createServer({ noDelay: true }, serve).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}

function serve(socket: Socket): void {
  open += 1;
  most = Math.max(most, open);
  socket.on('close', () => (open -= 1)).on('error', () => {});
  let recipient = '';
  let inData = false;
  let pending = '';
  const read = (line: string) => {
    if (inData) {
      if (line !== '.') return;
      inData = false;
      const to = recipient;
      setTimeout(() => {
        times.set(to, Date.now());
        socket.write('250 taken\r\n');
      }, mailMs);
    } else if (/^DATA/i.test(line)) {
      inData = true;
      socket.write('354 go on\r\n');
    } else {
      recipient = /^RCPT TO:<(.*?)>/i.exec(line)?.[1] ?? recipient;
      socket.write(/^QUIT/i.test(line) ? '221 bye\r\n' : '250 fine\r\n');
    }
  };
  socket.write('220 bench\r\n');
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    const lines = (pending + chunk).split('\r\n');
    pending = lines.pop()!;
    for (const line of lines) read(line);
  });
}

const count = (): number => times.size;

/** Returns what has arrived since the last call. */
function take(): Arrivals {
  const taken = { times: Object.fromEntries(times), connections: most };
  times.clear();
  most = open;
  return taken;
}

const handlers = { listen, count, take };
export type SlowMailServer = typeof handlers;
answerParent(handlers);
