import type { Logger } from 'pino';
import type { Db } from './db.ts';
import type { Quota, Rate } from './limits.ts';
import { NetworkTable } from './networks.ts';

/** Signatures an hour from an address that many people do not share. */
export const usualHourlyLimit = 10;
/** Other processes see a change after this time. */
const refreshMs = 1000;

/**
 * Networks of schools, offices and carriers, which administrators name, with the number of signatures that each address
 * of theirs may give in an hour. What else signers meet is limited in proportion.
 */
export class SharedNetworks {
  #options: { db: Db; log: Logger };
  #limits = new NetworkTable<number>([]);
  #refreshedAt = -Infinity;

  constructor(options: { db: Db; log: Logger }) {
    this.#options = options;
  }

  /** Returns the hourly limit of an address; undefined if nobody shares it. What it answers may be a second old. */
  hourlyLimitOf(ip: string): number | undefined {
    if (performance.now() - this.#refreshedAt > refreshMs) {
      this.refresh().catch((error: unknown) =>
        this.#options.log.warn({ err: error }, 'could not read the shared networks'),
      );
    }
    return this.#limits.find(ip)[0];
  }

  /** Returns a limit of an address that is higher in proportion for a shared one. */
  raiseQuota(quota: Quota, ip: string): Quota {
    return { ...quota, points: Math.round(quota.points * this.#factorOf(ip)) };
  }

  raiseRate(rate: Rate, ip: string): Rate {
    const factor = this.#factorOf(ip);
    if (factor === 1) return rate;
    return { perSecond: rate.perSecond * factor, burst: rate.burst * factor };
  }

  #factorOf(ip: string): number {
    return Math.max(1, (this.hourlyLimitOf(ip) ?? 0) / usualHourlyLimit);
  }

  /** Reads the networks now. */
  async refresh(): Promise<void> {
    this.#refreshedAt = performance.now();
    const { db } = this.#options;
    const networks = await db<{ network: string; hourly_limit: number }[]>`
      select network::text, hourly_limit from shared_networks`;
    this.#limits = new NetworkTable(networks.map((row) => [row.network, row.hourly_limit]));
  }
}
