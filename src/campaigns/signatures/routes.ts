import { Type } from 'typebox';
import { usesCaptchaService, requireCaptcha } from '../../identity/captcha/captcha.ts';
import type { Context } from '../../platform/context.ts';
import { many, nothing, one, type Route, routes } from '../../platform/http/route.ts';
import { createdQuery, idOf, pageQuery, VisibleText } from '../../platform/http/schema.ts';
import { AccessCodeQuery, PetitionRef } from '../petitions/schema.ts';
import { decideHeldSignature, listHeldSignatures } from './held.ts';
import {
  HeldSignature,
  OwnSignature,
  OwnSignatureInput,
  Signature,
  SignatureDecision,
  SignatureDecisionInput,
  SignatureInput,
  SignatureReceipt,
  signedAfter,
  UserSignature,
} from './schema.ts';
import {
  changeOwnSignature,
  listOwnSignatures,
  listSignatures,
  listUserSignatures,
  removeSignature,
  signPetition,
  withdrawOwnSignature,
} from './signatures.ts';
import type { SignatureWriter } from './writer.ts';

const api = routes('Signatures');
const adminApi = routes('Admin');
const usersApi = routes('Users');

const decision = {
  params: Type.Object({ id: idOf('the signature') }),
  body: {
    schema: SignatureDecisionInput,
    isOptional: true,
    example: { reason: 'The network of a library.' },
  },
  returns: one(SignatureDecision),
  problems: ['not-found' as const, 'conflict' as const],
};

