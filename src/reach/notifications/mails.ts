import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import type { Mail } from '../../platform/mail.ts';
import { MailSuppressed, stopToken } from '../../platform/mail-suppressions.ts';
import type { SteppedWorkOptions } from '../../platform/workers.ts';
import * as queries from './mail-queries.ts';
import type { Outcome, WaitingNotice } from './mail-queries.ts';
import { subjectOf, textOf, type CountedNotice } from './texts.ts';
import { unsubscribeToken } from './unsubscribing.ts';

/** Mails per step. They end within the lease even if the server takes 30 s for each. */
const stepSize = 20;
const concurrency = 5;

/**
 * Sends due notices, one mail per person. If a process is killed between sending and storing the
 * outcomes, the mails of its step are sent again.
 */
export const mailing = (ctx: Context): SteppedWorkOptions => ({
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
        outcomes.push(await sendTo(ctx, userId, waiting.get(userId) ?? []));
      }
    };
    await Promise.all(Array.from({ length: concurrency }, sender));
    await transaction(main, (tx) => queries.storeOutcomes(tx, outcomes));
    return userIds.length === stepSize;
  },
});

async function sendTo(ctx: Context, userId: string, waiting: WaitingNotice[]): Promise<Outcome> {
  const noticeIds = waiting.map((notice) => notice.notice_id);
  const wanted = waiting.filter((notice) => notice.wanted);
  if (wanted.length === 0) return { userId, noticeIds, result: 'nothing to send' };
  try {
    await ctx.mail.send(compose(ctx, userId, wanted));
    return { userId, noticeIds, result: 'sent' };
  } catch (error) {
    if (error instanceof MailSuppressed) return { userId, noticeIds, result: 'nothing to send' };
    const { code, responseCode } = error as { code?: string; responseCode?: number };
    // The error itself is not logged: its text can contain the address.
    ctx.log.warn({ code, responseCode }, 'could not send a notification mail; will retry');
    return { userId, noticeIds, result: 'failed' };
  }
}

/** Merges the notices of a group into its newest, with their number. */
function mergeGroups(waiting: WaitingNotice[]): CountedNotice[] {
  const groups = Map.groupBy(waiting, ({ group_id, notice_id }) => group_id ?? notice_id);
  return [...groups.values()].map((group) => ({ ...group.at(-1)!, count: group.length }));
}

function compose(ctx: Context, userId: string, waiting: WaitingNotice[]): Mail {
  const { baseUrl } = ctx.config;
  const notices = mergeGroups(waiting);
  const parts = notices.map((notice) => {
    const { title, body } = textOf(notice);
    const link = notice.data.petition_id ? `\n${baseUrl}${pathOfPetition(notice)}` : '';
    return { title, text: `${title}\n${body}${link}` };
  });
  const { email } = waiting[0]!;
  const types = [...new Set(notices.map(({ type }) => type))];
  const unsubscribeUrl = `${baseUrl}/unsubscribe/${unsubscribeToken(ctx.keys, { userId, types })}`;
  const others = parts.length - 1;
  return {
    cause: 'list',
    to: email,
    subject: oneLine(parts[0]!.title) + (others > 0 ? `, and ${others} more` : ''),
    text: `${parts.map(({ text }) => text).join('\n\n')}

--
To get no more emails about ${types.map((type) => subjectOf(type)).join(', ')}:
${unsubscribeUrl}
To get no email at all that others cause:
${baseUrl}/mail/stop/${stopToken(ctx.keys, email)}
`,
    headers: {
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}

/** Where the recipient of a notice about a petition goes on. */
const pathOfPetition = ({ type, data }: CountedNotice) =>
  type === 'integrity_alert'
    ? `/moderation/petitions/${data.petition_id}/integrity`
    : `/p/${data.slug}`;

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');
