import assert from 'node:assert/strict';
import {
  type Answer,
  assertAnswered,
  assertNothingLost,
  type LoadOptions,
  openTestPool,
  underLoad,
} from './load.ts';
import type { ServiceProcess } from './process.ts';

interface FaultOptions extends Omit<LoadOptions, 'origin'> {
  service: ServiceProcess;
  /** The database in which signatures are looked up after the fault. */
  databaseUrl: string | (() => Promise<string>);
  /** The longest time that an answer may take. */
  withinMs: number;
}

/**
 * Causes a fault under load and checks what must hold after each one: the service is alive, answered every
 * request in time and lost no signature. Returns the answers.
 */
export async function underFault(
  { service, databaseUrl, withinMs, ...load }: FaultOptions,
  fault: () => Promise<void>,
): Promise<Answer[]> {
  const answers = await underLoad({ origin: service.origin, ...load }, fault);
  assert.ok(service.isAlive(), service.output());
  assertAnswered(answers, { withinMs });
  await using reader = openTestPool(
    typeof databaseUrl === 'string' ? databaseUrl : await databaseUrl(),
  );
  await assertNothingLost(reader.db, load.petition, answers);
  return answers;
}

/** Longest time that readiness may take. */
const readinessWithinMs = 2000;

/** Fails unless readiness was always 503, but for the first answers, which fall into the start of the fault. */
export function assertNotReady(answers: Answer[], ignoredAtStart = 5): void {
  assertAnswered(answers, { withinMs: readinessWithinMs });
  const later = answers.slice(ignoredAtStart);
  assert.ok(
    later.length > 0 && later.every(({ status }) => status === 503),
    `readiness during the fault: ${answers.map(({ status }) => status).join(' ')}`,
  );
}
