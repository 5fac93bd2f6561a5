import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { compileValidator } from '../../platform/http/validation.ts';
import { Problem, validationFailed } from '../../platform/problems.ts';
import { toProblem } from '../../platform/http/failures.ts';
import type { WrittenMessage } from './message.ts';
import type { Realtime, Recipient, Subscription } from './realtime.ts';
import { ClientMessage } from './schema.ts';

/** Petitions that one connection may follow. */
const mostSubscriptions = 100;
/** Messages that a client may send in ten seconds. */
const mostMessages = 200;
/** Bytes that may wait for a reader before it is cut off. */
const slowReader = 262_144;

const check = compileValidator(ClientMessage, 'body');

/** One client of the WebSocket. */
export class Connection implements Recipient {
  #realtime: Realtime;
  #socket: Duplex;
  #webSocket: WebSocket;
  #authorization: string | undefined;
  #subscriptions = new Map<string, Subscription>();
  #alive = true;
  #windowStart = 0;
  #messages = 0;
  /** Requests are answered in their order. */
  #answering: Promise<void> = Promise.resolve();

  constructor(
    realtime: Realtime,
    socket: Duplex,
    webSocket: WebSocket,
    authorization: string | undefined,
  ) {
    this.#realtime = realtime;
    this.#socket = socket;
    this.#webSocket = webSocket;
    this.#authorization = authorization;
    // A buffer, which is what `ws` gives unless it is told otherwise.
    webSocket.on('message', (data) => this.#receive((data as Buffer).toString()));
    webSocket.on('pong', () => (this.#alive = true));
    // What a client does wrong ends its own connection; `ws` closes it.
    webSocket.on('error', () => {});
    webSocket.on('close', () => this.#leaveAll());
  }

  /** Writes the frame that is shared by all; a reader who does not keep up is cut off. */
  tell(message: WrittenMessage): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    if (this.#socket.writableLength > slowReader) this.#webSocket.terminate();
    else this.#socket.write(message.frame);
  }

  refuse(problem: Problem, petitionId: string): void {
    this.#subscriptions.delete(petitionId);
    this.#fail(problem, petitionId);
  }

  /** Asks for a sign of life, and ends the connection where the last was not answered. */
  beat(): void {
    if (!this.#alive) {
      this.#webSocket.terminate();
      return;
    }
    this.#alive = false;
    this.#webSocket.ping();
    for (const subscription of this.#subscriptions.values()) subscription.checkCredentials();
  }

  /** Tells the client that the service goes away; it may connect to another process at once. */
  hangUp(): void {
    this.#webSocket.close(1001, 'The service restarts.');
    this.#socket.end();
  }

  #receive(text: string): void {
    if (this.#tooMany()) {
      this.#webSocket.close(1008, 'Too many messages.');
      return;
    }
    this.#answering = this.#answering.then(() => this.#answer(text));
  }

  #tooMany(): boolean {
    const now = performance.now();
    if (now - this.#windowStart > 10_000) {
      this.#windowStart = now;
      this.#messages = 0;
    }
    this.#messages += 1;
    return this.#messages > mostMessages;
  }

  async #answer(text: string): Promise<void> {
    let ref: string | undefined;
    try {
      const message = parse(text);
      ref = message.petition_id;
      if (message.type === 'ping') this.#send({ type: 'pong' });
      else if (ref === undefined) throw validationFailed(petitionNeeded);
      else if (message.type === 'subscribe') await this.#subscribe(ref, message);
      else await this.#unsubscribe(ref);
    } catch (error) {
      this.#fail(toProblem(error), ref);
    }
  }

  async #subscribe(ref: string, message: ClientMessage): Promise<void> {
    if (this.#subscriptions.size >= mostSubscriptions) {
      throw new Problem('conflict', `One connection follows at most ${mostSubscriptions}.`, {
        code: 'too_many_subscriptions',
      });
    }
    const { access_token: token, access_code: code } = message;
    const credentials = { authorization: token ? `Bearer ${token}` : this.#authorization, code };
    const petitionId = await this.#realtime.readableId(ref, credentials);
    this.#authorization = credentials.authorization;
    // Again is anew: it is told the count, and perhaps what it missed.
    this.#subscriptions.get(petitionId)?.end();
    const subscription = await this.#realtime.follow(petitionId, credentials, this, message.since);
    this.#subscriptions.set(petitionId, subscription);
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) this.#leaveAll();
  }

  /** Needs no rights. Of what the client does not follow nothing is told but its own words. */
  async #unsubscribe(ref: string): Promise<void> {
    const petitionId = await this.#realtime.idOf(ref);
    const followed = petitionId !== undefined && this.#subscriptions.get(petitionId);
    if (followed) {
      followed.end();
      this.#subscriptions.delete(petitionId);
    }
    this.#send({ type: 'unsubscribed', petition_id: followed ? petitionId : ref });
  }

  #fail({ kind, code, message, errors }: Problem, petition: string | undefined): void {
    this.#send({
      type: 'error',
      code: code ?? kind,
      message,
      ...(petition !== undefined && { petition_id: petition }),
      ...(errors && { errors }),
    });
  }

  #send(message: object): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    this.#webSocket.send(JSON.stringify(message));
  }

  #leaveAll(): void {
    for (const subscription of this.#subscriptions.values()) subscription.end();
    this.#subscriptions.clear();
  }
}

const petitionNeeded = {
  field: 'petition_id',
  message: 'This is required.',
  code: 'required',
} as const;

/** @throws {Problem} validation-failed, or invalid-request for what is no JSON */
function parse(text: string): ClientMessage {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw new Problem('invalid-request', 'Send JSON texts.');
  }
  const errors = check(message);
  if (errors.length > 0) throw validationFailed(...errors);
  return message as ClientMessage;
}
