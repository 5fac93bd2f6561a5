import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Returns the addresses of a name at the nth query for one address family, counted from 0. */
export type Zone = (name: string, nth: number) => string[];

/** Records of other types by name: texts, names, and names of mail servers after their preference, as in `10 mx.test`. */
export type Records = Partial<Record<'TXT' | 'PTR' | 'MX', Record<string, string[]>>>;

export interface NameServer extends AsyncDisposable {
  /** Host and port. */
  address: string;
  /** Resolves names by this server only. */
  resolver: Resolver;
}

const types: Record<number, 'A' | 'AAAA' | keyof Records> = {
  1: 'A',
  12: 'PTR',
  15: 'MX',
  16: 'TXT',
  28: 'AAAA',
};

/** Starts a name server that answers queries for A and AAAA (RFC 1035) from the zone, and others from the records. */
export async function startNameServer(zone: Zone, records: Records = {}): Promise<NameServer> {
  const asked = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    const { name, end, type } = readQuestion(question);
    const key = `${name} ${type}`;
    const nth = asked.get(key) ?? 0;
    asked.set(key, nth + 1);
    const found = (): Buffer[] => {
      const wanted = types[type];
      if (wanted === 'A' || wanted === 'AAAA') {
        const addresses = zone(name, nth).filter((one) => isIPv4(one) === (wanted === 'A'));
        return addresses.map((one) => Buffer.from(ipaddr.parse(one).toByteArray()));
      }
      return wanted ? (records[wanted]?.[name] ?? []).map(encoders[wanted]) : [];
    };
    socket.send(answer(question.subarray(0, end), type, found()), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await new Promise((resolve) => socket.once('listening', resolve));
  const resolver = new Resolver({ timeout: 1000, tries: 2 });
  const address = `127.0.0.1:${socket.address().port}`;
  resolver.setServers([address]);
  return {
    address,
    resolver,
    async [Symbol.asyncDispose]() {
      resolver.cancel();
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
}

/** Parses the question of a message: name, type and end. */
function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels = [];
  let at = 12;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const name = labels.join('.').toLowerCase();
  return { name, type: message.readUInt16BE(at + 1), end: at + 5 };
}

const withLength = (bytes: Buffer) => Buffer.concat([Buffer.from([bytes.length]), bytes]);

const encodeName = (name: string) =>
  Buffer.concat([...name.split('.').map((label) => withLength(Buffer.from(label))), Buffer.of(0)]);

/** The data of a record. */
const encoders: Record<keyof Records, (value: string) => Buffer> = {
  PTR: encodeName,
  TXT: (text) =>
    Buffer.concat((text.match(/.{1,255}/g) ?? ['']).map((part) => withLength(Buffer.from(part)))),
  MX(value) {
    const [preference, name] = value.split(' ') as [string, string];
    const head = Buffer.alloc(2);
    head.writeUInt16BE(Number(preference));
    return Buffer.concat([head, encodeName(name)]);
  },
};

function answer(question: Buffer, type: number, found: Buffer[]): Buffer {
  const head = Buffer.from(question);
  // Flags: response, authoritative, no error.
  head.writeUInt16BE(0x8580, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(found.length, 6);
  head.writeUInt32BE(0, 8);
  const records = found.map((data) => {
    const record = Buffer.alloc(12);
    // The name of the question, its type, class IN, TTL 0.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([head, ...records]);
}
