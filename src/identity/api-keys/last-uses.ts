import type { Context } from '../../platform/context.ts';
import { PeriodicWriter } from '../../platform/periodic-writer.ts';
import { recordUses } from './queries.ts';

/** Collects when keys were last used, and stores it in one statement a minute. */
export class LastUses {
  readonly writer: PeriodicWriter;
  #ctx: Context;
  #unwritten = new Map<string, Date>();

  constructor(ctx: Context, intervalMs = 60_000) {
    this.#ctx = ctx;
    this.writer = new PeriodicWriter(intervalMs, () => this.#write());
  }

  record(keyId: string, at: Date): void {
    this.#unwritten.set(keyId, at);
  }

  /** Returns the key's last use if this process has not stored it yet. */
  unwritten(keyId: string): Date | undefined {
    return this.#unwritten.get(keyId);
  }

  async #write(): Promise<void> {
    const uses = [...this.#unwritten];
    if (uses.length === 0) return;
    try {
      await recordUses(this.#ctx.pools.main, uses);
    } catch (error) {
      this.#ctx.log.warn({ err: error }, 'could not store the last uses of API keys; will retry');
      return;
    }
    for (const [id, at] of uses) {
      if (this.#unwritten.get(id) === at) this.#unwritten.delete(id);
    }
  }
}
