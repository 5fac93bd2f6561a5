import { html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import type { PetitionSummary } from '../../campaigns/petitions/schema.ts';
import {
  avatar,
  categoryPattern,
  noIndex,
  panel,
  petitionCard,
  progressOf,
  sitePage,
  statusBadge,
  tabs,
  type Site,
  type View,
} from '../site/site.ts';

export const designRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showDesign',
    closedToCrawlers: true,
    path: '/dev/design',
    access: 'anyone',
    show: designPage,
  });

/** Every component of the pages in each of its states, to look at in both themes and directions. */
async function designPage(view: View): Promise<RawAnswer> {
  return sitePage(view, {
    title: 'Design',
    head: noIndex,
    width: 'wide',
    main: html`<div class="band"><h1>Design</h1>
<p class="lead">Every component in each of its states. Look at it at 360 and 1,280 pixels, light and dark, in Arabic.</p>
<p class="row"><a class="button" href="/">Main</a> <a class="button second" href="/">Second</a></p></div>
${sections(view).map(([title, content]) => html`<section><h2>${title}</h2>\n${content}</section>\n`)}`,
  });
}

const sections = (view: View): [title: string, content: Content][] => [
  ['Colours', swatches],
  ['Type', type],
  ['Buttons', buttons],
  ['Badges', badges(view)],
  ['Notices', notices],
  ['People', people(view)],
  ['Cards', cards(view)],
  ['Patterns', patterns],
  ['Counts', counts(view)],
  ['Panels and lists', panels],
  ['Forms', form],
  ['Tables', table],
];

const colours =
  'back surface sunken text quiet line field act act-strong on-act tint warn warn-tint bad bad-tint deep on-deep on-deep-quiet on-deep-act'.split(
    ' ',
  );

const swatches = html`<ul class="row list">
${colours.map(
  (name) =>
    html`<li><svg width="96" height="48" role="img" aria-label="${name}"><rect width="96" height="48" rx="8" fill="var(--${name})" stroke="var(--line)"/></svg><br><code>${name}</code></li>\n`,
)}</ul>`;

const type = html`<h1>Heading of a page</h1>
<p class="lead">A lead says in one sentence what a page is for.</p>
<h2>Heading of a section</h2>
<h3>Heading within a section</h3>
<p>Text, with <a href="/">a link</a>, <strong>weight</strong> and <code>code</code>. عريضة من أجل الحدائق.</p>
<p class="small quiet">Small and quiet text.</p>
<blockquote>What somebody said.</blockquote>`;

const buttons = html`<p class="row">
${['', 'second', 'danger', 'plain'].map((kind) => html`<button type="button" class="${kind}">${kind || 'main'}</button>\n`)}<button type="button" disabled>disabled</button></p>
<p><button type="button" class="large">large</button></p>`;

const statuses = ['draft', 'under_review', 'active', 'closed', 'victory'] as const;

const badges = (view: View) =>
  html`<p class="row">${statuses.map((status) => statusBadge(view, status))} <span class="badge bad">bad</span></p>`;

const notices = ['', 'warn', 'bad'].map(
  (kind) => html`<p class="notice ${kind}">A notice${kind && `, ${kind}`}.</p>\n`,
);

const people = (view: View) =>
  html`<p class="row">${(['small', 'middle', 'large'] as const).map((size) =>
    avatar(view, { display_name: size, avatar_url: null }, size),
  )}</p>`;

const slugs = ['animals', 'education', 'consumer-rights', 'human-rights', 'environment', 'health'];

/** Petitions as lists show them: short, long, and with each status. */
const cards = (view: View) => html`<ul class="cards led">
${statuses.map((status, index) =>
  petitionCard(
    view,
    {
      ...example,
      status,
      title: index === 1 ? example.title.repeat(3) : example.title,
      signature_goal: index === 2 ? null : 1000,
      category: { id: example.id, name: slugs[index]!, slug: slugs[index]! },
    },
    { index },
  ),
)}</ul>`;

const example: PetitionSummary = {
  id: '00000000-0000-4000-8000-000000000000',
  slug: 'example',
  title: 'Keep the night tram running after one o’clock ',
  description:
    'The last tram on the river line leaves at ten to one. My shift at the hospital ends at half past. So do the shifts of cleaners, cooks, porters and stagehands.',
  status: 'active',
  signature_count: 612,
  signature_goal: 1000,
  closes_at: null,
  image_url: null,
  image_alt: null,
  language: null,
  category: null,
  creator: null,
  created_at: new Date(0),
  published_at: new Date(0),
  promoted: false,
  log_id: null,
};

const patterns = html`<ul class="cards">
${slugs.map((slug) => html`<li class="card">${categoryPattern({ slug })}<div class="body"><code>${slug}</code></div></li>\n`)}</ul>`;

const counts = (view: View): Html => html`${progressOf(view, example)}
<dl class="figures"><div><dt>Signatures</dt><dd class="figure">612</dd></div>
<div><dt>Shares</dt><dd class="figure">41</dd></div></dl>`;

const panels = html`${panel('A panel', html`<p>Content in a box of its own.</p>`)}
${tabs([
  { href: '#', label: 'Current', isCurrent: true },
  { href: '#other', label: 'Other', isCurrent: false },
])}<ul class="list"><li>An item</li><li>Another item</li></ul>
<details><summary>More</summary><p>What was folded.</p></details>`;

const form = html`<form class="panel" action="/dev/design">
<div class="field"><label for="d-name">A field <span class="hint">(optional)</span></label><span class="hint">What to type.</span><input id="d-name"></div>
<div class="field"><label for="d-wrong">A wrong field</label><span class="wrong">Fill this in.</span><input id="d-wrong" aria-invalid="true"></div>
<div class="field"><label for="d-text">A longer text</label><textarea id="d-text"></textarea></div>
<div class="field"><label for="d-choice">A choice</label><select id="d-choice"><option>One</option><option>Other</option></select></div>
<label class="choice"><input type="checkbox"> <span>A box to tick</span></label>
<button>Send</button></form>`;

const table = html`<div class="scroll"><table><caption>A table</caption>
<thead><tr><th>Place</th><th class="number">Signatures</th></tr></thead>
<tbody><tr><td>Leeds</td><td class="number">1,204</td></tr><tr><td>Porto</td><td class="number">88</td></tr></tbody></table></div>`;
