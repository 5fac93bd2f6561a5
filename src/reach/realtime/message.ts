import type { LogPosition } from '../../platform/events.ts';
import type { RealtimeMessage } from './schema.ts';

/** A message, written out once however many receive it. */
export class WrittenMessage {
  readonly json: string;
  /** The newest event that it tells of, where it tells of any. */
  readonly newest: LogPosition | undefined;
  #message: RealtimeMessage;
  #frame: Buffer | undefined;
  #serverSentEvent: Buffer | undefined;

  constructor(message: RealtimeMessage, newest?: LogPosition) {
    this.#message = message;
    this.newest = newest;
    this.json = JSON.stringify(message);
  }

  /** As a WebSocket frame. */
  get frame(): Buffer {
    return (this.#frame ??= textFrame(this.json));
  }

  get serverSentEvent(): Buffer {
    const { type, id } = this.#message;
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
