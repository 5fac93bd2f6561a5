import { html, type Content, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatNumber, speak } from '../../platform/pages/catalog.ts';
import {
  listMakers,
  listSubmittedResponses,
} from '../../campaigns/decision-makers/decision-makers.ts';
import { getManagedPetition, type ManagedPetition } from '../../campaigns/petitions/manage.ts';
import { isPublished } from '../../campaigns/petitions/policy.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { renewAccessCode } from '../../campaigns/petitions/write.ts';
import { readAnalytics } from '../../reach/analytics/analytics.ts';
import { listUpdates } from '../../campaigns/updates/updates.ts';
import {
  actionForm,
  copyButton,
  doneNotice,
  panel,
  type FormHandler,
  type OwnView,
  type PageHandler,
  type Site,
} from '../site/site.ts';
import { checklist } from './checklist.ts';
import { petitionPage, petitionPath, petitionRoute } from './dashboard-layout.ts';
import { dashboardTexts } from './texts.ts';

/** The overview of a petition. */
export const overviewRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showOwnPetition',
    ...petitionRoute(''),
    show: overviewPage,
    buttons: [
      { id: 'submitAccessCode', path: petitionRoute('/access-code').path, act: replaceCode },
    ],
  });

/** The state of a petition, and what the viewer may do next. */
const overviewPage: PageHandler<{ id: string }> = async (view, { params, query }) => {
  const say = speak(dashboardTexts, view.language);
  const petitionView = await getManagedPetition(view.ctx, view.viewer.caller, params.id);
  const { petition, permissions: may } = petitionView;
  return petitionPage(view, petition, {
    current: 'overview',
    may,
    main: html`${doneNotice(say, query.done, [
      'done_published',
      'done_review',
      'done_saved',
      'done_closed',
      'done_victory',
      'done_code',
    ])}${
      isPublished(petition)
        ? await counts(view, petitionView)
        : may.isCreator && html`<p>${say(`next_${petition.status}`)}</p>`
    }${may.isCreator && petition.status === 'active' && (await checklist(view, petition))}${
      may.isCreator ? await nextStepsPanel(view, petition) : creatorNotice(view, petitionView)
    }${isPublished(petition) && may.canRead && sharing(view, petitionView)}`,
  });
};

const replaceCode: FormHandler<{ id: string }> = async ({ ctx, viewer }, { params: { id } }) => {
  const petition = await renewAccessCode(ctx, viewer.caller, id);
  return `${petitionPath(petition)}?done=code`;
};

/** Names the creator, to others. */
function creatorNotice(
  view: OwnView,
  { petition: { creator }, permissions: may }: ManagedPetition,
): Html {
  const say = speak(dashboardTexts, view.language);
  const name = creator && html`<a href="/u/${creator.slug}"><bdi>${creator.display_name}</bdi></a>`;
  return html`<p class="notice">${
    name ? say(noticeFor(may), { name }) : say('no_creator')
  }${!may.canRead && html` ${say('by_code')}`}</p>\n`;
}

const noticeFor = ({ canEdit, isOrganizer }: ManagedPetition['permissions']) => {
  if (canEdit) return 'organized_as_editor';
  return isOrganizer ? 'organized_as_author' : 'only_creator';
};

async function nextStepsPanel(view: OwnView, petition: Petition): Promise<Html> {
  const say = speak(dashboardTexts, view.language);
  const steps = await nextSteps(view, petition);
  return panel(
    say('next_steps'),
    steps.length === 0
      ? html`<p>${say('all_done')}</p>`
      : html`<ul>\n${steps.map(({ text, href }) => html`<li><a href="${href}">${text}</a></li>\n`)}</ul>`,
  );
}

/** The number of signatures, which a script keeps up to date while people can sign. */
async function counts(
  view: OwnView,
  { petition, permissions: may }: ManagedPetition,
): Promise<Html> {
  const { id, signature_count: count, signature_goal: goal } = petition;
  const say = speak(dashboardTexts, view.language);
  const events = withAccessCode(petition, `/v1/petitions/${id}/events`);
  const recent = may.canReadAnalytics && (await recentSignatures(view, petition));
  const live = petition.status === 'active' && may.canRead && events;
  return html`<dl class="figures"${live && html` data-live="${live}"`}>
<div><dt>${say('signatures')}</dt><dd class="figure" data-count>${formatNumber(view.language, count)}</dd></div>
${
  recent &&
  html`<div><dt>${say('today')}</dt><dd class="figure">${formatNumber(view.language, recent.today)}</dd></div>
<div><dt>${say('last_days')}</dt><dd class="figure">${formatNumber(view.language, recent.week)}</dd></div>
`
}${
    goal !== null &&
    html`<div><dt>${say('goal')}</dt><dd><span class="figure">${formatNumber(view.language, goal)}</span>
<progress class="progress" max="${goal}" value="${Math.min(count, goal)}" aria-label="${view.say('towards_goal')}"></progress></dd></div>
`
  }</dl>\n`;
}

