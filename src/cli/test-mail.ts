import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { MailError } from '../platform/mail-errors.ts';
import { createMailer } from '../platform/mail.ts';
import { CommandError, runCommand } from './command.ts';

const help = `Sends a mail to an address, and prints what the mail server said.

  npm run test-mail -- ADDRESS

Settings are the service's environment variables: SMTP_URL, MAIL_FROM, MAIL_REPLY_TO, MAIL_ENVELOPE_FROM, BASE_URL. Reads
nothing from the database. That the server takes the mail does not mean that it arrives: look into the mailbox.
`;

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  const [to] = positionals;
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  if (positionals.length !== 1 || !to || !/^[^\s@]+@[^\s@]+$/.test(to)) {
    throw new CommandError('Name the address to which the mail goes: npm run test-mail -- ADDRESS');
  }
  process.stdout.write(`${await sendTestMail(to)}\n`);
}

/** Sends the mail. Returns what the server answered. @throws {CommandError} with the answer if it did not take it */
async function sendTestMail(to: string): Promise<string> {
  const { mail: settings, dataDir, baseUrl } = readConfig(process.env);
  const mailer = createMailer(settings, dataDir);
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
