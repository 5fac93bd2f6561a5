import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import { mailPicture } from '../../campaigns/media/media.ts';
import { maxBulkConnections, unsubscribeHeaders, type Mail } from '../../platform/mail.ts';
import type { FormattedPart } from '../../platform/mail-layout.ts';
import { withoutLinks } from '../../platform/mail-addresses.ts';
import { isFinal } from '../../platform/mail-errors.ts';
import { stopToken } from '../../platform/mail-suppressions.ts';
import { plainTextOf, renderMarkdown } from '../../platform/markdown/markdown.ts';
import { formatList, plainText } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import type { SteppedWorkOptions } from '../../platform/workers.ts';
import * as queries from './mail-queries.ts';
import type { Outcome, WaitingNotice } from './mail-queries.ts';
import { noticeTexts, subjectOf, textOf, type CountedNotice } from './texts.ts';
import { unsubscribeToken } from './unsubscribing.ts';

/** Mails per step. They end within the lease even if the server takes 30 s for each. */
const stepSize = 5 * maxBulkConnections;

/**
 * Time between the beginnings of two mails: 25 a second, two million a day in each worker. More would take processor time
 * from mails that people wait for (`npm run bench mail`).
 */
const intervalMs = 40;

/**
 * Sends due notices, one mail per person. If a process is killed between sending and storing the
 * outcomes, the mails of its step are sent again.
 */
export const mailing = (ctx: Context): SteppedWorkOptions => {
  const waitForTurn = createPacer(intervalMs);
  return {
    name: 'notification mails',
    idleMs: 1000,
    async step() {
      const { main } = ctx.pools;
      const userIds = await queries.takeDue(main, stepSize);
      if (userIds.length === 0) return false;
      const waiting = Map.groupBy(
        await queries.readWaitingNotices(main, userIds),
        (notice) => notice.user_id,
      );
      const outcomes: Outcome[] = [];
      const remaining = [...userIds];
      const sender = async () => {
        for (let userId = remaining.pop(); userId; userId = remaining.pop()) {
          await waitForTurn();
          outcomes.push(await sendTo(ctx, userId, waiting.get(userId) ?? []));
        }
      };
      await Promise.all(Array.from({ length: maxBulkConnections }, sender));
      await transaction(main, (tx) => queries.storeOutcomes(tx, outcomes));
      return userIds.length === stepSize;
    },
  };
};

/** Returns what waits until this time has passed since the last turn. */
function createPacer(minIntervalMs: number): () => Promise<void> {
  let nextTurn = 0;
  return async () => {
    const now = performance.now();
    const turn = Math.max(now, nextTurn);
    nextTurn = turn + minIntervalMs;
    if (turn > now) await pause(turn - now);
  };
}

async function sendTo(ctx: Context, userId: string, waiting: WaitingNotice[]): Promise<Outcome> {
  const noticeIds = waiting.map((notice) => notice.notice_id);
  const wanted = waiting.filter((notice) => notice.wanted);
  if (wanted.length === 0) return { userId, noticeIds, result: 'nothing to send' };
  try {
    await ctx.mail.send(await noticesMail(ctx, userId, wanted));
    return { userId, noticeIds, result: 'sent' };
  } catch (error) {
    return { userId, noticeIds, result: isFinal(error) ? 'nothing to send' : 'failed' };
  }
}

/** Merges the notices of a group into its newest, with their number. */
function mergeGroups(waiting: WaitingNotice[]): (WaitingNotice & CountedNotice)[] {
  const groups = Map.groupBy(waiting, ({ group_id, notice_id }) => group_id ?? notice_id);
  return [...groups.values()].map((group) => ({ ...group.at(-1)!, count: group.length }));
}

/** Composes the mail with what waits for a person. */
export async function noticesMail(
  ctx: Context,
  userId: string,
  waiting: WaitingNotice[],
): Promise<Mail> {
  const { baseUrl } = ctx.config;
  const { email, language, image_url: imageUrl, image_alt: imageAlt } = waiting[0]!;
  const notices = mergeGroups(waiting);
  const parts = notices.map((notice) => partOf(notice, language, baseUrl));
  const isAboutOne = new Set(notices.map(({ data }) => data.petition_id)).size === 1;
  const types = [...new Set(notices.map(({ type }) => type))];
  const unsubscribeUrl = `${baseUrl}/unsubscribe/${unsubscribeToken(ctx.keys, { userId, types })}`;
  const kinds = formatList(
    language,
    types.map((type) => subjectOf(type, language)),
  );
  const title = oneLine(parts[0]!.title);
  const count = parts.length - 1;
  return {
    kind: 'notifications',
    cause: 'list',
    to: email,
    language,
    subject:
      count > 0 ? plainText(noticeTexts, language, 'mail_title_more', { title, count }) : title,
    picture: isAboutOne ? await mailPicture(ctx, imageUrl, imageAlt) : undefined,
    formatted: parts.flatMap(({ formatted }) => formatted ?? []),
    written: notices.map(({ about, petition_language }) => ({
      text: withoutLinks(about),
      language: petition_language,
    })),
    text: `${parts.map(({ text }) => text).join('\n\n')}

--
${plainText(noticeTexts, language, 'mail_stop_kinds', { kinds })}
${unsubscribeUrl}
${plainText(noticeTexts, language, 'mail_stop_all')}
${baseUrl}/mail/stop/${stopToken(ctx.keys, email)}
`,
    headers: unsubscribeHeaders(unsubscribeUrl),
  };
}

/** What a mail says of a notice. News are in it whole. */
function partOf(
  notice: WaitingNotice & CountedNotice,
  language: Language,
  baseUrl: string,
): { title: string; text: string; formatted?: FormattedPart } {
  const { about, detail, update_body: body } = notice;
  const said = textOf(
    { ...notice, about: withoutLinks(about), detail: detail && withoutLinks(detail) },
    language,
  );
  const path = targetOf(notice);
  const link = path === undefined ? '' : `\n${baseUrl}${path}`;
  const start = `${said.title}\n${said.body}`;
  if (body === null) return { title: said.title, text: `${start}${link}` };
  const text = plainTextOf(body, { hasAddresses: true });
  return {
    title: said.title,
    text: `${start}\n\n${text}\n${link}`,
    formatted: { text, html: renderMarkdown(body, { baseUrl }) },
  };
}

/** The path of the page on which the recipient of a notice goes on. */
function targetOf({ type, data }: CountedNotice): string | undefined {
  const { petition_id: id, slug } = data;
  switch (type) {
    case 'moderation_queue':
      return '/moderation';
    case 'integrity_alert':
      return `/moderation/petitions/${id}/integrity`;
    case 'response_submitted':
      return `/dashboard/petitions/${id}/decision-makers`;
    case 'petition_changed':
      return `/p/${slug}/versions`;
    default:
      return id ? `/p/${slug}` : undefined;
  }
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');
