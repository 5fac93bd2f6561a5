import type { Context } from '../../platform/context.ts';
import { isAfter, type LogPosition } from '../../platform/events.ts';
import { callerWithin, type Authenticate } from '../../platform/http/admission.ts';
import { asset } from '../../platform/pages/assets.ts';
import { Problem } from '../../platform/problems.ts';
import { requireReadablePetition, resolvePetitionRef } from '../../campaigns/petitions/read.ts';
import type { Pace } from './channel.ts';
import { Hub, type JoiningWatcher } from './hub.ts';
import type { CountRead, SerializedMessage } from './message.ts';

/** Follows the events of a petition in a browser. */
export const streamScript = asset(new URL('stream.js', import.meta.url));

/** What a watcher presents to follow a petition that is not public. */
export interface Credentials {
  /** Value of the Authorization header. */
  authorization: string | undefined;
  /** Access code of a private petition. */
  code: string | undefined;
  /** Address of the watcher. */
  ip: string;
}

/** A client connection that receives messages. */
export interface Recipient {
  send(message: SerializedMessage): void;
  /** Called once, after the subscription ended because access was lost. */
  deny(problem: Problem, petitionId: string): void;
}

/** What API keys and OAuth grants need to read more than anonymous callers. */
const requirements = {
  auth: { access: 'anyone', scope: 'read:petitions' },
  method: 'GET',
} as const;

/** Lets clients follow the petitions that they can read. */
export class Realtime {
  #ctx: Context;
  #authenticate: Authenticate;
  #hub: Hub;

  constructor(ctx: Context, authenticate: Authenticate, pace?: Pace) {
    this.#ctx = ctx;
    this.#authenticate = authenticate;
    this.#hub = new Hub(ctx, pace);
  }

  /**
   * Follows a petition from now on, or from after the message with the id `since`.
   * @throws {Problem} unauthorized, not-found, or forbidden for a private one without its code
   */
  async follow(
    ref: string,
    credentials: Credentials,
    recipient: Recipient,
    since: string | undefined,
  ): Promise<Subscription> {
    const petitionId = await this.readableId(ref, credentials);
    const subscription = new Subscription(this, this.#hub, petitionId, credentials, recipient);
    await this.#hub.join(petitionId, subscription, since);
    return subscription;
  }

  /** Returns the id for a slug or an id, without a check of access. */
  idOf(ref: string): Promise<string | undefined> {
    return resolvePetitionRef(this.#ctx, ref);
  }

  /** @throws {Problem} if the credentials are invalid or do not allow reading the petition */
  async readableId(ref: string, { authorization, code, ip }: Credentials): Promise<string> {
    const caller = authorization ? await this.#authenticate({ headers: { authorization } }) : null;
    const reader = callerWithin(requirements, caller);
    const ctx = { ...this.#ctx, callerIp: ip };
    return (await requireReadablePetition(ctx, reader, ref, code)).id;
  }

  stop(): Promise<void> {
    return this.#hub.stop();
  }
}

/** One recipient's subscription to one petition. */
export class Subscription implements JoiningWatcher {
  readonly petitionId: string;
  closed = false;
  #realtime: Realtime;
  #hub: Hub;
  #credentials: Credentials;
  #recipient: Recipient;
  /** Messages about events up to here are skipped: the recipient has them. */
  #skipUntil: LogPosition | undefined;
  /** The newest count that was sent. */
  #lastCount: CountRead | undefined;

  constructor(
    realtime: Realtime,
    hub: Hub,
    petitionId: string,
    credentials: Credentials,
    recipient: Recipient,
  ) {
    this.#realtime = realtime;
    this.#hub = hub;
    this.petitionId = petitionId;
    this.#credentials = credentials;
    this.#recipient = recipient;
  }

  /**
   * Sends the message to the recipient. A message with an older count than the last one sent gets that newer count:
   * reading its signatures can take so long that `subscribed` overtakes it.
   */
  send(message: SerializedMessage): void {
    const { newest, countRead } = message;
    const isDuplicate = newest && this.#skipUntil && !isAfter(newest, this.#skipUntil);
    if (this.closed || isDuplicate) return;
    const isOutdated = this.#lastCount && countRead.order < this.#lastCount.order;
    if (!isOutdated) this.#lastCount = countRead;
    this.#recipient.send(isOutdated ? message.withCount(this.#lastCount!) : message);
  }

  skipUntil(position: LogPosition): void {
    this.#skipUntil = position;
  }

  /** Ends the subscription if the petition can no longer be read with the credentials. */
  checkAccess(): void {
    this.#realtime.readableId(this.petitionId, this.#credentials).catch((error: unknown) => {
      if (this.closed || !(error instanceof Problem) || error.status >= 500) return;
      this.end();
      this.#recipient.deny(error, this.petitionId);
    });
  }

  /** Checks access by tokens and codes, which can expire or change without an event. Called periodically. */
  checkCredentials(): void {
    const { authorization, code } = this.#credentials;
    if (authorization !== undefined || code !== undefined) this.checkAccess();
  }

  end(): void {
    this.closed = true;
    this.#hub.leave(this.petitionId, this);
  }
}
