import assert from 'node:assert/strict';
import { solveChallenge, type Challenge, type Solution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { Service } from './service.ts';

/** Requests a challenge and solves it, like a client of ALTCHA. */
export async function solveCaptcha(
  service: Service,
): Promise<{ challenge: Challenge; solution: Solution }> {
  const { status, body: challenge } = await service.api.get('/v1/captcha/challenge');
  assert.equal(status, 200);
  const solution = await solveChallenge({ challenge, deriveKey });
  assert.ok(solution);
  return { challenge, solution };
}

/** Encodes a solution for the body of a request. */
export const tokenOf = (solved: object): string =>
  Buffer.from(JSON.stringify(solved)).toString('base64');

/** Solves a new challenge and encodes the solution. */
export const solvedToken = async (service: Service): Promise<string> =>
  tokenOf(await solveCaptcha(service));
