import type { Context } from '../../platform/context.ts';
import { isAfter, type LogPosition } from '../../platform/events.ts';
import { callerWithin, type Authenticate } from '../../platform/http/admission.ts';
import { Problem } from '../../platform/problems.ts';
import { readablePetition, resolveRef } from '../../campaigns/petitions/petitions.ts';
import type { Pace } from './channel.ts';
import { Hub, type Joiner } from './hub.ts';
import type { CountRead, WrittenMessage } from './message.ts';

export { streamScript } from './assets.ts';

/** What a watcher shows to be let in to a petition that is not open to all. */
export interface Credentials {
  /** As the header of that name. */
  authorization: string | undefined;
  /** Access code of a private petition. */
  code: string | undefined;
}

/** Where what a watcher is told goes. */
export interface Recipient {
  tell(message: WrittenMessage): void;
  /** It may not go on watching. */
  refuse(problem: Problem, petitionId: string): void;
}

/** What API keys and grants must allow for more than everybody may see. */
const needs = { access: 'anyone', method: 'GET', scope: 'read:petitions' } as const;

/** Following petitions in real time: who may, and who does. */
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
   * Follows a petition from now on, or from the message that `since` names.
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

  /** The id behind a slug or an id, whoever may read what it names. */
  idOf(ref: string): Promise<string | undefined> {
    return resolveRef(this.#ctx, ref);
  }

  /** @throws {Problem} where the credentials are not valid, or not good enough */
  async readableId(ref: string, { authorization, code }: Credentials): Promise<string> {
    const caller = authorization ? await this.#authenticate({ headers: { authorization } }) : null;
    const { id } = await readablePetition(this.#ctx, callerWithin(needs, caller), ref, code);
    return id;
  }

  stop(): Promise<void> {
    return this.#hub.stop();
  }
}

/** One recipient's following of one petition. */
export class Subscription implements Joiner {
  readonly petitionId: string;
  closed = false;
  #realtime: Realtime;
  #hub: Hub;
  #credentials: Credentials;
  #recipient: Recipient;
  /** It knows of what happened up to here. */
  #known: LogPosition | undefined;
  /** The newest count that it was told. */
  #count: CountRead | undefined;

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
   * Tells the recipient, with the newest count that it was told where the message was written with an older one: what
   * a message shows besides the count can take until after others who joined meanwhile were told a newer count.
   */
  tell(message: WrittenMessage): void {
    const { newest, countRead } = message;
    const isKnown = newest && this.#known && !isAfter(newest, this.#known);
    if (this.closed || isKnown) return;
    const isOutdated = this.#count && countRead.order < this.#count.order;
    if (!isOutdated) this.#count = countRead;
    this.#recipient.tell(isOutdated ? message.withCount(this.#count!) : message);
  }

  knows(until: LogPosition): void {
    this.#known = until;
  }

  /** Ends it where the petition or the credentials do not allow it any more. */
  checkAccess(): void {
    this.#realtime.readableId(this.petitionId, this.#credentials).catch((error: unknown) => {
      if (this.closed || !(error instanceof Problem) || error.status >= 500) return;
      this.end();
      this.#recipient.refuse(error, this.petitionId);
    });
  }

  /** Checks now and then what can end by time: tokens, and what is asked for a private petition. */
  checkCredentials(): void {
    const { authorization, code } = this.#credentials;
    if (authorization !== undefined || code !== undefined) this.checkAccess();
  }

  end(): void {
    this.closed = true;
    this.#hub.leave(this.petitionId, this);
  }
}
