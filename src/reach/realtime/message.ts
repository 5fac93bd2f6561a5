import type { LogPosition } from '../../platform/events.ts';
import type { RealtimeMessage } from './schema.ts';

/** A petition's count, as it was read. */
export interface CountRead {
  count: number;
  /** Place among the reads of the channel: they follow each other, so the later one is the newer count. */
  order: number;
}

/** What a message says besides the count. */
type Content = Omit<RealtimeMessage, 'signature_count'>;

/** A message, written out once however many receive it. */
export class WrittenMessage {
  readonly json: string;
  readonly countRead: CountRead;
  /** The newest event that it tells of, where it tells of any. */
  readonly newest: LogPosition | undefined;
  #content: Content;
  #recounted: WrittenMessage | undefined;
  #frame: Buffer | undefined;
  #serverSentEvent: Buffer | undefined;

  constructor(content: Content, countRead: CountRead, newest?: LogPosition) {
    this.#content = content;
    this.countRead = countRead;
    this.newest = newest;
    const { type, id, petition_id, ...rest } = content;
    this.json = JSON.stringify({
      type,
      id,
      petition_id,
      signature_count: countRead.count,
      ...rest,
    } satisfies RealtimeMessage);
  }

  /** The same message with another count; written once for all who need the same. */
  withCount(countRead: CountRead): WrittenMessage {
    if (this.#recounted?.countRead !== countRead) {
      this.#recounted = new WrittenMessage(this.#content, countRead, this.newest);
    }
    return this.#recounted;
  }

  /** As a WebSocket frame. */
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

/** One unmasked text frame, as a server sends it (RFC 6455 section 5.2). */
function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const { length } = payload;
  const wide = length > 0xffff;
  const head = Buffer.alloc(wide ? 10 : length > 125 ? 4 : 2);
  head[0] = 0x81; // final fragment of a text
  if (wide) {
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
