import { html, type Html } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import {
  formatList,
  formatNumber,
  formatPercent,
  formatTime,
} from '../../platform/pages/catalog.ts';
import { pathOf } from '../../platform/pages/path.ts';
import {
  invalidateSignatures,
  previewInvalidation,
  undoInvalidation,
} from '../../oversight/integrity/integrity.ts';
import {
  InvalidationInput,
  InvalidationRule,
  type Invalidation,
} from '../../oversight/integrity/schema.ts';
import {
  checkInput,
  countryOptions,
  reportProblem,
  formFor,
  formToken,
  omitEmpty,
  hiddenFields,
  actionForm,
  readForm,
  textOf,
  type Fields,
  type FormRequest,
  type FormState,
  type OwnView,
  type FormHandler,
} from '../site/site.ts';
import { done, moderationPage, sayOf, type IdRef } from './moderation-layout.ts';

/** The address of the integrity page of a petition. */
export const integrityPath = (ref: string): string =>
  pathOf`/moderation/petitions/${ref}/integrity`;

/** A button that leads to the preview of a rule. */
export const previewButton = (view: OwnView, path: string, rule: InvalidationRule): Html =>
  actionForm(view, {
    action: `${path}/preview`,
    hidden: textsOf(rule),
    submit: sayOf(view)('look'),
    buttonClass: 'plain',
  });

const textsOf = (rule: InvalidationRule): Record<string, string> =>
  Object.fromEntries(Object.entries(rule).map(([name, value]) => [name, String(value)]));

/** A form for the conditions of a rule. */
export function ruleForm(view: OwnView, path: string, state: FormState): Html {
  const say = sayOf(view);
  const form = formFor(view, state, InvalidationRule);
  return html`<form id="own-rule" class="panel" method="post" action="${path}/preview">${formToken(view)}
<div class="fields">${form.text('from', { label: say('from_time') })}${form.text('until', { label: say('until_time') })}${form.text('domain', { label: say('domain') })}${form.select(
    'country',
    {
      label: say('country'),
      options: [{ value: '', label: say('country_any') }, ...countryOptions(view)],
    },
  )}</div>
${form.checkbox('disposable', { label: say('rule_disposable') })}<button>${say('look')}</button></form>`;
}

/** The rule of a form. */
const ruleIn = (fields: Fields): InvalidationRule =>
  readForm(
    InvalidationRule,
    fields,
    ['network', 'country', 'domain', 'from', 'until', 'disposable'],
    {
      read: {
        from: timeIn,
        until: timeIn,
        disposable: (text) => text !== '' || undefined,
      },
    },
  );

/** A time of RFC 3339, or one in UTC without seconds, such as 2026-01-31 12:00. */
export function timeIn(text: string): string | undefined {
  const short = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)$/.exec(text);
  return short ? `${short[1]}T${short[2]}:00Z` : text || undefined;
}

/** The effect that a rule would have, and the form that applies it. */
export async function previewPage(
  view: OwnView,
  { params: { id }, fields }: FormRequest<IdRef>,
  state: FormState = { values: {} },
): Promise<RawAnswer> {
  const { ctx, viewer, language } = view;
  const say = sayOf(view);
  const rule = ruleIn(fields);
  const preview = await previewInvalidation(ctx, viewer.caller, id, rule);
  const path = integrityPath(id);
  return moderationPage(view, {
    section: 'petitions',
    title: say('preview'),
    main: html`${reportProblem(view, state)}<p>${say('preview_rule')}</p>${conditions(view, rule)}
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
<form class="panel" method="post" action="${path}/invalidations">${formToken(view)}${hiddenFields(textsOf(rule))}
${formFor(view, state, InvalidationInput).text('reason', { label: say('why'), type: 'textarea' })}<p class="row"><button class="danger">${say('invalidate')}</button> <a href="${path}">${view.say('cancel')}</a></p></form>`,
  });
}

/** The conditions of a rule, in words. */
export function conditions(view: OwnView, rule: InvalidationRule): Html {
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

/** A rule that was applied, and the button that undoes it. */
export function pastRule(view: OwnView, path: string, rule: Invalidation): Html {
  const say = sayOf(view);
  const effect = say('rule_did', {
    invalidated: rule.invalidated,
    matched: rule.matched,
    restored: rule.restored,
  });
  return html`<li>${conditions(view, rule.rule)}<p><span class="badge">${say(`rule_${rule.state}`)}</span>
${formatTime(view.language, new Date(rule.created_at))} · ${effect}</p>
${rule.reason !== null && html`<p class="small" dir="auto">${rule.reason}</p>`}
${
  (rule.state === 'applied' || rule.state === 'applying') &&
  actionForm(view, {
    action: `${path}/invalidations/${rule.id}/undo`,
    submit: say('undo'),
    buttonClass: 'second',
  })
}</li>\n`;
}

/** Stores a rule, which a job then applies. */
export const applyRule: FormHandler<IdRef> = async (view, { params: { id }, fields }) => {
  const input = checkInput(InvalidationInput, {
    rule: ruleIn(fields),
    ...omitEmpty({ reason: textOf(fields, 'reason') }),
  });
  await invalidateSignatures(view.ctx, view.viewer.caller, id, input);
  return done(integrityPath(id));
};

/** Has a job undo a rule. */
export const undoRule: FormHandler<IdRef & { invalidation_id: string }> = async (
  view,
  { params: { id, invalidation_id } },
) => {
  await undoInvalidation(view.ctx, view.viewer.caller, id, invalidation_id);
  return done(integrityPath(id));
};
