import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeLog, serveLog } from '../verifier/test/log-server.ts';
import { encodeAll, Random, randomEntries } from '../verifier/test/random-log.ts';
import type { AuditProcess } from './support/audit.ts';
import { startChild } from './support/child.ts';
import { megabytes, print, table, verdict } from './support/report.ts';
import { settings } from './support/settings.ts';

const maxSeconds = 60;
const maxBytes = 300 * 2 ** 20;

/** Measures an audit of a log by the verifier, over HTTP from another process, against its limits of time and memory. */
async function main(): Promise<void> {
  const entries = randomEntries(new Random(1), settings.olderSignatures);
  await using server = await serveLog(makeLog(encodeAll(entries)));
  const folder = await mkdtemp(join(tmpdir(), 'verifier-'));
  try {
    const runs: Record<string, string | number>[] = [];
    for (const name of ['first', 'again']) {
      await using child = startChild<AuditProcess>('./audit.ts');
      const stateFile = join(folder, 'state');
      const { report, seconds, peakBytes } = await child.call('audit', {
        site: server.site,
        stateFile,
      });
      assert.ok(report.holds, report.problems[0]?.message ?? report.origin);
      runs.push({
        audit: name,
        entries: report.entriesRead,
        seconds: seconds.toFixed(1),
        [`of ${maxSeconds} s`]: verdict(seconds / maxSeconds, { atMost: 1 }),
        memory: megabytes(peakBytes),
        [`of ${megabytes(maxBytes)}`]: verdict(peakBytes / maxBytes, { atMost: 1 }),
      });
    }
    print(table(runs));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
