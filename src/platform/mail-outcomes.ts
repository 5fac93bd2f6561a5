import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { MailError } from './mail-errors.ts';
import type { Mail, Mailer } from './mail.ts';

/** A mailer that counts mails by kind and outcome, and logs what was not accepted. */
export function observedMailer(
  mailer: Mailer,
  { log, metrics }: { log: Logger; metrics: Registry },
): Mailer {
  const outcomes = new Counter({
    name: 'mails_total',
    help: 'Mails by kind and outcome: sent, bounced (the recipient does not exist), deferred (tried again later)',
    labelNames: ['kind', 'outcome'],
    registers: [metrics],
  });
  return {
    async send(mail) {
      const { kind } = mail;
      try {
        const answer = await mailer.send(mail);
        outcomes.inc({ kind, outcome: 'sent' });
        return answer;
      } catch (error) {
        const isBounce = error instanceof MailError && error.isBounce;
        outcomes.inc({ kind, outcome: isBounce ? 'bounced' : 'deferred' });
        log.warn(
          failureFields(mail, error),
          isBounce ? 'a mail bounced' : 'a mail was not accepted',
        );
        throw error;
      }
    },
    close: () => mailer.close(),
  };
}

/** What a log line says of a failure. The address is left out, but for its domain. */
function failureFields({ kind, to }: Mail, error: unknown): object {
  const domain = to.slice(to.lastIndexOf('@') + 1);
  if (!(error instanceof MailError)) return { kind, domain, err: error };
  const { code, command, responseCode, response } = error;
  return { kind, domain, code, command, response_code: responseCode, response };
}
