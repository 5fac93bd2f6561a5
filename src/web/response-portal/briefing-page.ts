import type { Portal } from '../../campaigns/decision-makers/schema.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { html, type Content, type Html } from '../../platform/html.ts';
import { formatDay, formatNumber } from '../../platform/pages/catalog.ts';
import { markdownText } from '../../platform/pages/markdown-text.ts';
import { pathOf } from '../../platform/pages/path.ts';
import { languageAttributes } from '../../platform/pages/text-language.ts';
import { growthChart, placesMap } from '../charts/charts.ts';
import type { Briefing } from './briefing.ts';
import type { Reader } from './reader.ts';
import { ownResponse, responseOf } from './responses.ts';

type Facts = NonNullable<Briefing['facts']>;

/** What an office needs to know of a petition to answer it. */
export function briefing(reader: Reader, portal: Portal, { organization, facts }: Briefing): Html {
  const { petition, earlier_responses: earlier } = portal;
  const { say, ctx, language } = reader;
  const attributes = languageAttributes(petition.language, language);
  return html`<div class="briefing">${summary(reader, portal, organization)}<section class="panel"><h2>${say('asks')}</h2>
${markdownText(petition.description, ctx.config, { attributes })}</section>
${facts && html`${versionTable(reader, petition, facts)}${figures(reader, facts)}${comments(reader, facts)}`}${
    earlier.length > 0 &&
    html`<section><h2>${say('earlier')}</h2>
${earlier.map((one) => ownResponse(reader, one))}</section>\n`
  }${facts && otherResponses(reader, petition, facts)}${checking(reader, portal, facts)}</div>\n`;
}

/** Who asks what of whom, how many have signed, and by when. */
function summary(
  { say, language }: Reader,
  { petition, decision_maker: { name, title }, signature_count: count, ...portal }: Portal,
  organization: Briefing['organization'],
): Html {
  const { signature_goal: goal, creator, closes_at: closes, closed_at: closed } = petition;
  const maker = html`<bdi>${title ? `${name}, ${title}` : name}</bdi>`;
  const day = (time: Date | string) => formatDay(language, new Date(time));
  const until = closes ?? closed;
  const facts: (readonly [Content, Content] | false)[] = [
    [
      say('label_signatures'),
      html`<span class="figure">${formatNumber(language, count)}</span>${
        goal !== null &&
        html`<span class="small quiet">${say('of_goal', { goal: formatNumber(language, goal) })}</span>`
      }`,
    ],
    until !== null && [
      petition.status === 'active' ? say('label_closes') : say('label_closed'),
      day(until),
    ],
    [say('label_respond'), day(portal.link_expires_at)],
  ];
  return html`<p class="lead">${
    creator
      ? say('petition_by', { creator: html`<bdi>${creator.display_name}</bdi>`, maker })
      : say('petition_to', { maker })
  }</p>
${
  organization &&
  html`<p>${say(organization.verified ? 'organization_verified' : 'organization_unverified', {
    organization: html`<a href="${pathOf`/o/${organization.slug}`}"><bdi>${organization.name}</bdi></a>`,
  })}</p>\n`
}<dl class="figures">
${facts.map((fact) => fact && html`<div><dt>${fact[0]}</dt><dd>${fact[1]}</dd></div>\n`)}</dl>
<p><a class="button large" href="#answer">${portal.responded ? say('to_own_response') : say('to_answer')}</a></p>
`;
}

/** How many signed which text, if it was changed. */
function versionTable({ say, language }: Reader, { slug }: Petition, facts: Facts): Html | false {
  const { versions, hasEarlierVersions } = facts;
  if (versions.length < 2) return false;
  return html`<section><h2>${say('versions')}</h2>
<p>${say('versions_hint')}</p>
<table><thead><tr><th scope="col">${say('version_text')}</th><th scope="col">${say('version_from')}</th><th scope="col" class="number">${say('label_signatures')}</th></tr></thead>
<tbody>
${versions.map(({ version, from, signatures }) => html`<tr><td>${say('version_number', { number: formatNumber(language, version) })}</td><td>${formatDay(language, from)}</td><td class="number">${signatures === null ? '–' : formatNumber(language, signatures)}</td></tr>\n`)}</tbody></table>
<p><a href="${pathOf`/p/${slug}/versions`}" rel="nofollow">${hasEarlierVersions ? say('versions_all') : say('versions_compare')}</a></p></section>
`;
}

/** How the count grew, and where people signed. */
function figures({ say, language }: Reader, { growth, places }: Facts): Html | false {
  const points = growth.map(({ date, cumulative }) => ({ at: new Date(date), value: cumulative }));
  const charts = [
    points.length > 1 && growthChart({ language }, { caption: say('growth'), points }),
    places.length > 0 &&
      placesMap({ language }, { caption: say('places'), places, isPrinted: true }),
  ].filter((one) => one !== false);
  return charts.length > 0 && html`<section><h2>${say('figures')}</h2>\n${charts}</section>\n`;
}

function comments({ say, language }: Reader, { comments: shown }: Facts): Html | false {
  if (shown.length === 0) return false;
  return html`<section><h2>${say('comments')}</h2>
<p class="small quiet">${say('comments_hint')}</p>
${shown.map(
  ({ body, author, at }) => html`<article class="panel"><p class="plain-text" dir="auto">${body}</p>
<p class="small quiet">${author === undefined ? say('somebody') : html`<bdi>${author}</bdi>`} · ${formatDay(language, at)}</p></article>\n`,
)}</section>
`;
}

/** The newest responses of other decision makers. */
function otherResponses(
  reader: Reader,
  { slug }: Petition,
  { responses: { responses, hasEarlier } }: Facts,
): Html | false {
  if (responses.length === 0) return false;
  const { say } = reader;
  return html`<section><h2>${say('others')}</h2>
${responses.map((one) => responseOf(reader, one))}${
    hasEarlier &&
    html`<p><a href="${pathOf`/p/${slug}/responses`}" rel="nofollow">${say('responses_all')}</a></p>\n`
  }</section>
`;
}

/** Where the petition and its count can be seen. */
function checking(
  { say, path }: Reader,
  { petition: { slug }, summary: format }: Portal,
  facts: Briefing['facts'],
): Html | false {
  if (!facts && format === 'none') return false;
  return html`<section><h2>${say('check')}</h2>
${facts?.isInLog && html`<p>${say('check_log')}</p>\n`}<ul>
${facts?.isInLog && html`<li><a href="${pathOf`/p/${slug}/log`}" rel="nofollow">${say('check_link')}</a></li>\n`}${
    format !== 'none' &&
    html`<li><a href="${path}/summary" rel="nofollow">${say('summary_file', { format: format.toUpperCase() })}</a></li>\n`
  }${facts && html`<li><a href="${pathOf`/p/${slug}`}">${say('petition_page')}</a></li>\n`}</ul></section>
`;
}
