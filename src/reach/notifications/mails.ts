import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import type { Mail } from '../../platform/mail.ts';
import type { SteppedWork } from '../../platform/workers.ts';
import * as queries from './mail-queries.ts';
import type { Outcome, Waiting } from './mail-queries.ts';
import { subjectOf, textOf, type EventData } from './texts.ts';
import { unsubscribeToken } from './unsubscribing.ts';

/** Mails of one step; even where a server takes half a minute for each, they end within the lease. */
const stepSize = 20;
const atOnce = 5;

/**
 * Sends what waits to be told by mail, one mail to each person. A process that is killed between
 * sending and noting it leaves the mails of its step to be sent again.
 */
export const mailing = (ctx: Context): SteppedWork => ({
  name: 'notification mails',
  idleMilliseconds: 1000,
  async step() {
    const { main } = ctx.pools;
    const userIds = await queries.takeDue(main, stepSize);
    if (userIds.length === 0) return false;
    const waiting = Map.groupBy(await queries.readWaiting(main, userIds), (one) => one.user_id);
    const outcomes: Outcome[] = [];
    const left = [...userIds];
    const sender = async () => {
      for (let userId = left.pop(); userId; userId = left.pop()) {
        outcomes.push(await sendTo(ctx, userId, waiting.get(userId) ?? []));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sender));
    await transaction(main, (tx) => queries.settle(tx, outcomes));
    return userIds.length === stepSize;
  },
});

async function sendTo(ctx: Context, userId: string, waiting: Waiting[]): Promise<Outcome> {
  const noticeIds = waiting.map((one) => one.notice_id);
  const wanted = waiting.filter((one) => one.wanted);
  if (wanted.length === 0) return { userId, noticeIds, result: 'nothing to send' };
  try {
    await ctx.mail.send(compose(ctx, userId, wanted));
    return { userId, noticeIds, result: 'sent' };
  } catch (error) {
    const { code, responseCode } = error as { code?: string; responseCode?: number };
    // Not the error itself: its text may hold the address.
    ctx.log.warn({ code, responseCode }, 'a mail with notifications was not taken');
    return { userId, noticeIds, result: 'failed' };
  }
}

/** Those of one group as one, with their number; the newest counts. */
function fold(waiting: Waiting[]): EventData[] {
  const groups = Map.groupBy(waiting, ({ group_id, notice_id }) => group_id ?? notice_id);
  return [...groups.values()].map((group) => ({ ...group.at(-1)!, count: group.length }));
}

function compose(ctx: Context, userId: string, waiting: Waiting[]): Mail {
  const { baseUrl } = ctx.config;
  const told = fold(waiting);
  const parts = told.map((one) => {
    const { title, body } = textOf(one);
    const link = one.data.petition_id ? `\n${baseUrl}/p/${one.data.slug}` : '';
    return { title, text: `${title}\n${body}${link}` };
  });
  const types = [...new Set(told.map(({ type }) => type))];
  const stop = `${baseUrl}/unsubscribe/${unsubscribeToken(ctx.keys, { userId, types })}`;
  const others = parts.length - 1;
  return {
    to: waiting[0]!.email,
    subject: oneLine(parts[0]!.title) + (others > 0 ? `, and ${others} more` : ''),
    text: `${parts.map(({ text }) => text).join('\n\n')}

--
To get no more emails about ${types.map((type) => subjectOf(type)).join(', ')}:
${stop}
`,
    headers: {
      'List-Unsubscribe': `<${stop}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');
