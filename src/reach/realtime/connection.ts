import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { withDeadline } from '../../platform/db.ts';
import { compileValidator } from '../../platform/http/validation.ts';
import { Problem, validationFailed } from '../../platform/problems.ts';
import { toProblem } from '../../platform/http/problem-answers.ts';
import type { SerializedMessage } from './message.ts';
import type { Realtime, Recipient, Subscription } from './realtime.ts';
import { ClientMessage } from './schema.ts';

/** Petitions that one connection can follow. */
const maxSubscriptions = 100;
/** A client that sends more than `maxMessagesPerWindow` within this time is disconnected. */
const windowMs = 10_000;
const maxMessagesPerWindow = 200;
/** How long a subscription may wait for the database. */
const answerTimeoutMs = 5000;
/** A client with more unread bytes than this is disconnected. */
const maxBufferedBytes = 262_144;

const messageErrors = compileValidator(ClientMessage, 'body');

/** One client of the WebSocket. */
export class Connection implements Recipient {
  #realtime: Realtime;
  #socket: Duplex;
  #webSocket: WebSocket;
  #authorization: string | undefined;
  #ip: string;
  #subscriptions = new Map<string, Subscription>();
  #isAlive = true;
  #windowStart = 0;
  #messagesInWindow = 0;
  /** Settles after the last message was answered: messages are answered in order. */
  #lastAnswer: Promise<void> = Promise.resolve();

  constructor(
    realtime: Realtime,
    socket: Duplex,
    webSocket: WebSocket,
    { authorization, ip }: { authorization: string | undefined; ip: string },
  ) {
    this.#realtime = realtime;
    this.#socket = socket;
    this.#webSocket = webSocket;
    this.#authorization = authorization;
    this.#ip = ip;
    // `ws` passes a Buffer unless `binaryType` is set.
    webSocket.on('message', (data) => this.#receive((data as Buffer).toString()));
    webSocket.on('pong', () => (this.#isAlive = true));
    // `ws` closes the connection after a protocol error.
    webSocket.on('error', () => {});
    webSocket.on('close', () => this.#endSubscriptions());
  }

  /** Writes the shared frame, or disconnects a client that reads too slowly. */
  send(message: SerializedMessage): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    if (this.#socket.writableLength > maxBufferedBytes) this.#webSocket.terminate();
    else this.#socket.write(message.frame);
  }

  deny(problem: Problem, petitionId: string): void {
    this.#subscriptions.delete(petitionId);
    this.#sendError(problem, petitionId);
  }

  /** Sends a ping. Ends the connection if the last ping was not answered. */
  keepAlive(): void {
    if (!this.#isAlive) {
      this.#webSocket.terminate();
      return;
    }
    this.#isAlive = false;
    this.#webSocket.ping();
    for (const subscription of this.#subscriptions.values()) subscription.checkCredentials();
  }

  /** Closes with 1001 (going away), after which the client can connect to another process. */
  shutDown(): void {
    this.#webSocket.close(1001, 'The service restarts.');
    this.#socket.end();
  }

  #receive(text: string): void {
    if (this.#isOverLimit()) {
      this.#webSocket.close(1008, 'Too many messages.');
      return;
    }
    this.#lastAnswer = this.#lastAnswer.then(() => this.#answer(text));
  }

  #isOverLimit(): boolean {
    const now = performance.now();
    if (now - this.#windowStart > windowMs) {
      this.#windowStart = now;
      this.#messagesInWindow = 0;
    }
    this.#messagesInWindow += 1;
    return this.#messagesInWindow > maxMessagesPerWindow;
  }

  async #answer(text: string): Promise<void> {
    let ref: string | undefined;
    try {
      const message = parse(text);
      ref = message.petition_id;
      if (message.type === 'ping') this.#sendJson({ type: 'pong' });
      else if (ref === undefined) throw validationFailed(petitionIsMissing);
      else await this.#follow(ref, message);
    } catch (error) {
      this.#sendError(toProblem(error), ref);
    }
  }

  /** With the deadline of a request. */
  #follow(ref: string, message: ClientMessage): Promise<void> {
    return withDeadline(answerTimeoutMs, () =>
      message.type === 'subscribe' ? this.#subscribe(ref, message) : this.#unsubscribe(ref),
    );
  }

  async #subscribe(ref: string, message: ClientMessage): Promise<void> {
    if (this.#subscriptions.size >= maxSubscriptions) {
      throw new Problem('conflict', `One connection follows at most ${maxSubscriptions}.`, {
        code: 'too_many_subscriptions',
      });
    }
    const { access_token: token, access_code: code } = message;
    const authorization = token ? `Bearer ${token}` : this.#authorization;
    const credentials = { authorization, code, ip: this.#ip };
    const petitionId = await this.#realtime.readableId(ref, credentials);
    this.#authorization = credentials.authorization;
    // A repeated subscription starts over, with the count and perhaps missed messages.
    this.#subscriptions.get(petitionId)?.end();
    const subscription = await this.#realtime.follow(petitionId, credentials, this, message.since);
    this.#subscriptions.set(petitionId, subscription);
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) this.#endSubscriptions();
  }

  /** Needs no access to the petition. For one that is not followed, answers with the client's own `ref`. */
  async #unsubscribe(ref: string): Promise<void> {
    const petitionId = await this.#realtime.idOf(ref);
    const followed = petitionId !== undefined && this.#subscriptions.get(petitionId);
    if (followed) {
      followed.end();
      this.#subscriptions.delete(petitionId);
    }
    this.#sendJson({ type: 'unsubscribed', petition_id: followed ? petitionId : ref });
  }

  #sendError({ kind, code, message, errors }: Problem, petition: string | undefined): void {
    this.#sendJson({
      type: 'error',
      code: code ?? kind,
      message,
      ...(petition !== undefined && { petition_id: petition }),
      ...(errors && { errors }),
    });
  }

  #sendJson(message: object): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    this.#webSocket.send(JSON.stringify(message));
  }

  #endSubscriptions(): void {
    for (const subscription of this.#subscriptions.values()) subscription.end();
    this.#subscriptions.clear();
  }
}

const petitionIsMissing = {
  field: 'petition_id',
  message: 'This is required.',
  code: 'required',
} as const;

/** @throws {Problem} validation-failed, or invalid-request if the text is not JSON */
function parse(text: string): ClientMessage {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw new Problem('invalid-request', 'Send JSON texts.');
  }
  const errors = messageErrors(message);
  if (errors.length > 0) throw validationFailed(...errors);
  return message as ClientMessage;
}