export const signatureRoutes = ({ config }: Context, writer: SignatureWriter): Route[] => [
  api.post('/v1/petitions/{id}/signatures', {
    id: 'signPetition',
    summary: 'Sign a petition',
    description:
      'Answered when the signature is stored; the count is exact. Once for each mailbox, whatever addresses it has: a second one gives 409 duplicate_signature, also where the first was found invalid or its account was erased. An account with a verified address takes the place of a signature that was given with an unverified one of its mailbox. An unverified address with a tag or, at Gmail, with dots gives 403 email_not_verified. 10 an hour from one address, more where many people share it. Answered 201 with state `held` if a block holds signatures of the network, country or mail domain, 403 signing_refused if one refuses them.',
    auth: { access: 'user', scope: 'write:signatures' },
    params: PetitionRef,
    query: AccessCodeQuery,
    body: {
      schema: SignatureInput,
      isOptional: true,
      example: { comment: 'I walk there every night.', display_location: 'Leeds, GB' },
    },
    returns: one(SignatureReceipt, 201),
    problems: ['forbidden', 'not-found', 'conflict'],
    beforeTransaction: usesCaptchaService(config)
      ? ({ ctx, body, ip }) => requireCaptcha(ctx, { token: body.recaptchaToken, ip })
      : undefined,
    async handle({ ctx, caller, params, query, body: input, ip, headers }) {
      // Verdicts of a service are asked for before the transaction; solutions are used up in it.
      if (!usesCaptchaService(config)) {
        await requireCaptcha(ctx, { token: input.recaptchaToken, ip });
      }
      const code = query.access_code;
      const userAgent = headers['user-agent'];
      return signPetition(ctx, writer, { caller, ref: params.id, input, code, ip, userAgent });
    },
  }),
  api.patch('/v1/petitions/{id}/signatures/me', {
    id: 'changeOwnSignature',
    summary: 'Change the reason of your signature, and whether you want news',
    description:
      'Members that are left out stay as they are. News are mailed only while the preference `email.petition_update` is not switched off.',
    auth: { access: 'user', scope: 'write:signatures' },
    params: PetitionRef,
    query: AccessCodeQuery,
    body: { schema: OwnSignatureInput, example: { updates: true } },
    returns: one(OwnSignature),
    problems: ['forbidden', 'not-found'],
    handle: ({ ctx, caller, params, query, body }) =>
      changeOwnSignature(ctx, caller, { ref: params.id, input: body, code: query.access_code }),
  }),
  api.delete('/v1/petitions/{id}/signatures/me', {
    id: 'withdrawSignature',
    summary: 'Withdraw your signature',
    description:
      'You may sign again afterwards. With a verified address, also the signature that an erased account of your mailbox left.',
    auth: { access: 'user', scope: 'write:signatures' },
    params: PetitionRef,
    query: AccessCodeQuery,
    returns: nothing(),
    problems: ['forbidden', 'not-found'],
    handle: (call) =>
      withdrawOwnSignature(call.ctx, call.caller, call.params.id, call.query.access_code),
  }),
  api.get('/v1/petitions/{id}/signatures', {
    id: 'listSignatures',
    summary: 'Who signed, newest first',
    description: 'An anonymous signature has user null.',
    auth: { access: 'anyone', scope: 'read:signatures' },
    params: PetitionRef,
    query: Type.Object({ ...AccessCodeQuery.properties, ...signedAfter, ...pageQuery }),
    returns: many(Signature, { total_count: Type.Integer() }),
    problems: ['forbidden', 'not-found'],
    cache: { etag: true },
    handle: (call) => listSignatures(call.ctx, call.caller, call.params.id, call.query),
  }),
  adminApi.delete('/v1/admin/signatures/{id}', {
    id: 'removeSignature',
    summary: 'Remove a signature',
    description: 'The count follows, and the act is written into the audit log.',
    auth: { access: 'admin' },
    params: Type.Object({ id: idOf('the signature') }),
    body: {
      schema: Type.Object({
        reason: VisibleText({ lines: 'many', minLength: 1, maxLength: 1000 }),
      }),
      example: { reason: 'Given in the name of somebody who did not sign.' },
    },
    returns: nothing(),
    problems: ['not-found'],
    handle: (call) => removeSignature(call.ctx, call.caller, call.params.id, call.body.reason),
  }),
  adminApi.get('/v1/admin/petitions/{id}/held-signatures', {
    id: 'listHeldSignatures',
    summary: 'Signatures that wait for a moderator, newest first',
    description: 'Those that a signing block holds. They do not count, and are shown nowhere else.',
    auth: { access: 'moderator' },
    params: PetitionRef,
    query: Type.Object({ ...createdQuery, ...pageQuery }),
    returns: many(HeldSignature),
    problems: ['not-found'],
    handle: ({ ctx, caller, params, query }) => listHeldSignatures(ctx, caller, params.id, query),
  }),
  adminApi.post('/v1/admin/signatures/{id}/release', {
    id: 'releaseSignature',
    summary: 'Count a held signature',
    description: 'Emits signature.created, also after the petition has ended.',
    auth: { access: 'moderator' },
    ...decision,
    handle: ({ ctx, caller, params: { id }, body: { reason } }) =>
      decideHeldSignature(ctx, caller, { id, state: 'counted', reason }),
  }),
  adminApi.post('/v1/admin/signatures/{id}/reject', {
    id: 'rejectSignature',
    summary: 'Make a held signature invalid',
    description: 'Its signer gets a mail if the address is verified.',
    auth: { access: 'moderator' },
    ...decision,
    handle: ({ ctx, caller, params: { id }, body: { reason } }) =>
      decideHeldSignature(ctx, caller, { id, state: 'invalid', reason }),
  }),
  usersApi.get('/v1/users/me/signatures', {
    id: 'listOwnSignatures',
    summary: 'What you signed, newest first',
    description: 'Anonymous, held and invalid signatures too, but not those of deleted petitions.',
    auth: { access: 'user', scope: 'read:profile' },
    query: Type.Object({ ...signedAfter, ...pageQuery }),
    returns: many(OwnSignature),
    handle: ({ ctx, caller, query }) => listOwnSignatures(ctx, caller, query),
  }),
  usersApi.get('/v1/users/{slug}/signatures', {
    id: 'listUserSignatures',
    summary: 'What a user signed, newest first',
    description:
      'Not what was signed anonymously, nor petitions that are private or unlisted or keep their signatures private.',
    auth: { access: 'anyone' },
    params: Type.Object({ slug: Type.String({ description: 'Slug of the account.' }) }),
    query: Type.Object({ ...signedAfter, ...pageQuery }),
    returns: many(UserSignature),
    problems: ['not-found'],
    cache: { etag: true },
    handle: (call) => listUserSignatures(call.ctx, call.params.slug, call.query),
  }),
];
