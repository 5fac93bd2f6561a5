import { Type, type Static } from 'typebox';
import { captchaServices } from '../../config.ts';
import { named, nullable, oneOf } from '../../platform/http/schema.ts';

export const CaptchaDemand = named(
  'CaptchaDemand',
  Type.Object({
    service: oneOf(['off', 'altcha', ...captchaServices], {
      description:
        'Whose token signing takes: nobody asks for one (`off`); a challenge of `GET /v1/captcha/challenge`, solved (`altcha`); or the service of others whose widget is to be shown.',
    }),
    site_key: nullable(
      Type.String({ description: 'By which the service of others shows its widget.' }),
    ),
    version: nullable(
      Type.Integer({ description: 'Of reCAPTCHA: 2 has a box to tick, 3 gives a score.' }),
    ),
  }),
);
export type CaptchaDemand = Static<typeof CaptchaDemand>;

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

/** The member of a body that carries what shows that no robot is at work. */
export const RecaptchaToken = Type.String({
  maxLength: 10_000,
  description:
    'What `GET /v1/captcha` asks for, which counts once: the token that the widget of the service gave; or of `altcha` the solved challenge, JSON of `{challenge, solution}` in Base64, as clients of ALTCHA make it. Ignored where nothing is asked for.',
});
