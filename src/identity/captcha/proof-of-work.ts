import { createChallenge, randomInt, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { Context } from '../../platform/context.ts';
import { compileValidator } from '../../platform/http/validation.ts';
import * as queries from './queries.ts';
import { refused } from './refusals.ts';
import { SolvedChallenge, type CaptchaChallenge } from './schema.ts';

const lifetime = 10 * 60_000;

/**
 * A third of a second of work for the browser of a laptop on average, and half as much again at most, so
 * that nobody is unlucky; for this service one key.
 */
const work = { algorithm: 'PBKDF2/SHA-256', cost: 1000, keys: { least: 500, most: 1500 } };

export async function newChallenge(ctx: Context): Promise<CaptchaChallenge> {
  const { algorithm, cost, keys } = work;
  const challenge = await createChallenge({
    algorithm,
    cost,
    counter: randomInt(keys.most, keys.least),
    expiresAt: new Date(ctx.now().getTime() + lifetime),
    deriveKey,
    ...secretsOf(ctx),
  });
  return challenge as CaptchaChallenge;
}

/**
 * Takes the solution of a challenge, which counts once, in whatever process.
 * @throws {Problem} validation-failed where this is none, too old, or used already
 */
export async function takeSolution(ctx: Context, token: string): Promise<void> {
  const solved = readSolved(token);
  if (!solved) throw refused('This is no solution of a challenge.');
  const { nonce, expiresAt } = solved.challenge.parameters;
  const expiry = new Date(expiresAt * 1000);
  if (expiry <= ctx.now()) throw refused('This challenge is too old. Solve a new one.');
  const { verified } = await verifySolution({ ...solved, deriveKey, ...secretsOf(ctx) });
  if (!verified) throw refused('This does not solve a challenge of this service.');
  if (!(await queries.useUp(ctx.db, Buffer.from(nonce, 'hex'), expiry))) {
    throw refused('This solution was used already. Solve a new challenge.');
  }
}

/** One signs challenges, so that none is made elsewhere; the other the keys that solve them. */
const secretsOf = ({ keys }: Context) => ({
  hmacSignatureSecret: keys.hash('captcha', 'challenge').toString('base64'),
  hmacKeySignatureSecret: keys.hash('captcha', 'key').toString('base64'),
});

const errorsOf = compileValidator(SolvedChallenge, 'body');

function readSolved(token: string): SolvedChallenge | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64').toString());
    return errorsOf(value).length === 0 ? (value as SolvedChallenge) : undefined;
  } catch {
    return undefined;
  }
}
