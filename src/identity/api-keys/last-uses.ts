import type { Context } from '../../platform/context.ts';
import { PeriodicWriter } from '../../platform/periodic-writer.ts';
import { recordUses } from './queries.ts';

/** When keys were last used: remembered at each use, written in one statement a minute. */
export class LastUses {
  readonly writer: PeriodicWriter;
  #ctx: Context;
  #unwritten = new Map<string, Date>();

  /** `every` is in milliseconds. */
  constructor(ctx: Context, every = 60_000) {
    this.#ctx = ctx;
    this.writer = new PeriodicWriter(every, () => this.#write());
  }

  note(keyId: string, at: Date): void {
    this.#unwritten.set(keyId, at);
  }

  /** The key's last use that this process has seen and not written yet. */
  unwritten(keyId: string): Date | undefined {
    return this.#unwritten.get(keyId);
  }

  async #write(): Promise<void> {
    const uses = [...this.#unwritten];
    if (uses.length === 0) return;
    try {
      await recordUses(this.#ctx.pools.main, uses);
    } catch (error) {
      // What was not written is tried again in a minute.
      this.#ctx.log.warn({ err: error }, 'uses of API keys could not be written');
      return;
    }
    for (const [id, at] of uses) {
      if (this.#unwritten.get(id) === at) this.#unwritten.delete(id);
    }
  }
}
