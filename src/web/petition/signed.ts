import { html, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { Problem } from '../../platform/problems.ts';
import type { Petition, PetitionSummary } from '../../campaigns/petitions/schema.ts';
import { OwnSignatureInput } from '../../campaigns/signatures/schema.ts';
import { changeOwnSignature } from '../../campaigns/signatures/signatures.ts';
import { streamScript } from '../../reach/realtime/realtime.ts';
import { similarPetitions } from '../../reach/search/search.ts';
import {
  formFor,
  noIndex,
  petitionCard,
  postForm,
  readForm,
  sitePage,
  type FormHandler,
  type FormState,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { codeIn, pathTo, SlugRef } from './addresses.ts';
import { petitionScript, petitionStyles, shareScript } from './assets.ts';
import { counter } from './counter.ts';
import { isOpen } from './head.ts';
import { readParts, type Parts } from './parts.ts';
import { copyOwnLink, shareBox } from './share-box.ts';
import { receiptFile } from './receipt.ts';
import { linkBack } from './link-back.ts';
import { petitionTexts } from './texts.ts';

interface SignedPage {
  parts: Parts;
  code: string | undefined;
  /** Of the signature, as the page's outcome gives it. */
  number?: string | undefined;
  /** Of the form with the reason, if it was refused. */
  state?: FormState | undefined;
}

/** What a signer sees first: their number, and how to bring others. The address is that of the petition. */
export async function signedPage(
  view: View,
  { parts, code, number, state = { values: {} } }: SignedPage,
): Promise<RawAnswer> {
  const { petition, ownLink, hasSigned } = parts;
  const say = speak(petitionTexts, view.language);
  const isNumber = number !== undefined && /^\d{1,12}$/.test(number);
  const title = isNumber ? say('your_number', { number: Number(number) }) : say('signed');
  const canShare = isOpen(petition);
  const others = canShare ? await otherPetitions(view, petition) : [];
  return sitePage(view, {
    title,
    styles: [petitionStyles],
    scripts: [streamScript, petitionScript, shareScript],
    head: noIndex,
    main: html`<div class="signed">
<div role="status">${isNumber && html`<p class="lead">${say('signed')}</p>\n`}<h1>${title}</h1></div>
${linkBack(view, petition, code)}${counter(view, { petition, code, isInLog: parts.isInLog })}${canShare && shareBox(view, petition, { heading: say('signed_lead'), isMain: true, ownLink })}${
      hasSigned && reasonForm(view, petition, { code, state })
    }${canShare && friends(view, petition, ownLink)}${
      hasSigned &&
      html`<section class="panel">${receiptFile(view, {
        file: pathOf`/signatures/${petition.id}/receipt`,
        code: pathOf`/signatures/${petition.id}/receipt/code`,
      })}</section>\n`
    }${passwordLink(view)}${
      others.length > 0 &&
      html`<section><h2>${say('other_petitions')}</h2>
<ul class="cards">
${others.map((one, index) => petitionCard(view, one, { index, isBelow: true }))}</ul></section>\n`
    }<p class="row">${parts.powers.isCreator && html`<a class="button" href="${pathOf`/dashboard/petitions/${petition.id}`}">${say('to_checklist')}</a> `}<a class="button second" href="${pathTo(petition.slug, { code })}">${say('to_petition')}</a></p>
</div>`,
  });
}

/** Asks for the reason, which is shown with the signature. */
function reasonForm(
  view: View,
  { slug }: Petition,
  { code, state }: { code: string | undefined; state: FormState },
): Html {
  const say = speak(petitionTexts, view.language);
  const form = formFor(view, state, OwnSignatureInput);
  return html`<section class="panel">${postForm(view, state, {
    action: pathTo(slug, { below: 'reason' }),
    hidden: { access_code: code },
    fields: form.text('comment', {
      label: say('reason'),
      hint: say('reason_hint'),
      type: 'textarea',
    }),
    submit: view.say('save'),
    buttonClass: 'second',
  })}</section>\n`;
}

/** A message that is ready to be sent. */
function friends(view: View, { slug, title, share_url }: Petition, ownLink?: string): Html {
  const say = speak(petitionTexts, view.language);
  const url = ownLink ?? share_url;
  return html`<section class="panel"><h2>${say('friends')}</h2>
<p>${say('friends_lead')}</p>
<div class="field"><label for="friends-text">${say('message')}</label>
<textarea id="friends-text" readonly rows="4" dir="auto">
${say('friends_message', { title, url })}</textarea></div>
<p>${copyOwnLink(view, slug, 'friends-text', url)}</p></section>\n`;
}

/** For signers whose account was created by signing. */
function passwordLink({ viewer, language }: View): Html | false {
  if (viewer?.user.password_hash !== null) return false;
  const say = speak(petitionTexts, language);
  return html`<p class="small"><a href="/forgot-password">${say('set_password')}</a></p>\n`;
}

const maxOthers = 3;

/** Petitions like this one; none if search is not available. */
async function otherPetitions(
  { ctx, headers }: View,
  { id, title }: Petition,
): Promise<PetitionSummary[]> {
  const acceptLanguage = headers['accept-language'];
  const found = await similarPetitions(ctx, { title, acceptLanguage }).catch((error: unknown) => {
    if (error instanceof Problem) return [];
    throw error;
  });
  return found.filter((one) => one.id !== id).slice(0, maxOthers);
}

export const reasonRoutes = (site: Site): Route[] => [
  site.form({
    id: 'submitReason',
    path: '/p/{slug}/reason',
    access: 'user',
    params: SlugRef,
    act: submitReason,
    showAgain: showReasonAgain,
  }),
];

const submitReason: FormHandler<SlugRef> = async (
  { ctx, viewer },
  { params: { slug: ref }, fields },
) => {
  const code = codeIn(fields);
  const input = readForm(OwnSignatureInput, fields, ['comment']);
  await changeOwnSignature(ctx, viewer.caller, { ref, input, code });
  return pathTo(ref, { code, done: 'reason_saved' });
};

const showReasonAgain: PageHandler<SlugRef> = async (view, { params: { slug }, refused }) => {
  const code = codeIn(refused?.values ?? {});
  const parts = await readParts(view.ctx, view.viewer.caller, slug, code);
  return signedPage(view, { parts, code, state: refused });
};
