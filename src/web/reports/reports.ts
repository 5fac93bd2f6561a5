import { html, type Content } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { pathOf } from '../../platform/pages/path.ts';
import {
  knownBrowserOf,
  setVisitorCookie,
} from '../../identity/browser-sessions/browser-sessions.ts';
import {
  createPendingReport,
  createReport,
  createReportWithoutAddress,
} from '../../oversight/reports/reports.ts';
import { ReportForm, reasons, type TargetType } from '../../oversight/reports/schema.ts';
import {
  formFor,
  noIndex,
  postForm,
  readForm,
  sitePage,
  textOf,
  type Fields,
  type FormState,
  type View,
} from '../site/site.ts';
import { reportTexts } from './texts.ts';

interface ReportPage {
  type: TargetType;
  /** Title of the petition, or name of the user. */
  name: Content;
  /** Where the form is sent. */
  action: string;
  hidden?: Record<string, string | undefined>;
}

/** The form that asks what is wrong. People who are not logged in type their address, too. */
export function reportPage(
  view: View,
  state: FormState,
  { type, name, action, hidden = {} }: ReportPage,
): Promise<RawAnswer> {
  const say = speak(reportTexts, view.language);
  const form = formFor(view, state, ReportForm);
  const lead =
    type === 'user' ? say('of_user', { name }) : say(`of_${type}` as const, { title: name });
  return sitePage(view, {
    title: say('title'),
    head: noIndex,
    main: html`<h1>${say('title')}</h1>
<p>${lead}</p>
${postForm(view, state, {
  action,
  hidden,
  fields: html`${form.radios('reason', {
    label: say('reason'),
    options: reasons.map((value) => ({ value, label: say(value) })),
  })}${form.text('description', { label: say('description'), type: 'textarea' })}${
    !view.viewer &&
    form.text('email', {
      label: say('email'),
      hint: say('email_hint'),
      isConditional: true,
      autocomplete: 'email',
      suggestsAddress: true,
    })
  }`,
  submit: view.say('send'),
})}`,
  });
}

const reportFields = [
  'target_type',
  'target_id',
  'reason',
  'description',
  'access_code',
  'email',
] as const;

/**
 * Stores what the form of `reportPage` sends, or asks for a confirmation of the address. Returns the path of the next
 * page.
 * @throws {Problem} validation-failed without an address that is needed; as `createReport`
 */
export async function sendReport(
  view: View,
  fields: Fields,
  target: { type: TargetType; id: string },
): Promise<string> {
  const { ctx, viewer, ip, language, header, headers } = view;
  const needsAddress = !viewer && textOf(fields, 'reason') !== 'child_abuse';
  const { email, ...input } = readForm(
    ReportForm,
    { ...fields, target_type: target.type, target_id: target.id },
    reportFields,
    { required: needsAddress ? ['email'] : [], suggestsAddress: 'email' },
  );
  if (viewer) return receiptPath(await createReport(ctx, viewer.caller, input));
  if (email === undefined) return receiptPath(await createReportWithoutAddress(ctx, input, ip));
  const { id: browserId } = setVisitorCookie(ctx, header, view.browser);
  const isKnownBrowser = (await knownBrowserOf(ctx, headers, email)) !== undefined;
  const request = { input, email, language, ip, browserId, isKnownBrowser };
  const id = await createPendingReport(ctx, request);
  return `/reports/confirm?id=${id}`;
}

/** The page with the number of a report. */
const receiptPath = ({ id }: { id: string }): string => pathOf`/reports/${id}`;
