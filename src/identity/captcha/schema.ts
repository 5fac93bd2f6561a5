import { Type, type Static } from 'typebox';
import { named } from '../../platform/http/schema.ts';

export const CaptchaChallenge = named(
  'CaptchaChallenge',
  Type.Object(
    {
      parameters: Type.Object({
        algorithm: Type.String({ description: 'By which keys are derived: PBKDF2/SHA-256.' }),
        nonce: Type.String({ pattern: '^[0-9a-f]{32}$' }),
        salt: Type.String(),
        cost: Type.Integer({ description: 'Rounds for each key.' }),
        keyLength: Type.Integer({ description: 'In bytes.' }),
        keyPrefix: Type.String({ description: 'With what the key begins that is looked for.' }),
        keySignature: Type.String(),
        expiresAt: Type.Integer({ description: 'In seconds since 1970.' }),
      }),
      signature: Type.String(),
    },
    { description: 'A proof of work in the format of ALTCHA, version 2.' },
  ),
);
export type CaptchaChallenge = Static<typeof CaptchaChallenge>;

/** What clients of ALTCHA make of a challenge that they have solved. */
export const SolvedChallenge = Type.Object({
  challenge: CaptchaChallenge,
  solution: Type.Object({ counter: Type.Integer(), derivedKey: Type.String() }),
});
export type SolvedChallenge = Static<typeof SolvedChallenge>;

/** The member of a body that carries it. */
export const RecaptchaToken = Type.String({
  maxLength: 5000,
  description:
    'Where `GET /v1/captcha/challenge` gives a challenge, its solution, which counts once: JSON of `{challenge, solution}` in Base64, as clients of ALTCHA make it. Elsewhere it is ignored.',
});
