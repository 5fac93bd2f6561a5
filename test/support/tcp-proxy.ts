import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface Target {
  host: string;
  port: number;
}

/**
 * A TCP proxy on loopback that simulates network failures. Stalled data is neither dropped nor reset: the proxy forwards
 * it later, including the end of a connection.
 */
export interface TcpProxy extends AsyncDisposable {
  port: number;
  /** Accepts connections, and forwards nothing on existing and new ones. */
  stall(): void;
  /** Forwards nothing on existing connections; new ones work. */
  stallExisting(): void;
  /** Closes the listener and resets all connections. */
  refuse(): Promise<void>;
  /** Resets all connections; new ones work. */
  dropConnections(): void;
  /** Connects new connections to another server. */
  pointTo(host: string, port: number): void;
  /** Ends all failures: listens, and forwards stalled data. */
  resume(): Promise<void>;
  openConnections(): number;
  /** Bytes from clients that were forwarded on all connections so far. */
  forwardedBytes(): number;
}

/** Starts a proxy in front of a server, on a free port. */
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

/** A client's connection and, from the first flow on, the one to the server. */
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
    // One of them ended while stalled.
    if (this.#client.destroyed || this.#server.destroyed) this.reset();
  }

  reset(): void {
    for (const socket of [this.#client, this.#server]) {
      socket?.resetAndDestroy();
      // resetAndDestroy waits until all written data is sent.
      socket?.destroy();
    }
    this.#end();
  }

  #prepare(socket: Socket): void {
    socket.setNoDelay(true);
    // 'close' follows.
    socket.on('error', () => {});
    socket.on('close', (hadError) => {
      if (this.#stalled) return;
      if (hadError) this.reset();
      else for (const one of [this.#client, this.#server]) one?.destroySoon();
      if (this.#client.destroyed && (this.#server?.destroyed ?? true)) this.#end();
    });
  }
}
