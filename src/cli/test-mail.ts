import { Resolver } from 'node:dns/promises';
import { parseArgs } from 'node:util';
import { readConfig, type Config } from '../config.ts';
import { MailError } from '../platform/mail-errors.ts';
import { createMailer } from '../platform/mail.ts';
import { defaultProfile } from '../platform/site/profile.ts';
import { CommandError, runCommand } from './command.ts';
import { createLookups } from './test-mail-lookups.ts';
import { checkRecords, type Finding } from './test-mail-records.ts';

const help = `Sends a mail to an address, and prints what the mail server said. Then looks up what receivers look up of the sender
(SPF, DKIM, DMARC, reverse name), and says what is missing.

  npm run test-mail -- ADDRESS
  npm run test-mail -- --check

  --check           looks up without sending, and fails if something is missing or not known
  --server ADDRESS  the name server to ask; by default that of the system

Settings are the service's environment variables: SMTP_URL, SMTP_BULK_URL, MAIL_FROM, MAIL_REPLY_TO, MAIL_ENVELOPE_FROM,
DKIM_DOMAIN, DKIM_SELECTOR, DKIM_KEY, BASE_URL. Reads nothing from the database. That the server takes the mail does not
mean that it arrives: look into the mailbox.
`;

/** How long a name server may take for an answer. */
const lookupTimeoutMs = 5000;

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      check: { type: 'boolean' },
      server: { type: 'string' },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const [to] = positionals;
  const resolver = resolverOf(values.server);
  const config = readConfig(process.env);
  if (values.check) {
    if (positionals.length > 0) throw new CommandError('--check sends nothing: name no address.');
    const findings = await printRecords(config, resolver);
    if (findings.some(({ state }) => state === 'missing' || state === 'unknown')) {
      process.exitCode = 1;
    }
    return;
  }
  if (positionals.length !== 1 || !to || !/^[^\s@]+@[^\s@]+$/.test(to)) {
    throw new CommandError('Name the address to which the mail goes: npm run test-mail -- ADDRESS');
  }
  process.stdout.write(`${await sendTestMail(config, to)}\n\n`);
  await printRecords(config, resolver);
}

/** @throws {CommandError} if the address of the name server is none */
function resolverOf(server: string | undefined): Resolver {
  const resolver = new Resolver({ timeout: lookupTimeoutMs / 2, tries: 2 });
  if (server === undefined) return resolver;
  try {
    resolver.setServers([server]);
  } catch {
    throw new CommandError(`--server is '${server}'; it must be an IP address.`);
  }
  return resolver;
}

const labels: Record<Finding['state'], string> = {
  ok: 'ok',
  note: 'note',
  missing: 'MISSING',
  unknown: 'UNKNOWN',
};

/** Looks up records of DNS and prints what was found. */
async function printRecords({ mail }: Config, resolver: Resolver): Promise<Finding[]> {
  const findings = await checkRecords(mail, createLookups(resolver, lookupTimeoutMs));
  const indent = ' '.repeat(9);
  const lines = findings.flatMap(({ state, about, text, record }) => [
    `${labels[state].padEnd(9)}${about}: ${text}`,
    ...(record ? [`${indent}${record}`] : []),
  ]);
  const count = (state: Finding['state']) => findings.filter((one) => one.state === state).length;
  const [missing, unknown] = [count('missing'), count('unknown')];
  const sum =
    missing + unknown === 0
      ? 'Nothing is missing.'
      : `Missing: ${missing}, not known: ${unknown}. See docs/mail.md.`;
  process.stdout.write(`${[...lines, '', sum].join('\n')}\n`);
  return findings;
}

/** Sends the mail. Returns what the server answered. @throws {CommandError} with the answer if it did not take it */
async function sendTestMail(
  { mail: settings, dataDir, baseUrl, production }: Config,
  to: string,
): Promise<string> {
  const site = {
    ...defaultProfile(production),
    mailFromName: settings.from.name ?? null,
    mailReplyTo: settings.replyTo ?? null,
  };
  const mailer = createMailer({ ...settings, site: () => site }, dataDir);
  try {
    const answer = await mailer.send({
      kind: 'test',
      cause: 'own act',
      to,
      language: 'en',
      subject: 'A test of the mail settings',
      text: `This mail was sent by the command test-mail of ${baseUrl}.`,
    });
    return settings.smtp ? `The mail server took the mail: ${answer}` : `Written to ${answer}`;
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    const { command, code, response } = error;
    const said = response ?? 'it gave no answer';
    throw new CommandError(`The mail server did not take the mail. ${command ?? code}: ${said}`);
  } finally {
    mailer.close();
  }
}

if (import.meta.main) await runCommand(main);