/** Signatures of this day, in UTC, and of the last seven days. */
async function recentSignatures(
  { ctx, viewer }: OwnView,
  { id }: Petition,
): Promise<{ today: number; week: number }> {
  const now = ctx.now();
  const dayOf = (at: Date) => at.toISOString().slice(0, 10);
  const start_date = dayOf(new Date(now.getTime() - 6 * 86_400_000));
  const query = { start_date, end_date: dayOf(now) };
  const { signature_growth: growth } = await readAnalytics(ctx, {
    caller: viewer.caller,
    ref: id,
    query,
  });
  return {
    today: growth.find(({ date }) => date === query.end_date)?.count ?? 0,
    week: growth.reduce((sum, { count }) => sum + count, 0),
  };
}

function sharing(view: OwnView, { petition, permissions: may }: ManagedPetition): Html {
  const say = speak(dashboardTexts, view.language);
  const { share_url: url, access_code: code } = petition;
  return html`<section class="panel"><h2><label for="share">${say('share_link')}</label></h2>
<p class="row fill"><input id="share" readonly value="${withAccessCode(petition, url)}" dir="ltr">
${copyButton(view, 'share')}</p>
${
  code !== undefined &&
  html`<p class="small">${say('share_private', { code: html`<code>${code}</code>` })}</p>
${actionForm(view, { action: `${petitionPath(petition)}/access-code`, submit: say('replace_code'), buttonClass: 'second' })}
<p class="small">${say('replace_code_hint')}</p>`
}
<p class="small"><a href="/p/${petition.slug}/qr.svg">${say('qr')}</a></p>
${
  petition.status === 'active' &&
  html`<p class="small"><a href="${withAccessCode(petition, `/p/${petition.slug}/sheet.pdf`)}" rel="nofollow">${say('on_paper')}</a></p>\n`
}${
    may.canExportSignatures &&
    html`<p class="small">${say('export', { csv: html`<a href="${petitionPath(petition)}/signatures.csv">${say('export_csv')}</a>`, json: html`<a href="${petitionPath(petition)}/signatures.json">${say('export_json')}</a>` })}</p>\n`
  }</section>\n`;
}

const withAccessCode = ({ access_code: code }: Petition, url: string) =>
  code === undefined ? url : `${url}?access_code=${encodeURIComponent(code)}`;

interface Step {
  text: Content;
  href: string;
}

/** What remains to be done, the most urgent first. */
async function nextSteps({ ctx, viewer, language }: OwnView, petition: Petition): Promise<Step[]> {
  const say = speak(dashboardTexts, language);
  const { id, status, signature_goal: goal, signature_count: count } = petition;
  const [makers, responses, updates] = await Promise.all([
    listMakers(ctx, viewer.caller, id, { limit: 50 }),
    listSubmittedResponses(ctx, viewer.caller, id, 50),
    listUpdates(ctx, viewer.caller, id, { limit: 1 }),
  ]);
  const published = isPublished(petition);
  const named = (name: string) => ({ name: html`<bdi>${name}</bdi>` });
  const steps: (Step | false)[] = [
    status === 'draft' && { text: say('step_publish'), href: `/start/${id}/preview` },
    ...responses.map(({ decision_maker: { name } }) => ({
      text: say('step_response', named(name)),
      href: `${petitionPath(petition, 'makers')}#responses`,
    })),
    status === 'active' &&
      goal !== null &&
      count >= goal && { text: say('step_goal'), href: petitionPath(petition, 'edit') },
    ...makers.items
      .filter(
        ({ state, sending }) =>
          published && count > 0 && !sending && (state === 'pending' || state === 'failed'),
      )
      .map((maker) => ({
        text: say('step_deliver', named(maker.name)),
        href: `${petitionPath(petition, 'makers')}/${maker.id}`,
      })),
    // The checklist of an active petition has these.
    status !== 'active' &&
      makers.items.length === 0 && {
        text: say('step_makers'),
        href: petitionPath(petition, 'makers'),
      },
    status !== 'active' &&
      petition.image_url === null && {
        text: say('step_picture'),
        href: `${petitionPath(petition, 'edit')}#picture`,
      },
    published &&
      updates.items.length === 0 && {
        text: say('step_update'),
        href: petitionPath(petition, 'updates'),
      },
  ];
  return steps.filter((step) => step !== false);
}
