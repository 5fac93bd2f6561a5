import { html, type Content } from '../../platform/html.ts';
import type { RawAnswer } from '../../platform/http/route.ts';
import { formatNumber, speak } from '../../platform/pages/catalog.ts';
import type { PetitionPermissions } from '../../campaigns/petitions/policy.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { countSignerAccounts } from '../../campaigns/signatures/signatures.ts';
import { postForm, textOf, type Fields, type OwnView, type View } from '../site/site.ts';
import { petitionPage, type Tab } from './dashboard-layout.ts';
import { dashboardTexts } from './texts.ts';

/** Above it, a page says "more than". */
const maxCounted = 10_000;

/** What the form of an act that cannot be taken back asks for: to show it, to change it, or to do it. */
export type AskedStep = 'show' | 'change' | 'do';

export function askedStep(fields: Fields): AskedStep {
  if (textOf(fields, 'go') === 'change') return 'change';
  return textOf(fields, 'sure') === 'on' ? 'do' : 'show';
}

interface Confirmation {
  current: Tab;
  /** As for `petitionPage`. */
  may?: PetitionPermissions;
  title: Content;
  /** The act as others will see it. */
  preview: Content;
  /** Whom it reaches. */
  reach: Content;
  /** Path of the form. */
  action: string;
  /** What was typed, which the form carries. */
  fields: Record<string, string>;
  submit: Content;
}

/** Shows an act that cannot be taken back, with whom it reaches, and asks once. */
export function confirmationPage(
  view: View,
  petition: Petition,
  { current, may, title, preview, reach, action, fields, submit }: Confirmation,
): Promise<RawAnswer> {
  const say = speak(dashboardTexts, view.language);
  return petitionPage(view, petition, {
    current,
    ...(may && { may }),
    main: html`<h2>${title}</h2>
<article class="panel preview">${preview}</article>
<p class="notice">${reach} ${say('cannot_be_undone')}</p>
${postForm(
  view,
  {},
  {
    action,
    once: true,
    hidden: { ...fields, sure: 'on' },
    submit,
    buttonClass: 'large',
    beside: html`<button class="second" name="go" value="change">${say('change_it')}</button>`,
  },
)}`,
  });
}

/** Says how many signers with an account are told. */
export async function signersTold({ ctx, language }: OwnView, { id }: Petition): Promise<Content> {
  const say = speak(dashboardTexts, language);
  const count = await countSignerAccounts(ctx, id, maxCounted + 1);
  return count > maxCounted
    ? say('many_told', { count: formatNumber(language, maxCounted) })
    : say('told', { count });
}
