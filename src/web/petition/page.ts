import { nameCategory } from '../../campaigns/categories/categories.ts';
import { html, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { streamScript } from '../../reach/realtime/realtime.ts';
import {
  captchaAssets,
  noIndex,
  sitePage,
  statusBadge,
  type FormState,
  type View,
} from '../site/site.ts';
import { petitionScript, petitionStyles, shareScript } from './assets.ts';
import { pathTo, type Arrival, type Done } from './addresses.ts';
import { commentForm, threadList } from './comments.ts';
import { headOf, isOpen } from './head.ts';
import type { Parts } from './parts.ts';
import {
  addressees,
  asks,
  figuresSection,
  labels,
  mainPicture,
  newsSection,
  responseList,
  signerList,
} from './sections.ts';
import { shareBox } from './share-box.ts';
import { embedBox } from './sharing.ts';
import { counter } from './counter.ts';
import { canSign, signBar, signBox } from './sign-box.ts';
import { petitionTexts } from './texts.ts';
import { timelineSection } from './timeline.ts';
import { changeLine } from './versions.ts';

/** How long browsers may cache the page, in seconds. */
const maxAgeSeconds = 5;

interface PetitionPage {
  parts: Parts;
  code?: string | undefined;
  arrival?: Arrival;
  /** Of the form that signs, if it was refused. */
  state?: FormState | undefined;
  done?: Done | undefined;
}

/** The page on which people read, sign and discuss a petition. */
export async function petitionPage(
  view: View,
  { parts, code, arrival = {}, state, done }: PetitionPage,
): Promise<RawAnswer> {
  const { discussion } = parts;
  const petition = await nameCategory(view.ctx, parts.petition, view.language);
  const say = speak(petitionTexts, view.language);
  const reportPath = pathTo(petition.slug, { below: 'report', code });
  const contactPath = pathTo(petition.slug, { below: 'contact', code });
  const isSignable = canSign(parts);
  const attributes = languageAttributes(petition.language, view.language);
  const { scripts = [], sources } = isSignable ? captchaAssets(view) : {};
  return sitePage(view, {
    title: petition.title,
    width: 'wide',
    styles: [petitionStyles],
    scripts: [streamScript, petitionScript, shareScript, ...scripts],
    sources,
    head: headOf(view, petition),
    ...(isOpen(petition) && { cacheControl: `public, max-age=${maxAgeSeconds}` }),
    main: html`<div class="petition">
<div class="head">
${done && doneNotice(view, done)}${statusNotice(view, parts)}<h1${attributes}>${petition.title}</h1>
${asks(view, petition)}</div>
${mainPicture(view, parts)}<div class="story">
${changeLine(view, petition, code)}${markdownText(petition.description, view.ctx.config, { attributes })}${addressees(view, petition)}${labels(view, petition)}</div>
<aside>
${counter(view, { petition, code, isInLog: parts.isInLog })}${signBox(view, { parts, code, arrival, state })}</aside>
<div class="body">
${isOpen(petition) && html`<div class="panel">${shareBox(view, petition, { ownLink: parts.ownLink })}</div>\n`}${responseList(view, { slug: petition.slug, code, own: parts.ownOpinions }, parts.responses)}${newsSection(view, parts, code)}${timelineSection(view, { petition, code }, parts.timeline)}${signerList(view, parts, code)}${figuresSection(view, parts)}${view.ctx.site.current.modules.comments && discussionSection(view, { petition, discussion, code })}
<section class="small">
${embedBox(view, petition, parts.embed)}<p>${petition.creator && html`<a href="${contactPath}" rel="nofollow">${say('contact')}</a> · `}<a href="${reportPath}" rel="nofollow">${say('report')}</a></p></section>
</div>
</div>
${isSignable && signBar(view, petition)}`,
  });
}

/** Threads of comments, and the form for another one. */
function discussionSection(
  view: View,
  {
    petition,
    discussion,
    code,
  }: Pick<Parts, 'petition' | 'discussion'> & { code: string | undefined },
): Html {
  const say = speak(petitionTexts, view.language);
  const { threads, authors, nextCursor } = discussion;
  return html`<section id="comments"><h2>${say('comments')}</h2>
${commentForm(view, petition, code)}${
    threads.length > 0
      ? threadList(view, { petition, code, authors, maxReplies: 5 }, threads)
      : html`<p class="quiet">${say('no_comments')}</p>\n`
  }${
    nextCursor &&
    html`<p><a rel="nofollow" href="${pathTo(petition.slug, { below: 'comments', code, more: { cursor: nextCursor } })}">${say('more_comments')}</a></p>\n`
  }</section>`;
}

const doneNotice = (view: View, done: Done): Html =>
  html`<p class="notice" role="status">${speak(petitionTexts, view.language)(done)}</p>\n`;

/** The status of a petition that is not open, and links for those who manage it. */
function statusNotice(view: View, { petition, powers }: Parts): Html {
  const { status, slug, id, victory_message: message } = petition;
  const say = speak(petitionTexts, view.language);
  const path = `/dashboard/petitions/${id}`;
  const dashboard = powers.isOrganizer
    ? html` <a href="${path}">${say('to_dashboard')}</a>`
    : powers.canReadAnalytics && html` <a href="${path}/figures">${say('to_figures')}</a>`;
  switch (status) {
    case 'active':
      return html`${dashboard && html`<p class="notice">${powers.isOrganizer && say(powers.isCreator ? 'own' : 'organized')}${dashboard}</p>\n`}`;
    case 'victory':
      return html`<div class="notice victory"><p><strong>${say('victory')}</strong> <a href="${pathTo(slug, { below: 'victory' })}">${say('victory_page')}</a>${dashboard}</p>
${message && markdownText(message, view.ctx.config)}</div>
`;
    case 'closed':
      return html`<p class="notice">${say('closed')}${dashboard}</p>\n`;
    default:
      return html`<p class="notice warn">${statusBadge(view, status)} ${say(status)}${dashboard}</p>\n`;
  }
}

/** Asks for the access code of a private petition. */
export function privatePage(view: View, slug: string, isCodeWrong: boolean): Promise<RawAnswer> {
  const say = speak(petitionTexts, view.language);
  return sitePage(view, {
    title: say('private_title'),
    status: 403,
    head: noIndex,
    main: html`<h1>${say('private_title')}</h1>
<p>${say('private_lead')}</p>
${isCodeWrong && html`<p role="alert">${say('wrong_code')}</p>\n`}<form action="${pathTo(slug)}">
<div class="field"><label for="access_code">${say('access_code')}</label>
<input id="access_code" name="access_code" required maxlength="100" dir="ltr" autocomplete="off" spellcheck="false"></div>
<button>${say('open')}</button>
</form>`,
  });
}

/** Says that a petition was removed, and not why. */
export function removedPage(view: View): Promise<RawAnswer> {
  const say = speak(petitionTexts, view.language);
  return sitePage(view, {
    title: say('removed_title'),
    status: 404,
    head: noIndex,
    main: html`<h1>${say('removed_title')}</h1>
<p>${say('removed_lead')}</p>
<p><a class="button" href="/petitions">${view.say('browse')}</a></p>`,
  });
}
