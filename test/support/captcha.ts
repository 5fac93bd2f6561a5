import assert from 'node:assert/strict';
import { solveChallenge, type Challenge, type Solution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { Service } from './service.ts';

/** Asks for a challenge and solves it, as clients of ALTCHA do. */
export async function solve(
  service: Service,
): Promise<{ challenge: Challenge; solution: Solution }> {
  const { status, body: challenge } = await service.api.get('/v1/captcha/challenge');
  assert.equal(status, 200);
  const solution = await solveChallenge({ challenge, deriveKey });
  assert.ok(solution);
  return { challenge, solution };
}

/** What goes into the body of a request. */
export const tokenOf = (solved: object): string =>
  Buffer.from(JSON.stringify(solved)).toString('base64');

/** A new solution, ready to be sent. */
export const solvedToken = async (service: Service): Promise<string> =>
  tokenOf(await solve(service));
