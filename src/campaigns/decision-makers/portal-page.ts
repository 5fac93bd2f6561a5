import { attribute, html, type Html } from '../../platform/html.ts';
import { page } from '../../platform/pages/page.ts';
import type { Call, Pages, RawAnswer } from '../../platform/http/route.ts';
import { Problem } from '../../platform/problems.ts';
import { readPortal } from './portal.ts';
import { positions, type DecisionMakerResponse, type Portal } from './schema.ts';
import { addressed, dateOf, numberOf, signaturesOf } from './wording.ts';

/** What was typed into the form, and what is wrong with it. */
interface Attempt {
  body: string;
  status: string;
  problem: Problem;
}

const showFailure: Pages['showFailure'] = async (call, problem) => {
  const retry = problem.kind === 'validation-failed' || problem.kind === 'conflict';
  const portal = retry && (await portalIfThere(call));
  if (portal) return portalPage(call.header, portal, { ...typed(call.body), problem });
  const title = problem.status < 500 ? 'This did not work' : 'Something went wrong';
  return privatePage(call.header, title, alert(html`${problem.message}`));
};

/** The pages of reading the portal. */
export const portalPages: Pages<Portal> = {
  show: ({ header }, portal) => portalPage(header, portal),
  showFailure,
};

/** The pages of responding. */
export const responsePages: Pages<DecisionMakerResponse> = {
  show: ({ header }, response) =>
    privatePage(
      header,
      'Thank you for your response',
      html`<p>It was given to the creator of the petition, who can publish it; after 7 days it is published by
itself.</p>${written(response)}`,
    ),
  showFailure,
};

async function portalIfThere({ ctx, params }: Call): Promise<Portal | undefined> {
  try {
    return await readPortal(ctx, params.token!);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** The fields of a form that was sent, which may be none at all. */
function typed(sent: unknown): { body: string; status: string } {
  const { body, status } = (sent ?? {}) as { body?: unknown; status?: unknown };
  return {
    body: typeof body === 'string' ? body : '',
    status: typeof status === 'string' ? status : '',
  };
}

function portalPage(header: Call['header'], portal: Portal, attempt?: Attempt): RawAnswer {
  const { petition, decision_maker: maker, signature_count: count, response } = portal;
  const goal = petition.signature_goal ? ` of a goal of ${numberOf(petition.signature_goal)}` : '';
  const by = petition.creator && html` by <bdi>${petition.creator.display_name}</bdi>`;
  return privatePage(
    header,
    petition.title,
    html`${attempt && alert(failureOf(attempt.problem))}
<p>A petition${by} to <bdi>${addressed(maker)}</bdi>.
<strong>${signaturesOf(count)}</strong>${goal}.</p>
<section><h2>What it asks</h2><div class="text" dir="auto">${petition.description}</div></section>
${
  response
    ? html`<section><h2>You have responded</h2>${written(response)}</section>`
    : form(portal, attempt)
}`,
  );
}

function form({ link_expires_at }: Portal, attempt: Attempt | undefined): Html {
  // The parser drops a line break at the beginning of a text area; it is not one of the text.
  return html`<form method="post"><h2>Your response</h2>
<p>You need no account. You can respond once, until ${dateOf(link_expires_at)}; the response is published
with the petition, under your name. Whoever has this link can respond in your name, so keep it to
yourself.</p>
<p class="field"><label for="body">Your response</label>
<textarea id="body" name="body" rows="12" maxlength="10000" required dir="auto">
${attempt?.body}</textarea></p>
<fieldset><legend>Your position, if you wish to state one</legend>
${positions.map((position) => radio(position, attempt?.status === position))}
</fieldset>
<button>Send the response</button></form>`;
}

const radio = (position: string, checked: boolean) =>
  html`<label class="choice"><input type="radio" name="status" value="${position}"${attribute('checked', checked)}>
${position[0]!.toUpperCase()}${position.slice(1)}</label>`;

/** A response as its author reads it. */
const written = ({ body, status, created_at }: DecisionMakerResponse) =>
  html`<p>On ${dateOf(created_at)}${status ? `, position: ${status}` : ''}:</p>
<blockquote class="text" dir="auto">${body}</blockquote>`;

const labels: Record<string, string> = { body: 'Your response', status: 'Your position' };

const failureOf = ({ errors, message }: Problem) =>
  html`${(errors ?? [{ field: '', message }]).map(
    (error, index) =>
      html`${index > 0 && html`<br>`}${`${labels[error.field] ?? ''} ${error.message}`.trim()}`,
  )}`;

const alert = (content: Html) => html`<p role="alert">${content}</p>`;

/** A page for the holder of the link alone: kept by no cache and no search engine. */
function privatePage(header: Call['header'], title: string, content: Html): RawAnswer {
  header('x-robots-tag', 'noindex');
  return page(header, {
    title,
    main: html`<h1 dir="auto">${title}</h1>${content}`,
  });
}
