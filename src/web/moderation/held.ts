import { Type } from 'typebox';
import { html, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { defaultLimit, Uuid } from '../../platform/http/schema.ts';
import { formatTime } from '../../platform/pages/catalog.ts';
import { invalidValue } from '../../platform/problems.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import { PetitionRef } from '../../campaigns/petitions/schema.ts';
import { SignatureDecisionInput, type HeldSignature } from '../../campaigns/signatures/schema.ts';
import { decideHeldSignature, listHeldSignatures } from '../../campaigns/signatures/signatures.ts';
import {
  formToken,
  listOf,
  readForm,
  textOf,
  type FormHandler,
  type OwnView,
  type PageHandler,
  type Site,
} from '../site/site.ts';
import { done, moderationPage, sayOf, type IdRef } from './moderation-layout.ts';

const access = 'moderator';

/** The address of the held signatures of a petition. */
export const heldPath = (petitionId: string): string => `/moderation/petitions/${petitionId}/held`;

export const heldRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showHeldSignatures',
    path: '/moderation/petitions/{id}/held',
    access,
    params: PetitionRef,
    show: heldPage,
  }),
  site.form({
    id: 'submitSignatureDecision',
    path: '/moderation/petitions/{id}/held/{signature_id}',
    access,
    params: Type.Object({ ...PetitionRef.properties, signature_id: Uuid }),
    act: decide,
    showAgain: heldPage,
  }),
];

/** Signatures that wait for a decision. */
const heldPage: PageHandler<IdRef> = async (view, request) => {
  const say = sayOf(view);
  const { ctx, viewer } = view;
  const petition = await showPetition(ctx, viewer.caller, request.params.id, undefined);
  const page = { cursor: request.query.cursor, limit: defaultLimit };
  const signatures = await listHeldSignatures(ctx, viewer.caller, petition.id, page);
  return moderationPage(view, {
    section: 'petitions',
    title: say('held'),
    query: request.query,
    main: html`<p><a href="/moderation/petitions/${petition.id}/integrity"${languageAttributes(petition.language, view.language)}>${petition.title}</a></p>
<p>${say('held_lead')}</p>
${listOf(view, signatures, {
  item: (signature) => heldItem(view, petition.id, signature),
  empty: html`<p class="quiet">${say('nothing')}</p>`,
})}`,
  });
};

function heldItem(view: OwnView, petitionId: string, signature: HeldSignature): Html {
  const say = sayOf(view);
  const facts = [
    [say('networks_of'), signature.network],
    [say('countries'), signature.country],
    [say('mail_domains'), signature.mail_domain],
    [say('stated_place'), signature.display_location],
  ] as const;
  return html`<li><p>${formatTime(view.language, new Date(signature.created_at))}
${facts.map(([label, value]) => value !== null && html` · ${view.say('labelled', { label, value })}`)}</p>
${signature.comment !== null && html`<p class="small" dir="auto">${signature.comment}</p>`}
<form class="row" method="post" action="${heldPath(petitionId)}/${signature.id}">${formToken(view)}
<label class="grow">${say('why')} <input name="reason" maxlength="1000" dir="auto"></label>
<button name="decision" value="release">${say('release')}</button>
<button class="danger" name="decision" value="reject">${say('reject_signature')}</button></form></li>
`;
}

/** Counts a held signature, or makes it invalid. */
const decide: FormHandler<IdRef & { signature_id: string }> = async (view, { params, fields }) => {
  const decision = textOf(fields, 'decision');
  if (decision !== 'release' && decision !== 'reject') {
    throw invalidValue('decision', 'This is release or reject.');
  }
  const { reason } = readForm(SignatureDecisionInput, fields, ['reason']);
  await decideHeldSignature(view.ctx, view.viewer.caller, {
    id: params.signature_id,
    state: decision === 'release' ? 'counted' : 'invalid',
    reason,
  });
  return done(heldPath(params.id));
};
