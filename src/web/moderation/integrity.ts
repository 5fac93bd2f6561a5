import { Type } from 'typebox';
import { html, type Content, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/http/schema.ts';
import { formatNumber, formatPercent, formatTime } from '../../platform/pages/catalog.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import { PetitionRef } from '../../campaigns/petitions/schema.ts';
import { integrityReport, listInvalidations } from '../../oversight/integrity/integrity.ts';
import type { IntegrityReport, InvalidationRule } from '../../oversight/integrity/schema.ts';
import { barChart } from '../charts/charts.ts';
import {
  reportProblem,
  nextLink,
  stateOf,
  type OwnView,
  type Site,
  type PageHandler,
} from '../site/site.ts';
import { moderationPage, sayOf, type IdRef } from './moderation-layout.ts';
import { blocksPath } from './blocks.ts';
import { heldPath } from './held.ts';
import {
  applyRule,
  conditions,
  integrityPath,
  pastRule,
  previewButton,
  previewPage,
  ruleForm,
  undoRule,
} from './invalidation.ts';

const access = 'moderator';
const maxRules = 20;
/** Signatures of people come at random: their pauses vary as much as they last. */
const regularCadence = 0.4;

export const integrityRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showIntegrity',
    path: '/moderation/petitions/{id}/integrity',
    access,
    params: PetitionRef,
    show: integrityPage,
    forms: { preview: { id: 'submitInvalidationPreview', at: '/preview', act: previewPage } },
  }),
  site.form({
    id: 'submitInvalidation',
    path: '/moderation/petitions/{id}/integrity/invalidations',
    access,
    params: PetitionRef,
    act: applyRule,
    showAgain: (view, { params, refused }) =>
      refused && previewPage(view, { params, fields: refused.values }, refused),
  }),
  site.form({
    id: 'submitInvalidationUndo',
    path: '/moderation/petitions/{id}/integrity/invalidations/{invalidation_id}/undo',
    access,
    params: Type.Object({ ...PetitionRef.properties, invalidation_id: Uuid }),
    act: undoRule,
    showAgain: integrityPage,
  }),
];

/** The integrity report of a petition, and the rules by which signatures were invalidated. */
const integrityPage: PageHandler<IdRef> = async (view, request) => {
  const { ctx, viewer } = view;
  const say = sayOf(view);
  const { query } = request;
  const state = stateOf(request, 'preview');
  const petition = await showPetition(ctx, viewer.caller, request.params.id, undefined);
  const [report, rules] = await Promise.all([
    integrityReport(ctx, viewer.caller, petition.id),
    listInvalidations(ctx, viewer.caller, petition.id, {
      cursor: query.cursor,
      limit: maxRules,
    }),
  ]);
  const path = integrityPath(petition.id);
  return moderationPage(view, {
    section: 'petitions',
    title: say('integrity'),
    query,
    main: html`${reportProblem(view, request.refused ?? {})}<p><a href="/moderation/petitions/${petition.id}"${languageAttributes(petition.language, view.language)}>${petition.title}</a></p>
<p class="row"><a href="${heldPath(petition.id)}">${say('held')}</a> <a href="${blocksPath(petition.id)}">${say('blocks')}</a></p>
${totals(view, report)}${alerts(view, path, report)}${bursts(view, path, report)}${marks(view, report)}
${report.sampled < 1 && html`<p class="small quiet">${say('sampled', { share: formatPercent(view.language, report.sampled) })}</p>`}
${tables(view, path, report)}
<h2>${say('own_rule')}</h2>${ruleForm(view, path, state)}
${rules.items.length > 0 && html`<h2>${say('rules')}</h2>`}<ul class="list">
${rules.items.map((rule) => pastRule(view, path, rule))}</ul>
${nextLink(view, rules, path)}`,
  });
};

function totals(
  view: OwnView,
  { totals: { valid, invalid, imported, held } }: IntegrityReport,
): Html {
  const say = sayOf(view);
  const figure = (label: Html, value: number) =>
    html`<div><dt>${label}</dt><dd class="figure">${formatNumber(view.language, value)}</dd></div>\n`;
  return html`<dl class="figures">${figure(say('valid'), valid)}${figure(say('invalid'), invalid)}${
    held > 0 && figure(say('held'), held)
  }${imported > 0 && figure(say('imported'), imported)}</dl>\n`;
}

