import { once } from 'node:events';
import { WebSocket } from 'ws';
import { eventually } from './eventually.ts';

// Tests look into many shapes of messages.
// oxlint-disable-next-line typescript/no-explicit-any
type Message = any;

/** A client of the WebSocket that keeps the messages that it receives. */
export interface TestWatcher extends Disposable {
  socket: WebSocket;
  messages: Message[];
  say(message: object | string): void;
  /** The first message of the type after those that this was called for before. */
  next(type: string): Promise<Message>;
}

export async function openWatcher(
  origin: string,
  headers: Record<string, string> = {},
): Promise<TestWatcher> {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/v1/realtime`, {
    headers,
    handshakeTimeout: 30_000,
  });
  const messages: Message[] = [];
  socket.on('message', (data) => messages.push(JSON.parse((data as Buffer).toString())));
  await once(socket, 'open');
  let seen = 0;
  return {
    socket,
    messages,
    say: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async next(type) {
      let index = -1;
      await eventually(() => {
        index = messages.findIndex(
          (message, n) => n >= seen && (message.type === type || message.type === 'error'),
        );
        return index >= 0;
        // An event shows once all older transactions of the server have ended, those of other tests too.
      }, 20_000);
      seen = index + 1;
      const message = messages[index];
      if (message.type !== type)
        throw new Error(`got an error instead: ${JSON.stringify(message)}`);
      return message;
    },
    [Symbol.dispose]: () => socket.terminate(),
  };
}

/** A client that follows the petition and has received its count. Fails where the service refuses. */
export async function followOn(
  origin: string,
  { id }: { id: string },
  more: object = {},
): Promise<TestWatcher & { first: Message }> {
  using stack = new DisposableStack();
  const watcher = stack.use(await openWatcher(origin));
  watcher.say({ type: 'subscribe', petition_id: id, ...more });
  const first = await watcher.next('subscribed');
  stack.move();
  return Object.assign(watcher, { first });
}
