import { html, type Html } from '../../platform/html.ts';
import { formatAgo, speak } from '../../platform/pages/catalog.ts';
import type { PublicProfile } from '../../identity/accounts/schema.ts';
import { canDelete, isAuthor, acceptsComments } from '../../campaigns/comments/comments.ts';
import { CommentInput, type Comment } from '../../campaigns/comments/schema.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { avatar, callerOf, formFor, actionForm, type View } from '../site/site.ts';
import { pathTo } from './addresses.ts';
import { withReplies } from './parts.ts';
import { petitionTexts } from './texts.ts';

/** Where comments are shown. */
interface Setting {
  petition: Petition;
  code: string | undefined;
  authors: Map<string, PublicProfile>;
  /** Replies of each thread that are shown. */
  maxReplies: number;
}

/** Threads, each with its replies. */
export const threadList = (view: View, setting: Setting, threads: Comment[]): Html =>
  html`<ol class="list comments">
${threads.map((thread) => threadItem(view, setting, thread))}</ol>
`;

/** Replies of a thread that may still be shown, and those that were left out. */
interface ReplyBudget {
  left: number;
  omitted: number;
}

function threadItem(view: View, setting: Setting, thread: Comment): Html {
  const say = speak(petitionTexts, view.language);
  const budget = { left: setting.maxReplies, omitted: 0 };
  const item = commentItem(view, setting, thread, budget);
  const { slug } = setting.petition;
  const threadPath = pathTo(slug, { below: `comments/${thread.id}`, code: setting.code });
  return html`${item}${
    budget.omitted > 0 &&
    html`<li class="more"><a rel="nofollow" href="${threadPath}">${say('more_replies', { count: budget.omitted })}</a></li>\n`
  }`;
}

/** A comment with as many of its replies as the budget allows. */
function commentItem(view: View, setting: Setting, comment: Comment, budget: ReplyBudget): Html {
  const replies = comment.replies.flatMap((reply) => {
    budget.left -= 1;
    if (budget.left < 0) {
      budget.omitted += withReplies([reply]).length;
      return [];
    }
    return commentItem(view, setting, reply, budget);
  });
  return html`<li id="c-${comment.id}">${commentBody(view, setting, comment)}
${replies.length > 0 && html`<ol class="replies">\n${replies}</ol>\n`}</li>
`;
}

function commentBody(view: View, setting: Setting, comment: Comment): Html {
  const say = speak(petitionTexts, view.language);
  const isDeleted = comment.body === '';
  if (isDeleted) return html`<p class="quiet small">${say('deleted_comment')}</p>`;
  const author = setting.authors.get(comment.user_id ?? '');
  const name = author
    ? html`<a href="/u/${author.slug}"><bdi>${author.display_name}</bdi></a>`
    : view.say('erased_user');
  const createdAt = new Date(comment.created_at);
  const isEdited = new Date(comment.updated_at) > createdAt;
  return html`<div class="comment">${avatar(view, author ?? { display_name: '–', avatar_url: null })}<div>
<p class="small"><strong>${name}</strong> <span class="quiet">${formatAgo(view.language, createdAt, view.ctx.now())}${
    isEdited && html` · ${say('edited')}`
  }</span>${comment.is_hidden && html` <span class="badge bad">${say('hidden')}</span>`}</p>
<p class="plain-text" dir="auto">${comment.body}</p>
${actions(view, setting, comment)}</div></div>`;
}

/** What the viewer can do with a comment. */
function actions(view: View, { petition, code }: Setting, { id, user_id, body }: Comment): Html {
  const { viewer } = view;
  const say = speak(petitionTexts, view.language);
  const { slug } = petition;
  const reportPath = pathTo(slug, { below: 'report', code, more: { comment: id } });
  const reportLink = html`<a href="${reportPath}" rel="nofollow">${say('report')}</a>`;
  if (!viewer) return html`<div class="row small actions">${reportLink}</div>`;
  const isOwn = isAuthor({ user_id }, viewer.caller);
  const creator_id = petition.creator?.id ?? null;
  return html`<div class="row small actions">
<details><summary>${say('reply')}</summary>${bodyForm(view, {
    action: pathTo(slug, { below: 'comments' }),
    hidden: { parent_id: id, access_code: code },
    label: say('reply'),
    fieldId: `reply-${id}`,
  })}</details>
${
  isOwn &&
  html`<details><summary>${say('edit')}</summary>${bodyForm(view, {
    action: pathTo(slug, { below: `comments/${id}` }),
    hidden: { access_code: code },
    label: view.say('save'),
    fieldId: `edit-${id}`,
    body,
  })}</details>\n`
}${
    canDelete({ user_id }, { creator_id }, viewer.caller) &&
    deletion(view, { slug, code, id, isByModerator: !isOwn && creator_id !== viewer.user.id })
  }${!isOwn && reportLink}</div>`;
}

interface Deletion {
  slug: string;
  code: string | undefined;
  id: string;
  isByModerator: boolean;
}

/** A button that deletes a comment. Moderators can say why: the author is told. */
function deletion(view: View, { slug, code, id, isByModerator }: Deletion): Html {
  const say = speak(petitionTexts, view.language);
  const form = {
    action: pathTo(slug, { below: `comments/${id}/delete` }),
    hidden: { access_code: code },
    submit: say('delete'),
  };
  if (!isByModerator) return actionForm(view, { ...form, buttonClass: 'plain' });
  const fields = html`<div class="field"><label for="why-${id}">${say('delete_why')}</label>
<p class="hint" id="why-${id}-hint">${say('delete_why_hint')}</p>
<textarea id="why-${id}" name="reason" rows="2" maxlength="2000" dir="auto" aria-describedby="why-${id}-hint"></textarea></div>\n`;
  return html`<details><summary>${say('delete')}</summary>${actionForm(view, { ...form, fields, buttonClass: 'danger' })}</details>\n`;
}

interface BodyForm {
  action: string;
  hidden: Record<string, string | undefined>;
  /** Of the button. */
  label: Html;
  fieldId: string;
  /** The comment that is edited. */
  body?: string;
}

const bodyForm = (view: View, { action, hidden, label, fieldId, body }: BodyForm): Html =>
  actionForm(view, {
    action,
    hidden,
    once: body === undefined && view.viewer !== null,
    fields: formFor(view, { values: { body } }, CommentInput).text('body', {
      id: fieldId,
      label: speak(petitionTexts, view.language)('your_comment'),
      isLabelHidden: true,
      type: 'textarea',
    }),
    submit: label,
    ...(body === undefined && { buttonClass: 'second' }),
  });

/** The form for a new comment. Who is not logged in logs in after writing: see `keepForm`. */
export function commentForm(view: View, petition: Petition, code: string | undefined): Html {
  const say = speak(petitionTexts, view.language);
  if (!acceptsComments(petition)) return html``;
  return bodyForm(view, {
    action: pathTo(petition.slug, { below: 'comments' }),
    hidden: { access_code: code },
    label: callerOf(view) ? say('comment') : say('log_in_to_comment'),
    fieldId: 'new-comment',
  });
}
