#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { audit } from './audit.ts';
import { FormatError, SourceError, VerificationError } from './errors.js';
import { parsePolicy, policyOf, type Policy } from './policies.js';
import { verifyReceipt } from './receipts.js';
import { describeAudit, describeReceipt, printable, Progress } from './reports.ts';

const usage = `open-petitions-verifier: checks the public log of a petition service

  open-petitions-verifier audit URL
      checks the whole log of the service at URL: signatures, history, entries, sums, and the counts it shows
      --receipt FILE   also looks up the signature of a receipt; the service does not learn of it
      --mirror URL     reads the files of the log there; with --key and --no-counts, the service is not asked
      --state FILE     remembers the audit there, and goes on from it; default: in the user's state directory
      --no-counts      does not compare the counts that the service shows

  open-petitions-verifier receipt FILE --key KEY
      checks a receipt offline; - is the standard input

  --key KEY        verifier key of the log; can be repeated
  --witness KEY    verifier key of a witness that must have cosigned; can be repeated
  --policy FILE    keys of logs and witnesses, and how many are demanded (C2SP tlog-policy)
  --json           prints one JSON object

Exit codes: 0 all holds, 1 something does not hold, 2 the command or a file cannot be read, 3 the server does not answer
`;

/** As the usage has it. */
const exitCodes = { holds: 0, doesNotHold: 1, unusable: 2, noAnswer: 3 };

class UsageError extends Error {}

const options = {
  key: { type: 'string', multiple: true, default: [] as string[] },
  witness: { type: 'string', multiple: true, default: [] as string[] },
  policy: { type: 'string' },
  receipt: { type: 'string' },
  mirror: { type: 'string' },
  state: { type: 'string' },
  'no-counts': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function parseCommand(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
type Values = ReturnType<typeof parseCommand>['values'];

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseCommand(args);
  if (values.help) {
    process.stdout.write(usage);
    return exitCodes.holds;
  }
  const [command, target, ...more] = positionals;
  if (target === undefined || more.length > 0)
    throw new UsageError('a command and its target are needed');
  if (command === 'audit') return runAudit(target, values);
  if (command === 'receipt') return runReceipt(target, values);
  throw new UsageError(`there is no command ${command}`);
}

async function runAudit(site: string, values: Values): Promise<number> {
  for (const address of [site, values.mirror ?? site]) {
    if (!URL.canParse(address) || !/^https?:/.test(address)) {
      throw new UsageError(`${address} is no address; write https://…`);
    }
  }
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const progress = new Progress(values.json);
  try {
    const report = await audit({
      site,
      logUrl: values.mirror,
      policy: await readPolicy(values),
      stateFile: values.state ?? defaultStateFile(values.mirror ?? site),
      comparesCounts: !values['no-counts'],
      receipt: values.receipt === undefined ? undefined : await readText(values.receipt),
      onProgress: (one) => progress.show(one),
      signal: stop.signal,
    });
    progress.end();
    process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : describeAudit(report));
    return report.holds ? exitCodes.holds : exitCodes.doesNotHold;
  } catch (error) {
    progress.end();
    if (!stop.signal.aborted) throw error;
    process.stderr.write('Interrupted. The next audit goes on from here.\n');
    return exitCodes.noAnswer;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

async function runReceipt(file: string, values: Values): Promise<number> {
  const policy = await readPolicy(values);
  if (!policy || policy.logKeys.length === 0) {
    throw new UsageError(
      '--key KEY or --policy FILE is needed: a receipt cannot say whom to trust',
    );
  }
  const text = await readText(file);
  try {
    const receipt = await verifyReceipt(text, policy);
    process.stdout.write(describeReceipt(receipt, values.json));
    return exitCodes.holds;
  } catch (error) {
    if (!(error instanceof VerificationError || error instanceof FormatError)) throw error;
    const { message } = error;
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ holds: false, message })}\n`
        : `DOES NOT HOLD: ${printable(message)}\n`,
    );
    return exitCodes.doesNotHold;
  }
}

async function readPolicy({ key, witness, policy: file }: Values): Promise<Policy | undefined> {
  if (file === undefined) {
    return key.length + witness.length > 0 ? policyOf(key, witness) : undefined;
  }
  if (key.length + witness.length > 0) {
    throw new UsageError('--policy has all keys; leave out --key and --witness');
  }
  return parsePolicy(await readText(file));
}

async function readText(file: string): Promise<string> {
  try {
    if (file !== '-') return await readFile(file, 'utf8');
    return (await process.stdin.setEncoding('utf8').toArray()).join('');
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Each address has its own: a mirror can be behind the service. */
function defaultStateFile(address: string): string {
  const directory = process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state');
  const { host, href } = new URL(address);
  const id = createHash('sha256').update(href.replace(/\/+$/, '')).digest('hex').slice(0, 8);
  const name = host.replaceAll(/[^\w.-]/g, '_');
  return join(directory, 'open-petitions-verifier', `${name}-${id}.audit`);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n\n${usage}`);
    process.exitCode = exitCodes.unusable;
  } else if (error instanceof SourceError) {
    process.stderr.write(`${printable(error.message)}\n`);
    process.exitCode = exitCodes.noAnswer;
  } else {
    // Files that cannot be read or written, too. An exception that ends the process would exit with the code of a finding.
    const isExpected = error instanceof FormatError || (error instanceof Error && 'code' in error);
    process.stderr.write(
      isExpected ? `${printable(error.message)}\n` : `${(error as Error).stack}\n`,
    );
    process.exitCode = exitCodes.unusable;
  }
}
