// A process that audits a log, so that its memory is its own.
import { readFileSync } from 'node:fs';
import { audit, type AuditReport } from '../../verifier/src/index.ts';
import { answerParent } from './child.ts';

export interface AuditRun {
  report: AuditReport;
  seconds: number;
  /** The most memory that the process ever had. */
  peakBytes: number;
}

const handlers = answerParent({
  async audit({ site, stateFile }: { site: string; stateFile: string }): Promise<AuditRun> {
    const startMs = performance.now();
    const report = await audit({ site, stateFile, comparesCounts: false });
    return {
      report,
      seconds: (performance.now() - startMs) / 1000,
      peakBytes: peakMemory(),
    };
  },
});
/** Reads VmHWM. `resourceUsage` would have that of the process that started this one. */
function peakMemory(): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))!;
  return Number(kilobytes) * 1024;
}

export type AuditProcess = typeof handlers;