/** What stands out now, and the rules proposed for it. */
function alerts(view: OwnView, path: string, report: IntegrityReport): Html | false {
  const say = sayOf(view);
  const { language } = view;
  if (report.alerts.length === 0) return false;
  const found = report.alerts.map(({ kind, value, since, signatures, usual }) => {
    const isValueShown = kind !== 'burst' && value !== 'disposable';
    return html`<li><p>${say(value === 'disposable' ? 'alert_disposable' : `alert_${kind}`)}${isValueShown && html` <code>${value}</code>`}<br>
<span class="small quiet">${say('alert_figures', {
      when: formatTime(language, new Date(since)),
      number: formatNumber(language, signatures),
      usual: formatNumber(language, Math.round(usual)),
    })}</span></p></li>\n`;
  });
  const proposed = report.proposals.map(
    ({ rule, matches, share }) =>
      html`<li class="row between"><span>${conditions(view, rule)}${say('would_match', {
        count: matches,
        share: formatPercent(language, share),
      })}</span>${previewButton(view, path, rule)}</li>\n`,
  );
  return html`<h2>${say('alerts')}</h2>
<ul class="list">
${found}</ul>
${proposed.length > 0 && html`<h2>${say('proposals')}</h2>\n<ul class="list">\n${proposed}</ul>`}`;
}

/** Marks that signers have in common. */
function marks(view: OwnView, { unconfirmed, aliases, elsewhere }: IntegrityReport): Html {
  const say = sayOf(view);
  const mark = (label: Html, { count, share }: { count: number; share: number }) =>
    html`<div><dt>${label}</dt><dd>${formatNumber(view.language, count)} <span class="quiet">${formatPercent(view.language, share)}</span></dd></div>\n`;
  return html`<h2>${say('marks')}</h2>
<dl class="figures">${mark(say('unconfirmed'), unconfirmed)}${mark(say('aliases'), aliases)}${mark(say('elsewhere'), elsewhere)}</dl>
`;
}

function bursts(view: OwnView, path: string, report: IntegrityReport): Html {
  const say = sayOf(view);
  const shown = report.bursts.map((burst) => ({
    ...burst,
    from: new Date(burst.from),
    until: new Date(burst.until),
  }));
  const labelOf = ({ from, until }: { from: Date; until: Date }) =>
    `${from.toISOString().slice(0, 16).replace('T', ' ')} – ${until.toISOString().slice(11, 16)}`;
  const rows = shown.map(({ from, until, count, usual }) => {
    const words = say('burst', {
      from: formatTime(view.language, from),
      until: formatTime(view.language, until),
      number: formatNumber(view.language, count),
      usual: formatNumber(view.language, usual),
    });
    const rule = { from: from.toISOString(), until: until.toISOString() };
    return html`<li class="row between"><span>${words}</span>${previewButton(view, path, rule)}</li>\n`;
  });
  return html`<h2>${say('bursts')}</h2>
${shown.length === 0 && html`<p class="quiet">${say('bursts_none')}</p>`}${barChart(view, {
    caption: say('bursts'),
    bars: shown.map((burst) => ({ label: labelOf(burst), value: burst.count })),
  })}<ul class="list">
${rows}</ul>`;
}

interface Row {
  name: Content;
  count: number;
  share: number;
  invalid: number;
  rule?: InvalidationRule | undefined;
}

function tables(view: OwnView, path: string, report: IntegrityReport): Html {
  const say = sayOf(view);
  return html`${table(
    view,
    path,
    say('networks_of'),
    report.networks.map((one) => ({
      ...one,
      name: html`<code>${one.network}</code> <span class="quiet">${one.countries.join(', ')}</span>${
        one.shared && html` <span class="badge">${say('shared')}</span>`
      }${one.cadence !== null && one.cadence < regularCadence && html` <span class="badge warn">${say('regular')}</span>`}`,
      rule: { network: one.network },
    })),
  )}${table(
    view,
    path,
    say('countries'),
    report.countries.map((one) => ({
      ...one,
      name: one.country,
      rule: { country: one.country },
    })),
  )}${table(
    view,
    path,
    say('mail_domains'),
    report.mail_domains.map((one) => ({
      ...one,
      name: html`${one.domain ?? html`<span class="quiet">${say('erased_accounts')}</span>`}${one.disposable && html` <span class="badge warn">${say('disposable')}</span>`}`,
      rule: one.domain === null ? undefined : { domain: one.domain },
    })),
  )}${table(
    view,
    path,
    say('devices'),
    report.devices.map((one) => ({ ...one, name: one.device })),
  )}`;
}

function table(view: OwnView, path: string, title: Html, rows: Row[]): Html | false {
  const say = sayOf(view);
  const { language } = view;
  if (rows.length === 0) return false;
  const hasRules = rows.some((row) => row.rule);
  return html`<details open><summary><strong>${title}</strong></summary>
<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table>
<thead><tr><th scope="col">${title}</th><th scope="col" class="number">${say('number')}</th><th scope="col" class="number">${say('share')}</th><th scope="col" class="number">${say('invalid')}</th>${hasRules && html`<th scope="col">${say('look')}</th>`}</tr></thead>
<tbody>
${rows.map(
  (row) =>
    html`<tr><th scope="row">${row.name}</th><td class="number">${formatNumber(language, row.count)}</td><td class="number">${formatPercent(language, row.share)}</td><td class="number">${formatNumber(language, row.invalid)}</td>${hasRules && html`<td>${row.rule && previewButton(view, path, row.rule)}</td>`}</tr>\n`,
)}</tbody></table></div></details>\n`;
}
