import { html, type Content, type Html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import {
  formatList,
  formatNumber,
  formatPercent,
  formatTime,
} from '../../platform/pages/catalog.ts';
import { pathOf } from '../../platform/pages/path.ts';
import type { Problem } from '../../platform/problems.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import {
  integrityReport,
  invalidate,
  listInvalidations,
  previewInvalidation,
  undoInvalidation,
} from '../../oversight/integrity/integrity.ts';
import {
  InvalidationInput,
  InvalidationRule,
  type IntegrityReport,
  type Invalidation,
} from '../../oversight/integrity/schema.ts';
import { barChart } from '../charts/charts.ts';
import {
  checkbox,
  checkInput,
  countryOptions,
  field,
  formAlert,
  formToken,
  given,
  nextLink,
  selectField,
  textOf,
  type Fields,
  type FormState,
  type OwnView,
} from '../site/site.ts';
import { moderationPage, sayOf } from './frame.ts';

const rulesShown = 20;

/** Where moderators look at the signatures of a petition. */
const placeOf = (ref: string): string => pathOf`/moderation/petitions/${ref}/integrity`;

/** What may tell whether signatures are honest, and the rules by which some were found not to be. */
export async function integrityPage(
  view: OwnView,
  ref: string,
  query: Record<string, string>,
  state: FormState = { values: {} },
): Promise<RawAnswer> {
  const { ctx, viewer } = view;
  const say = sayOf(view);
  const petition = await showPetition(ctx, viewer.caller, ref, undefined);
  const [report, rules] = await Promise.all([
    integrityReport(ctx, viewer.caller, petition.id),
    listInvalidations(ctx, viewer.caller, petition.id, {
      cursor: query.cursor,
      limit: rulesShown,
    }),
  ]);
  const path = placeOf(petition.id);
  return moderationPage(view, {
    part: 'petitions',
    title: say('integrity'),
    ...(state.problem && { status: state.problem.status }),
    query,
    main: html`${formAlert(view, state)}<p><a href="/moderation/petitions/${petition.id}" dir="auto">${petition.title}</a></p>
${totals(view, report)}${bursts(view, path, report)}
${report.sampled < 1 && html`<p class="small quiet">${say('sampled', { share: formatPercent(view.language, report.sampled) })}</p>`}
${tables(view, path, report)}
<h2>${say('own_rule')}</h2>${ownRule(view, path, state)}
${rules.items.length > 0 && html`<h2>${say('rules')}</h2>`}<ul class="list">
${rules.items.map((rule) => pastRule(view, path, rule))}</ul>
${nextLink(view, rules, path)}`,
  });
}

function totals(view: OwnView, { totals: { valid, invalid, imported } }: IntegrityReport): Html {
  const say = sayOf(view);
  const figure = (label: Html, value: number) =>
    html`<div><dt>${label}</dt><dd class="figure">${formatNumber(view.language, value)}</dd></div>\n`;
  return html`<dl class="figures">${figure(say('valid'), valid)}${figure(say('invalid'), invalid)}${
    imported > 0 && figure(say('imported'), imported)
  }</dl>\n`;
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
    return html`<li class="row between"><span>${words}</span>${look(view, path, rule)}</li>\n`;
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
  rule?: InvalidationRule;
}

function tables(view: OwnView, path: string, report: IntegrityReport): Html {
  const say = sayOf(view);
  return html`${table(
    view,
    path,
    say('networks_of'),
    report.networks.map((one) => ({
      ...one,
      name: html`<code>${one.network}</code> <span class="quiet">${one.countries.join(', ')}</span>`,
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
      name: html`${one.domain}${one.disposable && html` <span class="badge warn">${say('disposable')}</span>`}`,
      rule: { domain: one.domain },
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
  return html`<details open><summary><strong>${title}</strong></summary>
<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table>
<thead><tr><th scope="col">${title}</th><th scope="col" class="number">${say('number')}</th><th scope="col" class="number">${say('share')}</th><th scope="col" class="number">${say('invalid')}</th>${rows.some((row) => row.rule) && html`<th scope="col">${say('look')}</th>`}</tr></thead>
<tbody>
${rows.map(
  (row) =>
    html`<tr><th scope="row">${row.name}</th><td class="number">${formatNumber(language, row.count)}</td><td class="number">${formatPercent(language, row.share)}</td><td class="number">${formatNumber(language, row.invalid)}</td>${row.rule && html`<td>${look(view, path, row.rule)}</td>`}</tr>\n`,
)}</tbody></table></div></details>\n`;
}

/** Asks for the preview of a rule. */
const look = (view: OwnView, path: string, rule: InvalidationRule): Html =>
  html`<form method="post" action="${path}/preview">${formToken(view)}${ruleFields(rule)}<button class="plain">${sayOf(view)('look')}</button></form>`;

const ruleFields = (rule: InvalidationRule): Html =>
  html`${Object.entries(rule).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${String(value)}">`,
  )}`;

function ownRule(view: OwnView, path: string, state: FormState): Html {
  const say = sayOf(view);
  const conditionFields = [
    { name: 'from', label: say('from_time') },
    { name: 'until', label: say('until_time') },
    { name: 'domain', label: say('domain'), maxLength: 253 },
  ];
  return html`<form id="own-rule" class="panel" method="post" action="${path}/preview">${formToken(view)}
