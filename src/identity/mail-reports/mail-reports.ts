import { Counter } from 'prom-client';
import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import { readReport } from '../../platform/delivery-reports.ts';
import { openMailKey, type KeyedMail } from '../../platform/mail-keys.ts';
import { insertSuppression, type BounceHandler } from '../../platform/mail-suppressions.ts';

/**
 * What a report led to. `counted`: mail to its mailbox has ended. `unproven`: it has no key of a mail of the last 30
 * days. `ignored`: it reports nothing permanent. `unreadable`: it is no report.
 */
export type ReportOutcome = 'counted' | 'unproven' | 'ignored' | 'unreadable';

/** Takes reports of mail servers about mails that were accepted first, and bounced or were complained about later. */
export class MailReports {
  #ctx: Context;
  #handlers: () => BounceHandler[];
  #reports: Counter;

  /** @param handlers what slices do after a bounce */
  constructor(ctx: Context, handlers: () => BounceHandler[]) {
    this.#ctx = ctx;
    this.#handlers = handlers;
    this.#reports = new Counter({
      name: 'mail_reports_total',
      help: 'Reports of mail servers by kind (bounce, complaint, other) and outcome: counted, unproven (no valid key), ignored, unreadable',
      labelNames: ['kind', 'outcome'],
      registers: [ctx.metrics],
    });
  }

  /** Takes a report of any sender. Only a key proves that it is about a mail of this service. */
  async take(bytes: Buffer): Promise<ReportOutcome> {
    const { keys, now, log } = this.#ctx;
    const report = await readReport(bytes);
    const { kind = 'other', domain } = report ?? {};
    const mail = report?.keys.flatMap((key) => openMailKey(keys, key, now()) ?? [])[0];
    const outcome = await this.#apply(report?.kind, mail);
    this.#reports.inc({ kind, outcome });
    // The domain is of the report: somebody may have made it up unless it counted.
    log.info({ kind, outcome, ...(outcome === 'counted' && { domain }) }, 'a mail report');
    return outcome;
  }

  async #apply(
    kind: 'bounce' | 'complaint' | 'other' | undefined,
    mail: KeyedMail | undefined,
  ): Promise<ReportOutcome> {
    if (kind === undefined) return 'unreadable';
    if (kind === 'other') return 'ignored';
    if (!mail) return 'unproven';
    await transaction(this.#ctx.db, async (tx) => {
      if (kind === 'complaint') return insertSuppression(tx, mail.mailbox, 'complained');
      await insertSuppression(tx, mail.mailbox, 'bounced');
      for (const handle of this.#handlers()) await handle(tx, mail);
    });
    return 'counted';
  }
}
