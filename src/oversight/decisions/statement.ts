import mailsEn from '../../../locales/en/decisions.json' with { type: 'json' };
import { textOfNotice } from '../../reach/notifications/notifications.ts';
import type { Context } from '../../platform/context.ts';
import type { DecisionAct } from '../../platform/decisions.ts';
import { catalog, plainText, timeText } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import type { Decision } from './queries.ts';
import type { ComplaintSide } from './schema.ts';

export const decisionTexts = catalog('decisions', mailsEn);

/** Acts that end a restriction: nobody complains about them. */
const liftingActs: ReadonlySet<DecisionAct> = new Set(['unhide_comment', 'unsuspend_user']);

/** Acts that leave reported content as it is, about which reporters can complain. */
const leavingActs: ReadonlySet<DecisionAct> = new Set(['dismiss_report', 'warn_user']);

/** Whether that side can complain about such an act at all. */
export const isOpenTo = (act: DecisionAct, side: ComplaintSide): boolean =>
  side === 'author' ? !liftingActs.has(act) && !leavingActs.has(act) : leavingActs.has(act);

/** What a person is told about a decision, in paragraphs: the statement of reasons of the DSA, article 17. */
export function statementOf(
  ctx: Context,
  decision: Decision,
  side: ComplaintSide,
  language: Language,
): { title: string; paragraphs: string[] } {
  const say = (name: keyof typeof mailsEn, values: Record<string, string> = {}) =>
    plainText(decisionTexts, language, name, values);
  const { title, body } = textOfNotice(
    {
      type: side === 'author' ? 'moderation_decision' : 'report_decided',
      about: decision.about,
      detail: decision.reason,
      data: { act: decision.act },
      count: 1,
    },
    language,
  );
  const paragraphs =
    side === 'author'
      ? authorParagraphs(decision, say, new URL(ctx.config.baseUrl).host)
      : [body, say('by_person')];
  return {
    title,
    paragraphs: [
      ...paragraphs,
      say('decided_at', { when: timeText(language, decision.created_at) }),
    ],
  };
}

type SayPlain = (name: keyof typeof mailsEn, values?: Record<string, string>) => string;

/** Says nothing of reporters but that there were some. */
function authorParagraphs(
  { act, reason, rule, report_ids: reportIds }: Decision,
  say: SayPlain,
  host: string,
): string[] {
  if (liftingActs.has(act)) return reason === null ? [] : [say('why', { reason })];
  const ruleName = rules[rule ?? ''];
  return [
    reason === null ? say('no_reason') : say('why', { reason }),
    ruleName ? say('against_rule', { host, rule: say(ruleName) }) : say('against_rules', { host }),
    say(reportIds.length > 0 ? 'after_report' : 'without_report'),
    say('scope'),
    say('by_person'),
  ];
}

/** The names of the reasons of reports. */
const rules: Record<string, keyof typeof mailsEn> = {
  spam: 'rule_spam',
  harassment: 'rule_harassment',
  hate_speech: 'rule_hate_speech',
  misinformation: 'rule_misinformation',
  child_abuse: 'rule_child_abuse',
};
