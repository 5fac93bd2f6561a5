import { attribute, html, type Html } from '../../platform/html.ts';
import { formatAgo, speak } from '../../platform/pages/catalog.ts';
import type { PublicProfile } from '../../identity/accounts/schema.ts';
import { canDelete, isAuthor, takesComments } from '../../campaigns/comments/comments.ts';
import type { Comment } from '../../campaigns/comments/schema.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { avatar, callerOf, formToken, onceToken, type View } from '../site/site.ts';
import { pathTo } from './addresses.ts';
import { withReplies } from './parts.ts';
import { hidden } from './sign-box.ts';
import { petitionTexts } from './texts.ts';

/** Where comments are shown. */
interface Setting {
  petition: Petition;
  code: string | undefined;
  authors: Map<string, PublicProfile>;
  /** So many replies of each thread are shown. */
  replies: number;
}

const longestComment = 2000;

/** Threads, each with its replies. */
export const threadList = (view: View, setting: Setting, threads: Comment[]): Html =>
  html`<ol class="list comments">
${threads.map((thread) => threadItem(view, setting, thread))}</ol>
`;

function threadItem(view: View, setting: Setting, thread: Comment): Html {
  const say = speak(petitionTexts, view.language);
  const budget = { left: setting.replies, over: 0 };
  const item = commentItem(view, setting, thread, budget);
  const { slug } = setting.petition;
  const below = pathTo(slug, { below: `comments/${thread.id}`, code: setting.code });
  return html`${item}${
    budget.over > 0 &&
    html`<li class="more"><a href="${below}">${say('more_replies', { count: budget.over })}</a></li>\n`
  }`;
}

/** A comment with the replies to it, as many as there is room for. */
function commentItem(
  view: View,
  setting: Setting,
  comment: Comment,
  budget: { left: number; over: number },
): Html {
  const replies = comment.replies.flatMap((reply) => {
    budget.left -= 1;
    if (budget.left < 0) {
      budget.over += withReplies([reply]).length;
      return [];
    }
    return commentItem(view, setting, reply, budget);
  });
  return html`<li id="c-${comment.id}">${said(view, setting, comment)}
${replies.length > 0 && html`<ol class="replies">\n${replies}</ol>\n`}</li>
`;
}

function said(view: View, setting: Setting, comment: Comment): Html {
  const say = speak(petitionTexts, view.language);
  const gone = comment.body === '';
  if (gone) return html`<p class="quiet small">${say('deleted_comment')}</p>`;
  const author = setting.authors.get(comment.user_id ?? '');
  const name = author
    ? html`<a href="/u/${author.slug}"><bdi>${author.display_name}</bdi></a>`
    : view.say('erased_user');
  const written = new Date(comment.created_at);
  const changed = new Date(comment.updated_at) > written;
  return html`<div class="comment">${avatar(author ?? { display_name: '–', avatar_url: null })}<div>
<p class="small"><strong>${name}</strong> <span class="quiet">${formatAgo(view.language, written, view.ctx.now())}${
    changed && html` · ${say('edited')}`
  }</span>${comment.is_hidden && html` <span class="badge bad">${say('hidden')}</span>`}</p>
<p class="text" dir="auto">${comment.body}</p>
${actions(view, setting, comment)}</div></div>`;
}

/** What the viewer can do with a comment. */
function actions(view: View, { petition, code }: Setting, { id, user_id, body }: Comment): Html {
  const { viewer } = view;
  if (!viewer) return html``;
  const say = speak(petitionTexts, view.language);
  const { slug } = petition;
  const { caller } = viewer;
  const own = isAuthor({ user_id }, caller);
  const creator_id = petition.creator?.id ?? null;
  const report = pathTo(slug, { below: 'report', code, more: { comment: id } });
  return html`<div class="row small actions">
<details><summary>${say('reply')}</summary>${form(view, {
    action: pathTo(slug, { below: 'comments' }),
    values: { parent_id: id, access_code: code },
    label: say('reply'),
    fieldId: `reply-${id}`,
  })}</details>
${
  own &&
  html`<details><summary>${say('edit')}</summary>${form(view, {
    action: pathTo(slug, { below: `comments/${id}` }),
    values: { access_code: code },
    label: view.say('save'),
    fieldId: `edit-${id}`,
    text: body,
  })}</details>\n`
}${
    canDelete({ user_id }, { creator_id }, caller) &&
    html`<form method="post" action="${pathTo(slug, { below: `comments/${id}/delete` })}">${formToken(view)}${hidden({ access_code: code })}<button class="plain">${say('delete')}</button></form>\n`
  }${!own && html`<a href="${report}">${say('report')}</a>`}</div>`;
}

interface CommentForm {
  action: string;
  values: Record<string, string | undefined>;
  label: Html;
  fieldId: string;
  text?: string;
}

const form = (view: View, { action, values, label, fieldId, text = '' }: CommentForm): Html => html`
<form method="post" action="${action}">${text ? formToken(view) : onceToken(view)}${hidden(values)}
<div class="field"><label class="visually-hidden" for="${fieldId}">${speak(petitionTexts, view.language)('your_comment')}</label>
<textarea id="${fieldId}" name="body" required maxlength="${longestComment}" dir="auto">
${text}</textarea></div>
<button${attribute('class', text ? undefined : 'second')}>${label}</button></form>`;

/** The form for a new comment, or the way to the login. */
export function commentForm(view: View, petition: Petition, code: string | undefined): Html {
  const say = speak(petitionTexts, view.language);
  if (!takesComments(petition)) return html``;
  if (!callerOf(view)) {
    const next = encodeURIComponent(pathTo(petition.slug, { code, hash: 'comments' }));
    return html`<p><a href="/login?next=${next}">${say('log_in_to_comment')}</a></p>\n`;
  }
  return form(view, {
    action: pathTo(petition.slug, { below: 'comments' }),
    values: { access_code: code },
    label: say('comment'),
    fieldId: 'new-comment',
  });
}
