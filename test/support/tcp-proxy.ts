import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface Target {
  host: string;
  port: number;
}

/**
 * A TCP proxy on loopback that can be told to fail as networks do. What is stalled is neither closed
 * nor lost: it is forwarded once that is possible again, the end of a connection included.
 */
export interface TcpProxy extends AsyncDisposable {
  port: number;
  /** Accepts connections and forwards nothing, neither on old ones nor on new ones. */
  stall(): void;
  /** Forwards nothing on the connections that are open now; new ones work. */
  stallExisting(): void;
  /** Closes the listener and resets all connections. */
  refuse(): Promise<void>;
  /** Resets all connections; new ones work. */
  dropConnections(): void;
  /** Connects later connections to another server. */
  pointTo(host: string, port: number): void;
  /** Ends every fault: listens, and forwards what was held back. */
  resume(): Promise<void>;
  openConnections(): number;
  /** Bytes that clients sent and that were forwarded, over all connections so far. */
  forwardedBytes(): number;
}

/** Starts a proxy in front of a server, on a port that is free. */
export async function startTcpProxy(target: Target): Promise<TcpProxy> {
  const links = new Set<Link>();
  let current = target;
  let stalled = false;
  let forwardedBytes = 0;
  const accept = (client: Socket) => {
    const link = new Link(client, current, (bytes) => (forwardedBytes += bytes));
    links.add(link);
    link.ended.then(
      () => links.delete(link),
      () => {},
    );
    if (stalled) link.stall();
    else link.flow();
  };
  let server = await listen(accept, 0);
  const { port } = server.address() as AddressInfo;
  const dropConnections = () => {
    for (const link of links) link.reset();
  };
  const refuse = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    dropConnections();
    await closed;
  };
  return {
    port,
    stall: () => {
      stalled = true;
      for (const link of links) link.stall();
    },
    stallExisting: () => {
      for (const link of links) link.stall();
    },
    refuse,
    dropConnections,
    pointTo: (host, toPort) => (current = { host, port: toPort }),
    resume: async () => {
      stalled = false;
      if (!server.listening) server = await listen(accept, port);
      for (const link of links) link.flow();
    },
    openConnections: () => links.size,
    forwardedBytes: () => forwardedBytes,
    [Symbol.asyncDispose]: refuse,
  };
}

async function listen(accept: (client: Socket) => void, port: number): Promise<Server> {
  const server = createServer({ pauseOnConnect: true }, accept);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** A client's connection and, once it may flow, the one to the server. */
class Link {
  readonly ended: Promise<void>;
  #client: Socket;
  #server: Socket | undefined;
  #target: Target;
  #stalled = false;
  #end!: () => void;

  constructor(client: Socket, target: Target, count: (bytes: number) => void) {
    this.#client = client;
    this.#target = target;
    this.ended = new Promise((resolve) => (this.#end = resolve));
    this.#prepare(client);
    client.on('data', (chunk) => count(chunk.length));
    client.pause();
  }

  stall(): void {
    this.#stalled = true;
    for (const socket of [this.#client, this.#server]) socket?.unpipe().pause();
  }

  flow(): void {
    this.#stalled = false;
    if (!this.#server) {
      this.#server = connect(this.#target);
      this.#prepare(this.#server);
    }
    this.#client.pipe(this.#server);
    this.#server.pipe(this.#client);
    // One of them ended while nothing was forwarded.
    if (this.#client.destroyed || this.#server.destroyed) this.reset();
  }

  reset(): void {
    for (const socket of [this.#client, this.#server]) {
      socket?.resetAndDestroy();
      // By itself it waits until all that was written is sent.
      socket?.destroy();
    }
    this.#end();
  }

  #prepare(socket: Socket): void {
    socket.setNoDelay(true);
    // Its 'close' follows.
    socket.on('error', () => {});
    socket.on('close', (hadError) => {
      if (this.#stalled) return;
      if (hadError) this.reset();
      else for (const one of [this.#client, this.#server]) one?.destroySoon();
      if (this.#client.destroyed && (this.#server?.destroyed ?? true)) this.#end();
    });
  }
}
