import type { Route } from '../../platform/http/route.ts';
import {
  knownBrowserOf,
  setVisitorCookie,
} from '../../identity/browser-sessions/browser-sessions.ts';
import { createPendingSignature } from '../../campaigns/pending-signatures/pending-signatures.ts';
import { PendingSignatureInput } from '../../campaigns/pending-signatures/schema.ts';
import {
  consentVersion,
  SignatureInput,
  type ShownTerms,
} from '../../campaigns/signatures/schema.ts';
import {
  signPetition,
  withdrawOwnSignature,
  type SignatureWriter,
} from '../../campaigns/signatures/signatures.ts';
import {
  callerOf,
  readForm,
  requireFormCaptcha,
  textOf,
  type Fields,
  type Site,
  type View,
  type PageHandler,
  type FormHandler,
} from '../site/site.ts';
import { codeIn, doneSigning, pathTo, referralOf, SlugRef } from './addresses.ts';
import { petitionPage } from './page.ts';
import { readParts } from './parts.ts';
import { privacyVersionIn } from './privacy-line.ts';

export interface SigningDeps {
  writer: SignatureWriter;
}

export function signingRoutes(site: Site, { writer }: SigningDeps): Route[] {
  /** Signs for viewers who are logged in; asks others to confirm their address by mail. */
  const submit: FormHandler<SlugRef, View> = async (view, request) => {
    const { ctx, headers, ip, viewer } = view;
    if (!viewer) return submitAsGuest(view, request);
    const ref = request.params.slug;
    const code = codeIn(request.fields);
    const input = readForm(SignatureInput, request.fields, signatureFields);
    await requireFormCaptcha(view, input);
    const receipt = await signPetition(ctx, writer, {
      caller: viewer.caller,
      ref,
      input: { ...input, ...termsIn(request.fields) },
      code,
      ip,
      userAgent: headers['user-agent'],
    });
    return pathTo(ref, { code, ...doneSigning(receipt) });
  };

  return [
    site.form({
      id: 'submitSignature',
      path: '/p/{slug}/sign',
      access: 'anyone',
      params: SlugRef,
      act: submit,
      showAgain: signAgain,
    }),
    site.form({
      id: 'submitWithdrawal',
      path: '/p/{slug}/withdraw',
      access: 'user',
      params: SlugRef,
      act: submitWithdrawal,
    }),
  ];
}

const signatureFields = [
  'display_location',
  'is_anonymous',
  'updates',
  'ref',
  'recaptchaToken',
  'source',
] as const;

const submitAsGuest: FormHandler<SlugRef, View> = async (
  view,
  { params: { slug: ref }, fields },
) => {
  const { ctx, header, headers, ip, language } = view;
  const code = codeIn(fields);
  const names = [...signatureFields, 'display_name', 'email'] as const;
  const asked = { suggestsAddress: 'email' } as const;
  const input = { ...readForm(PendingSignatureInput, fields, names, asked), language };
  const { id: browserId } = setVisitorCookie(ctx, header, view.browser);
  await requireFormCaptcha(view, input);
  const { id } = await createPendingSignature(ctx, {
    ref,
    input,
    terms: termsIn(fields),
    code,
    ip,
    browserId,
    isKnownBrowser: (await knownBrowserOf(ctx, headers, input.email)) !== undefined,
  });
  return pathTo(ref, { below: 'confirm', code, more: { id } });
};

/** What the form showed that the signer agrees to. */
const termsIn = (fields: Fields): ShownTerms => ({
  consentVersion,
  privacyVersion: privacyVersionIn(fields),
});

/** The page with the refused form. */
const signAgain: PageHandler<SlugRef, View> = async (view, { params, refused }) => {
  const fields = refused?.values ?? {};
  const code = codeIn(fields);
  const parts = await readParts(view.ctx, callerOf(view), params.slug, code);
  const arrival = referralOf({ ref: textOf(fields, 'ref'), utm_source: textOf(fields, 'source') });
  return petitionPage(view, { parts, code, arrival, state: refused });
};

const submitWithdrawal: FormHandler<SlugRef> = async (
  { ctx, viewer },
  { params: { slug }, fields },
) => {
  const code = codeIn(fields);
  await withdrawOwnSignature(ctx, viewer.caller, slug, code);
  return pathTo(slug, { code, done: 'withdrawn' });
};
