import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import type { Pool } from '../platform/db.ts';
import { isUuid } from '../platform/ids.ts';
import { retentionMs } from '../platform/retention.ts';
import { CommandError, progressOn, type Progress } from './command.ts';
import { counters, inboxes } from './verify/counters.ts';
import { openVerified } from './verify/database.ts';
import { eventLog } from './verify/event-log.ts';
import { fanOuts } from './verify/fan-outs.ts';
import { readLog } from './verify/log.ts';
import { milestones } from './verify/milestones.ts';
import { overallSums } from './verify/overall-sums.ts';
import { allIds, rangeOf } from './verify/pages.ts';
import { linesOf, reportOf, type Report } from './verify/report.ts';
import { runCheck, runPetitionChecks } from './verify/run.ts';
import { sequences } from './verify/sequences.ts';
import { shares } from './verify/shares.ts';
import { signatureCounts } from './verify/signature-counts.ts';
import { signatureDays } from './verify/signature-days.ts';
import { signatureEvents } from './verify/signature-events.ts';
import { signatureSums } from './verify/signature-sums.ts';
import { transparencyLog } from './verify/transparency-log.ts';
import { findWarnings } from './verify/warnings.ts';
import { webhookDeliveries } from './verify/webhook-deliveries.ts';

/** Checks of what belongs to petitions, which `--petition` runs for one of them. */
const petitionChecks = [signatureCounts, milestones, signatureEvents, signatureSums, shares];
/** Checks of what follows from events of petitions, which `--petition` runs for one of them, too. */
const reactionChecks = [webhookDeliveries, fanOuts];
/** Checks of the whole database, which `--petition` leaves out. */
const globalChecks = [
  overallSums,
  signatureDays,
  inboxes,
  counters,
  eventLog,
  sequences,
  transparencyLog,
];

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
  await using database = await openVerified(readConfig(process.env, { makesSecrets: false }));
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
  if (petitionId !== null && !(await petitionExists(db, petitionId))) {
    throw new CommandError(`There is no petition ${petitionId}.`);
  }
  const now = new Date();
  const keptSince = new Date(now.getTime() - retentionMs('events') + retentionMarginMs);
  const range = petitionId === null ? allIds : rangeOf(petitionId);
  const results = await runPetitionChecks(petitionChecks, { db, range, now, keptSince, progress });
  const scope = { db, petitionId, keptSince, log: await readLog(db, keptSince, progress) };
  for (const check of [...reactionChecks, ...(petitionId === null ? globalChecks : [])]) {
    results.push(await runCheck(check, scope, progress));
  }
  const warnings = petitionId === null ? await findWarnings(db) : [];
  progress.clear();
  return reportOf(results, warnings);
}

const petitionExists = (db: Pool, id: string) => db.exists`select from petitions where id = ${id}`;

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
