import { createChallenge, randomInt, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { Context } from '../../platform/context.ts';
import { compileValidator } from '../../platform/http/validation.ts';
import { invalidValue } from '../../platform/problems.ts';
import * as queries from './queries.ts';
import { SolvedChallenge, type CaptchaChallenge } from './schema.ts';

const lifetimeMs = 10 * 60_000;

export async function newChallenge(ctx: Context): Promise<CaptchaChallenge> {
  const challenge = await createChallenge({
    // Takes a laptop's browser 0.33 s on average and at most 0.5 s. Verification takes one key.
    algorithm: 'PBKDF2/SHA-256',
    cost: 1000,
    counter: randomInt(1500, 500),
    expiresAt: new Date(ctx.now().getTime() + lifetimeMs),
    deriveKey,
    ...secretsOf(ctx),
  });
  return challenge as CaptchaChallenge;
}

/**
 * Verifies and uses up the solution of a challenge. It is valid once across all processes.
 * @throws {Problem} validation-failed if it is invalid, expired or used
 */
export async function takeSolution(ctx: Context, token: string): Promise<void> {
  const solved = readSolved(token);
  if (!solved) throw invalid('This is no solution of a challenge.');
  const { nonce, expiresAt } = solved.challenge.parameters;
  const expiry = new Date(expiresAt * 1000);
  if (expiry <= ctx.now()) throw invalid('This challenge is too old. Solve a new one.');
  const { verified } = await verifySolution({ ...solved, deriveKey, ...secretsOf(ctx) });
  if (!verified) throw invalid('This does not solve a challenge of this service.');
  if (!(await queries.markUsed(ctx.db, Buffer.from(nonce, 'hex'), expiry))) {
    throw invalid('This solution was used already. Solve a new challenge.');
  }
}

const invalid = (message: string) => invalidValue('recaptchaToken', message);

/** The first secret signs challenges, so that others cannot create them; the second the keys that solve them. */
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
