import type { LogPosition } from '../../platform/events.ts';
import type { RealtimeMessage } from './schema.ts';

/** A petition's signature count and when it was read. */
export interface CountRead {
  count: number;
  /** Number of the read within its channel. Reads do not overlap: a higher number is a newer count. */
  order: number;
}

type Content = Omit<RealtimeMessage, 'signature_count'>;

/** A message that is serialized once for all its receivers. */
export class SerializedMessage {
  readonly json: string;
  readonly countRead: CountRead;
  /** The newest event in the message, if it reports events. */
  readonly newest: LogPosition | undefined;
  #content: Content;
  #recounted: SerializedMessage | undefined;
  #frame: Buffer | undefined;
  #serverSentEvent: Buffer | undefined;

  constructor(content: Content, countRead: CountRead, newest?: LogPosition) {
    this.#content = content;
    this.countRead = countRead;
    this.newest = newest;
    const { type, id, petition_id, ...rest } = content;
    const { count: signature_count } = countRead;
    const message: RealtimeMessage = { type, id, petition_id, signature_count, ...rest };
    this.json = JSON.stringify(message);
  }

  /** Returns the message with another count. The last result is cached. */
  withCount(countRead: CountRead): SerializedMessage {
    if (this.#recounted?.countRead !== countRead) {
      this.#recounted = new SerializedMessage(this.#content, countRead, this.newest);
    }
    return this.#recounted;
  }

  /** The message as a WebSocket frame. */
  get frame(): Buffer {
    return (this.#frame ??= textFrame(this.json));
  }

  get serverSentEvent(): Buffer {
    const { type, id } = this.#content;
    // JSON holds no line breaks, so the data is one line.
    return (this.#serverSentEvent ??= Buffer.from(
      `event: ${type}\nid: ${id}\ndata: ${this.json}\n\n`,
    ));
  }
}

/** Returns an unmasked text frame, as servers send it (RFC 6455 section 5.2). */
function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const { length } = payload;
  const isLong = length > 0xffff;
  const head = Buffer.alloc(isLong ? 10 : length > 125 ? 4 : 2);
  head[0] = 0x81; // final fragment of a text
  if (isLong) {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  } else if (length > 125) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = length;
  }
  return Buffer.concat([head, payload]);
}
