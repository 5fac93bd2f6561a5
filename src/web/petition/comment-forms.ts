import { html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { addComment, deleteComment, editComment } from '../../campaigns/comments/comments.ts';
import { CommentInput, CommentUpdate, HidingInput } from '../../campaigns/comments/schema.ts';
import {
  formFor,
  postForm,
  readForm,
  sitePage,
  textOf,
  type FormState,
  type OwnView,
  type PageRequest,
  type Site,
  type FormHandler,
} from '../site/site.ts';
import { codeIn, CommentRef, pathTo, SlugRef } from './addresses.ts';
import { petitionTexts } from './texts.ts';

const access = 'user';

export const commentRoutes = (site: Site): Route[] => [
  site.form({
    id: 'submitComment',
    module: 'comments',
    path: '/p/{slug}/comments',
    access,
    once: true,
    params: SlugRef,
    act: create,
    showAgain: (view, request) => refusedPage(view, request, 'comments'),
  }),
  site.form({
    id: 'submitCommentChange',
    module: 'comments',
    path: '/p/{slug}/comments/{id}',
    access,
    params: CommentRef,
    act: change,
    showAgain: (view, request) => refusedPage(view, request, `comments/${request.params.id}`),
  }),
  site.form({
    id: 'submitCommentDeletion',
    path: '/p/{slug}/comments/{id}/delete',
    access,
    params: CommentRef,
    act: remove,
  }),
];

/** Adds a comment on a petition, or a reply to a comment. */
const create: FormHandler<SlugRef> = async (view, { params: { slug }, fields }) => {
  const code = codeIn(fields);
  const input = readForm(CommentInput, fields, ['body', 'parent_id']);
  const comment = { ref: slug, namedIn: 'path', input, code } as const;
  const { id } = await addComment(view.ctx, view.viewer.caller, comment);
  return pathTo(slug, { code, done: 'comment_sent', hash: `c-${id}` });
};

const change: FormHandler<CommentRef> = async (view, { params: { slug, id }, fields }) => {
  const code = codeIn(fields);
  const { body } = readForm(CommentUpdate, fields, ['body']);
  await editComment(view.ctx, view.viewer.caller, { id, code }, body);
  return pathTo(slug, { code, done: 'comment_changed', hash: `c-${id}` });
};

const remove: FormHandler<CommentRef> = async (view, { params: { slug, id }, fields }) => {
  const code = codeIn(fields);
  const { reason } = readForm(HidingInput, fields, ['reason']);
  await deleteComment(view.ctx, view.viewer.caller, { id, code }, reason);
  return pathTo(slug, { code, done: 'comment_deleted', hash: 'comments' });
};

/** The refused form of a comment on a page of its own. */
function refusedPage(
  view: OwnView,
  { params: { slug }, refused }: PageRequest<SlugRef>,
  below: string,
): Promise<RawAnswer> {
  const say = speak(petitionTexts, view.language);
  const state: FormState = refused ?? { values: {} };
  const form = formFor(view, state, CommentInput);
  return sitePage(view, {
    title: say('your_comment'),
    main: html`<h1>${say('your_comment')}</h1>
${postForm(view, state, {
  action: pathTo(slug, { below }),
  once: true,
  hidden: {
    parent_id: textOf(state.values, 'parent_id') || undefined,
    access_code: codeIn(state.values),
  },
  fields: form.text('body', { label: say('your_comment'), type: 'textarea' }),
  submit: view.say('send'),
})}`,
  });
}
