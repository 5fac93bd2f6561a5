import { setTimeout as pause } from 'node:timers/promises';
import { hashPassword } from '../src/identity/accounts/passwords.ts';
import { createDatabase } from './support/database.ts';
import { createUsers } from './support/people.ts';
import { print, table, verdict } from './support/report.ts';
import { startService } from './support/start-service.ts';

/** Requests of each side. */
const tries = 400;
/** |t| above which two means differ, with one false alarm in 1,000 comparisons. */
const maxT = 3.3;

const password = 'correct horse battery';

/** What anybody can ask about an address. Passwords with such spaces are tried in two forms. */
const questions: [name: string, path: string, body: (email: string) => object][] = [
  ['a login', '/v1/auth/login', (email) => ({ email, password: `not ${password}` })],
  [
    'a login, two forms',
    '/v1/auth/login',
    (email) => ({ email, password: `not\u00a0${password}` }),
  ],
  ['a link to sign in', '/v1/auth/magic-link', (email) => ({ email })],
  ['a forgotten password', '/v1/auth/forgot-password', (email) => ({ email })],
];

/**
 * Compares the times of answers about addresses that have an account with those about addresses that have none, in turns,
 * by Welch's t-test.
 */
async function main(): Promise<void> {
  await using database = await createDatabase();
  const { db, url: databaseUrl } = database;
  const ids = await createUsers(db, tries);
  await db`update users set password_hash = ${await hashPassword(password)}`;
  await using service = await startService({ databaseUrl });
  const rows = [];
  for (const [name, path, body] of questions) {
    const time = (email: string) => timeOf(`http://127.0.0.1:${service.port}${path}`, body(email));
    for (let n = 0; n < 20; n += 1) await time(`warm-up-${n}@example.org`);
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
    for (const [n, id] of ids.entries()) {
      const [known, unknown] = [`${id}@example.org`, `${id.replace(/^./, 'x')}@example.org`];
      // Each side is first as often.
      const order = n % 2 === 0 ? [known, unknown] : [unknown, known];
      for (const email of order)
        times[email === known ? 'known' : 'unknown'].push(await time(email));
      await pause(1);
    }
    const [known, unknown] = [statistics(times.known), statistics(times.unknown)];
    const t = (known.mean - unknown.mean) / Math.sqrt(known.squaredError + unknown.squaredError);
    rows.push({
      question: name,
      'known, ms': known.mean,
      'unknown, ms': unknown.mean,
      ratio: known.mean / unknown.mean,
      t,
      'as large': verdict(Math.abs(t), { atMost: maxT }),
    });
  }
  print(`### ${tries} requests of each kind, in turns; t of Welch`, table(rows));
}

let asked = 0;
/** Each request comes from another network, below the limits of one. */
function nextAddress(): string {
  asked += 1;
  return `10.${asked >> 8}.${asked & 255}.1`;
}

/** Returns how long the answer took, in milliseconds. */
async function timeOf(url: string, body: object): Promise<number> {
  const start = performance.now();
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': nextAddress() },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return performance.now() - start;
}

/** Returns the mean without the slowest twentieth, which are pauses of the machine, and the square of its error. */
function statistics(times: number[]): { mean: number; squaredError: number } {
  const kept = times.toSorted((a, b) => a - b).slice(0, Math.ceil(times.length * 0.95));
  const mean = kept.reduce((sum, time) => sum + time, 0) / kept.length;
  const squares = kept.reduce((sum, time) => sum + (time - mean) ** 2, 0);
  return { mean, squaredError: squares / (kept.length - 1) / kept.length };
}

await main();
