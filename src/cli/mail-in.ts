import { parseArgs } from 'node:util';
import { createApp } from '../app.ts';
import { readConfig } from '../config.ts';
import type { Context } from '../platform/context.ts';
import { maxReportBytes } from '../platform/delivery-reports.ts';
import { runCommand, withContext } from './command.ts';

const help = `Reads a delivery report from standard input: a bounce (RFC 3464) or a complaint (RFC 5965).

  npm run --silent mail-in < report.eml

Ends with 0 for every readable report, also for a forged one, which changes nothing; with 65 (EX_DATAERR) for anything
else; with 75 (EX_TEMPFAIL) if it could not be stored, so that the mail server tries again. Settings are the service's
environment variables. docs/mail-bounces.md says how mail servers call it.
`;

/** Codes of sysexits.h, by which mail servers decide. */
const dataError = 65;
const temporaryFailure = 75;

/** The mail server tries again, so it need not wait. */
const databaseTimeoutMs = 5000;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const report = await readUpTo(maxReportBytes, process.stdin);
  const take = (ctx: Context) => createApp(ctx).mailReports.take(report!);
  const outcome = report && (await withContext(take, readConfig(process.env), databaseTimeoutMs));
  if (!report || outcome === 'unreadable') {
    process.stderr.write('This is no report by RFC 3464 or RFC 5965 of at most 1 MiB.\n');
    process.exitCode = dataError;
  }
}

/** Reads a stream. Returns undefined if it is longer. */
async function readUpTo(
  maxBytes: number,
  stream: AsyncIterable<unknown>,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

if (import.meta.main) {
  await runCommand(main);
  // Whatever failed, settings included, the report must not be lost.
  if (process.exitCode === 1) process.exitCode = temporaryFailure;
}
