import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Returns the addresses of a name at the nth query for one address family, counted from 0. */
export type Zone = (name: string, nth: number) => string[];

export interface NameServer extends AsyncDisposable {
  /** Resolves names by this server only. */
  resolver: Resolver;
}

const types = { 1: 'A', 28: 'AAAA' } as const;

/** Starts a name server that answers queries for A and AAAA (RFC 1035) from the zone. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const asked = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    const { name, end, type } = readQuestion(question);
    const key = `${name} ${type}`;
    const nth = asked.get(key) ?? 0;
    asked.set(key, nth + 1);
    const family = types[type as keyof typeof types];
    const addresses = zone(name, nth).filter((one) => isIPv4(one) === (family === 'A'));
    socket.send(answer(question.subarray(0, end), type, family ? addresses : []), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await new Promise((resolve) => socket.once('listening', resolve));
  const resolver = new Resolver({ timeout: 1000, tries: 2 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
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

function answer(question: Buffer, type: number, addresses: string[]): Buffer {
  const head = Buffer.from(question);
  // Flags: response, authoritative, no error.
  head.writeUInt16BE(0x8580, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const data = Buffer.from(ipaddr.parse(address).toByteArray());
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
