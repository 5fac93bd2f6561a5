import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import type { Pool } from '../platform/db.ts';
import { isUuid } from '../platform/ids.ts';
import { retentionDays } from '../reach/webhooks/cleaning.ts';
import { CommandError, progressOn, type Progress } from './command.ts';
import { Check, linesOf, reportOf, type Report } from './verify/check.ts';
import { checkCounters, checkSharing } from './verify/counters.ts';
import { openVerified } from './verify/database.ts';
import { checkFanOuts } from './verify/fan-outs.ts';
import { allIds, rangeOf } from './verify/keys.ts';
import { checkDays, checkLog } from './verify/log.ts';
import { checkOverallSums } from './verify/overall-sums.ts';
import { petitionExists } from './verify/petition-queries.ts';
import { checkPetitions } from './verify/petitions.ts';
import { checkSequences } from './verify/sequences.ts';
import { inSnapshot } from './verify/snapshot.ts';
import { findWarnings } from './verify/warnings.ts';
import { checkDeliveries } from './verify/webhooks.ts';

const help = `Checks that a database holds together, while the service runs. Nothing is written.

  npm run verify [-- --petition ID] [--json]

  --petition ID  checks one petition, and what belongs to it
  --json         prints one JSON document instead of lines
  --help         shows this

Exit code 0: all checks hold. 1: something is wrong. 2: it could not be checked.
docs/verifying-a-database.md says what is checked. Settings are the service's environment variables, such
as DATABASE_URL or DATA_DIR.
`;

/** Events this close to the end of the retention time are not checked, since they may be deleted meanwhile. */
const retentionMarginMs = 3_600_000;

interface Options {
  petitionId: string | null;
  json: boolean;
}

async function main(args: string[]): Promise<number> {
  const options = readArguments(args);
  if (options === 'help') {
    process.stdout.write(help);
    return 0;
  }
  await using database = await openVerified(readConfig(process.env));
  const report = await verify(database.db, options.petitionId, progressOn(process.stderr));
  const text = options.json ? JSON.stringify(report) : linesOf(report).join('\n');
  process.stdout.write(`${text}\n`);
  return report.verdict === 'holds' ? 0 : 1;
}

/** @throws {CommandError} if the arguments are invalid */
function readArguments(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      petition: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return 'help';
  const petitionId = values.petition?.toLowerCase() ?? null;
  if (petitionId !== null && !isUuid(petitionId)) {
    throw new CommandError('--petition needs the id of a petition.');
  }
  return { petitionId, json: values.json };
}

/** Checks the whole database, or one petition. */
export async function verify(
  db: Pool,
  petitionId: string | null,
  progress: Progress,
): Promise<Report> {
  if (petitionId !== null && !(await inSnapshot(db, (tx) => petitionExists(tx, petitionId)))) {
    throw new CommandError(`There is no petition ${petitionId}.`);
  }
  const now = new Date();
  const keptSince = new Date(now.getTime() - retentionDays * 86_400_000 + retentionMarginMs);
  const range = petitionId === null ? allIds : rangeOf(petitionId);
  const checks = newChecks();
  await checkPetitions({ db, range, now, keptSince, checks, progress });
  const facts = await checkLog({ db, keptSince, checks, progress });
  await checkDeliveries({ db, keptSince, facts, petitionId, check: checks.deliveries, progress });
  await checkFanOuts({ db, facts, petitionId, check: checks.fanOuts, progress });
  if (petitionId === null) {
    await checkDays({ db, keptSince, checks, progress });
    await checkOverallSums(db, checks.overall);
    await checkCounters(db, checks);
    await checkSequences(db, facts.maxPosition, checks.sequences);
  } else {
    await checkSharing(db, range, checks.shares);
  }
  const { days, overall, inboxes, counters, log, sequences, ...petitionChecks } = checks;
  const globalChecks =
    petitionId === null ? [overall, days, inboxes, counters, log, sequences] : [];
  const warnings = petitionId === null ? await findWarnings(db) : [];
  progress.clear();
  return reportOf([...Object.values(petitionChecks), ...globalChecks], warnings);
}

const newChecks = () => ({
  counts: new Check('signature-counts', 'petitions'),
  milestones: new Check('milestones', 'milestones'),
  events: new Check('signature-events', 'signatures'),
  sums: new Check('signature-sums', 'sums'),
  shares: new Check('shares', 'links'),
  deliveries: new Check('webhook-deliveries', 'deliveries'),
  fanOuts: new Check('fan-outs', 'signers'),
  overall: new Check('overall-sums', 'tables'),
  days: new Check('signature-days', 'days'),
  inboxes: new Check('inboxes', 'inboxes'),
  counters: new Check('counters', 'rows'),
  log: new Check('event-log', 'events'),
  sequences: new Check('sequences', 'sequences'),
});

/** The first line of the message, which holds no rows and values of the database. */
const reasonOf = ({ message, code }: NodeJS.ErrnoException) => {
  const [line = 'unknown'] = (message || code || 'unknown').split('\n');
  return line;
};

if (import.meta.main) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`Could not check: ${reasonOf(error as Error)}\n`);
    process.exitCode = 2;
  }
}
