import { Type, type Static } from 'typebox';
import { captchaServices } from '../../config.ts';
import { named, nullable, oneOf } from '../../platform/http/schema.ts';

export const CaptchaDemand = named(
  'CaptchaDemand',
  Type.Object({
    service: oneOf(['off', 'altcha', ...captchaServices], {
      description:
        'Which token signing requires: none (`off`); a solved challenge of `GET /v1/captcha/challenge` (`altcha`); or a token of the widget of an external service.',
    }),
    site_key: nullable(
      Type.String({ description: 'Site key for the widget of the external service.' }),
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
        algorithm: Type.String({ description: 'Key derivation: PBKDF2/SHA-256.' }),
        nonce: Type.String({ pattern: '^[0-9a-f]{32}$' }),
        salt: Type.String(),
        cost: Type.Integer({ description: 'Rounds for each key.' }),
        keyLength: Type.Integer({ description: 'In bytes.' }),
        keyPrefix: Type.String({ description: 'Prefix of the key to find.' }),
        keySignature: Type.String(),
        expiresAt: Type.Integer({ description: 'In seconds since 1970.' }),
      }),
      signature: Type.String(),
    },
    { description: 'A proof of work in the format of ALTCHA, version 2.' },
  ),
);
export type CaptchaChallenge = Static<typeof CaptchaChallenge>;

/** A solved challenge, as ALTCHA clients send it. */
export const SolvedChallenge = Type.Object({
  challenge: CaptchaChallenge,
  solution: Type.Object({ counter: Type.Integer(), derivedKey: Type.String() }),
});
export type SolvedChallenge = Static<typeof SolvedChallenge>;

/** The member of a body with the CAPTCHA token. */
export const RecaptchaToken = Type.String({
  maxLength: 10_000,
  description:
    'The token that `GET /v1/captcha` describes; it can be used once. From the widget of the external service, or for `altcha` the solved challenge, JSON of `{challenge, solution}` in Base64, as ALTCHA clients produce it. Ignored if none is required.',
});
