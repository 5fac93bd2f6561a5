import { html } from '../../platform/html.ts';
import { redirectTo, type RawAnswer } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import type { Problem } from '../../platform/problems.ts';
import { addComment, deleteComment, editComment } from '../../campaigns/comments/comments.ts';
import { CommentInput, CommentUpdate } from '../../campaigns/comments/schema.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import { report } from '../../oversight/reports/reports.ts';
import { reasons, ReportInput } from '../../oversight/reports/schema.ts';
import {
  checkInput,
  field,
  formAlert,
  formToken,
  given,
  noIndex,
  onceToken,
  selectField,
  sitePage,
  textOf,
  type Fields,
  type FormState,
  type OwnView,
} from '../site/site.ts';
import { pathTo } from './addresses.ts';
import { hidden } from './sign-box.ts';
import { codeIn } from './signing.ts';
import { petitionTexts } from './texts.ts';

/** A comment of a petition, by its path. */
interface Named {
  slug: string;
  id: string;
}

/** Says what was typed on a petition, or in answer to a comment. */
export async function commentFromForm(
  { ctx, header, viewer }: OwnView,
  slug: string,
  fields: Fields,
): Promise<RawAnswer> {
  const code = codeIn(fields);
  const typed = { body: textOf(fields, 'body'), parent_id: textOf(fields, 'parent_id') };
  const input = checkInput(CommentInput, given(typed));
  const { id } = await addComment(ctx, viewer.caller, { ref: slug, namedIn: 'path', input, code });
  return redirectTo(header, pathTo(slug, { code, done: 'comment_sent', hash: `c-${id}` }), 303);
}

export async function editFromForm(
  { ctx, header, viewer }: OwnView,
  { slug, id }: Named,
  fields: Fields,
): Promise<RawAnswer> {
  const code = codeIn(fields);
  const { body } = checkInput(CommentUpdate, given({ body: textOf(fields, 'body') }));
  await editComment(ctx, viewer.caller, { id, code }, body);
  return redirectTo(header, pathTo(slug, { code, done: 'comment_changed', hash: `c-${id}` }), 303);
}

export async function deleteFromForm(
  { ctx, header, viewer }: OwnView,
  { slug, id }: Named,
  fields: Fields,
): Promise<RawAnswer> {
  const code = codeIn(fields);
  await deleteComment(ctx, viewer.caller, { id, code });
  return redirectTo(header, pathTo(slug, { code, done: 'comment_deleted', hash: 'comments' }), 303);
}

/** The form of a comment by itself, with what is wrong with it. */
export function commentAgain(
  view: OwnView,
  below: string,
  slug: string,
  fields: Fields,
  problem: Problem,
): RawAnswer {
  const say = speak(petitionTexts, view.language);
  const state = { values: fields, problem };
  const parent = textOf(fields, 'parent_id') || undefined;
  return sitePage(view, {
    title: say('your_comment'),
    main: html`<h1>${say('your_comment')}</h1>
${formAlert(view, state)}<form method="post" action="${pathTo(slug, { below })}">${onceToken(view)}${hidden({ parent_id: parent, access_code: codeIn(fields) })}
${field(view, state, {
  name: 'body',
  label: say('your_comment'),
  type: 'textarea',
  required: true,
  maxLength: 2000,
})}<button>${view.say('send')}</button></form>`,
  });
}

/** Asks what is wrong with a petition, or with a comment on it. */
export async function reportPage(
  view: OwnView,
  slug: string,
  state: FormState,
): Promise<RawAnswer> {
  const say = speak(petitionTexts, view.language);
  const code = codeIn(state.values);
  const { title } = await showPetition(view.ctx, view.viewer.caller, slug, code);
  const comment = textOf(state.values, 'comment') || undefined;
  const what = say(comment ? 'report_comment' : 'report_petition', {
    title: html`<bdi>${title}</bdi>`,
  });
  return sitePage(view, {
    title: say('report_title'),
    head: noIndex,
    main: html`<h1>${say('report_title')}</h1>
<p>${what}</p>
${formAlert(view, state)}<form method="post" action="${pathTo(slug, { below: 'report' })}">${formToken(view)}${hidden({ comment, access_code: code })}
${selectField(view, state, {
  name: 'reason',
  label: say('report_reason'),
  options: reasons.map((value) => ({ value, label: say(value) })),
  required: true,
})}${field(view, state, {
      name: 'description',
      label: say('report_description'),
      type: 'textarea',
      maxLength: 1000,
    })}<button>${view.say('send')}</button></form>`,
  });
}

export async function reportFromForm(
  { ctx, header, viewer }: OwnView,
  slug: string,
  fields: Fields,
): Promise<RawAnswer> {
  const code = codeIn(fields);
  const comment = textOf(fields, 'comment');
  const petition = await showPetition(ctx, viewer.caller, slug, code);
  const input = checkInput(
    ReportInput,
    given({
      target_type: comment ? 'comment' : 'petition',
      target_id: comment || petition.id,
      reason: textOf(fields, 'reason'),
      description: textOf(fields, 'description'),
      access_code: code,
    }),
  );
  await report(ctx, viewer.caller, input);
  return redirectTo(header, pathTo(slug, { code, done: 'report_sent' }), 303);
}