<div class="fields">${conditionFields.map((one) => field(view, state, one))}${selectField(
    view,
    state,
    {
      name: 'country',
      label: say('country'),
      options: [{ value: '', label: say('country_any') }, ...countryOptions(view)],
    },
  )}</div>
${checkbox(state, { name: 'disposable', label: say('rule_disposable') })}<button>${say('look')}</button></form>`;
}

/** The rule that a form holds. Times may be typed without their seconds, in UTC. */
function ruleIn(fields: Fields): InvalidationRule {
  const moment = (name: string) => {
    const text = textOf(fields, name);
    const short = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)$/.exec(text);
    return short ? `${short[1]}T${short[2]}:00Z` : text;
  };
  return checkInput(
    InvalidationRule,
    given({
      network: textOf(fields, 'network'),
      country: textOf(fields, 'country'),
      domain: textOf(fields, 'domain'),
      from: moment('from'),
      until: moment('until'),
      ...(textOf(fields, 'disposable') && { disposable: true }),
    }),
  );
}

/** What a rule would do, and the form that does it. */
export async function previewPage(
  view: OwnView,
  ref: string,
  fields: Fields,
  state: FormState = { values: {} },
): Promise<RawAnswer> {
  const { ctx, viewer, language } = view;
  const say = sayOf(view);
  const rule = ruleIn(fields);
  const preview = await previewInvalidation(ctx, viewer.caller, ref, rule);
  const path = placeOf(ref);
  return moderationPage(view, {
    part: 'petitions',
    title: say('preview'),
    ...(state.problem && { status: state.problem.status }),
    main: html`${formAlert(view, state)}<p>${say('preview_rule')}</p>${conditions(view, rule)}
<p><strong>${say('would_match', { count: preview.matched, share: formatPercent(language, preview.share) })}</strong>
${say('would_leave', { count: preview.signature_count_after })}</p>
${
  preview.milestones.length > 0 &&
  html`<p>${say('would_void', {
    list: formatList(
      language,
      preview.milestones.map((one) => formatNumber(language, one)),
    ),
  })}</p>`
}
${
  preview.sample.length > 0 &&
  html`<div class="scroll" tabindex="0" role="region" aria-label="${say('preview')}"><table>
<thead><tr>${[say('when'), say('networks_of'), say('countries'), say('mail_domains')].map((one) => html`<th scope="col">${one}</th>`)}</tr></thead>
<tbody>
${preview.sample.map(
  (one) =>
    html`<tr><td>${formatTime(language, new Date(one.created_at))}</td><td><code>${one.network}</code></td><td>${one.country}</td><td>${one.mail_domain}</td></tr>\n`,
)}</tbody></table></div>`
}
<form class="panel" method="post" action="${path}/invalidations">${formToken(view)}${ruleFields(rule)}
${field(view, state, {
  name: 'reason',
  label: say('why'),
  type: 'textarea',
  required: true,
  maxLength: 1000,
})}<p class="row"><button class="danger">${say('invalidate')}</button> <a href="${path}">${view.say('cancel')}</a></p></form>`,
  });
}

function conditions(view: OwnView, rule: InvalidationRule): Html {
  const say = sayOf(view);
  const time = (text: string) => formatTime(view.language, new Date(text));
  const parts = [
    rule.network && say('rule_network', { value: rule.network }),
    rule.country && say('rule_country', { value: rule.country }),
    rule.domain && say('rule_domain', { value: rule.domain }),
    rule.disposable && say('rule_disposable'),
    rule.from && say('rule_from', { value: time(rule.from) }),
    rule.until && say('rule_until', { value: time(rule.until) }),
  ].filter((part) => part !== undefined && part !== '' && part !== false);
  return html`<ul>${parts.map((part) => html`<li>${part}</li>`)}</ul>`;
}

function pastRule(view: OwnView, path: string, rule: Invalidation): Html {
  const say = sayOf(view);
  const did = say('rule_did', {
    invalidated: rule.invalidated,
    matched: rule.matched,
    restored: rule.restored,
  });
  return html`<li>${conditions(view, rule.rule)}<p><span class="badge">${say(`rule_${rule.state}`)}</span>
${formatTime(view.language, new Date(rule.created_at))} · ${did}</p>
${rule.reason !== null && html`<p class="small" dir="auto">${rule.reason}</p>`}
${
  (rule.state === 'applied' || rule.state === 'applying') &&
  html`<form method="post" action="${path}/invalidations/${rule.id}/undo">${formToken(view)}<button class="second">${say('undo')}</button></form>`
}</li>\n`;
}

/** Makes a rule, which a job then applies. */
export async function applyRule(view: OwnView, ref: string, fields: Fields): Promise<RawAnswer> {
  const input = checkInput(InvalidationInput, {
    rule: ruleIn(fields),
    ...given({ reason: textOf(fields, 'reason') }),
  });
  await invalidate(view.ctx, view.viewer.caller, ref, input);
  return toIntegrity(view, ref);
}

export const applyAgain = (
  view: OwnView,
  ref: string,
  fields: Fields,
  problem: Problem,
): Promise<RawAnswer> => previewPage(view, ref, fields, { values: fields, problem });

/** Lets a job undo a rule. */
export async function undoRule(view: OwnView, ref: string, id: string): Promise<RawAnswer> {
  await undoInvalidation(view.ctx, view.viewer.caller, ref, id);
  return toIntegrity(view, ref);
}

const toIntegrity = ({ header }: OwnView, ref: string) =>
  redirectTo(header, `${placeOf(ref)}?done=decided`, 303);
