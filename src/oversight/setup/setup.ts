import en from '../../../locales/en/setup-mails.json' with { type: 'json' };
import {
  createAdministrator,
  findUser,
  hashPassword,
  requireUncommonPassword,
} from '../../identity/accounts/accounts.ts';
import type { RegisterInput } from '../../identity/accounts/schema.ts';
import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { addMailJob } from '../../platform/mail-queue.ts';
import { mailedSecrets } from '../../platform/mailed-secrets.ts';
import { sendUnlessFinal, type Mail } from '../../platform/mail.ts';
import { catalog, plainText } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { gone } from '../../platform/problems.ts';
import type { SettingChanges } from '../../platform/site/site-settings.ts';
import type { SitePageInput } from '../site-pages/schema.ts';
import { writeSitePage } from '../site-pages/site-pages.ts';
import { changeSettings } from '../site-settings/site-settings.ts';
import * as queries from './queries.ts';

const setupTexts = catalog('setup-mails', en);
const { linkToken, tokenHash } = mailedSecrets('setup');

/** How long a link can be used. */
const validMs = 24 * 3600 * 1000;

const timesOf = ({ now }: Context) => {
  const at = now();
  return { now: at, oldest: new Date(at.getTime() - validMs) };
};

/**
 * Makes the link by which a new instance is set up, if there is none that can be used. Mails it to ADMIN_EMAIL, if that is
 * set alone; else returns it, to be printed. It is the same for every process, until it is used, is a day old, or an
 * administrator exists.
 */
export async function offerSetup(ctx: Context): Promise<string | undefined> {
  const id = newId();
  await transaction(ctx.db, async (tx) => {
    const hash = tokenHash(ctx, linkToken(ctx, id));
    const isNew = await queries.insertLink(tx, { id, tokenHash: hash, ...timesOf(ctx) });
    if (isNew && ctx.config.setupEmail) await addMailJob(tx, 'send-setup-link', { id });
  });
  const link = await queries.findLink(ctx.db, timesOf(ctx).oldest);
  return link && !ctx.config.setupEmail ? addressOf(ctx, link.id) : undefined;
}

const addressOf = (ctx: Context, id: string): string =>
  `${ctx.config.baseUrl}/setup?token=${linkToken(ctx, id)}`;

/** Mails the link, unless it was used meanwhile, or replaced. */
export async function sendSetupLink(ctx: Context, id: string): Promise<void> {
  const { setupEmail: to } = ctx.config;
  const link = await queries.findLink(ctx.db, timesOf(ctx).oldest);
  if (!to || link?.id !== id) return;
  const language = ctx.site.current.defaultLanguage;
  await sendUnlessFinal(ctx, setupMail({ to, language }, addressOf(ctx, id)));
}

/** The mail with the link by which a new instance is set up. */
export const setupMail = (
  { to, language }: { to: string; language: Language },
  link: string,
): Mail => ({
  kind: 'setup',
  cause: 'own act',
  to,
  language,
  subject: plainText(setupTexts, language, 'setup_subject'),
  text: plainText(setupTexts, language, 'setup', { link }),
});

const setupOver = () =>
  gone(
    'This link was used already, is more than a day old, or there is an administrator. `npm run setup-link` prints another one while there is none.',
  );

/** @throws {Problem} gone if the link cannot be used (any more) */
export async function requireUsableLink(ctx: Context, token: string): Promise<void> {
  const { oldest } = timesOf(ctx);
  if (!(await queries.isUsable(ctx.db, tokenHash(ctx, token), oldest))) throw setupOver();
}

interface Setup {
  token: string;
  administrator: RegisterInput;
  settings: SettingChanges;
  /** The page that says who is responsible for the site, if it is written by now. */
  imprint: (SitePageInput & { language: Language }) | undefined;
  /** Whether a mail is sent to the administrator, to see whether mail works. */
  testsMail: boolean;
  language: Language;
}

/**
 * Sets the instance up: makes its administrator and its settings, and uses the link up. Returns the id of the administrator.
 * @throws {Problem} gone; validation-failed if the password is too common. Then nothing is used up.
 */
export async function setUp(ctx: Context, setup: Setup): Promise<string> {
  const { token, administrator, settings, imprint, testsMail, language } = setup;
  await requireUsableLink(ctx, token);
  const { email, password, display_name: displayName } = administrator;
  requireUncommonPassword(password, administrator);
  const passwordHash = await hashPassword(password);
  const user = await transaction(ctx.db, async (tx) => {
    if (!(await queries.useLink(tx, tokenHash(ctx, token), timesOf(ctx)))) throw setupOver();
    const account = { email, passwordHash, displayName: displayName.trim(), language };
    const created = await createAdministrator(tx, ctx.keys, account);
    const within = { ...ctx, db: tx, afterCommit: async () => {} };
    await changeSettings(within, created.id, settings);
    if (imprint) {
      const { title, body, language: written } = imprint;
      const ref = { page: 'imprint', language: written } as const;
      await writeSitePage(within, created.id, ref, { title, body });
    }
    if (testsMail) await addMailJob(tx, 'send-test-mail', { user_id: created.id });
    return created;
  });
  await ctx.site.refresh();
  return user.id;
}

/** Sends a mail to somebody who wants to see whether mail works. */
export async function sendTestMail(ctx: Context, userId: string): Promise<void> {
  // The set-up that asked for it may have named the site a moment ago.
  await ctx.site.refresh();
  const user = await findUser(ctx.db, userId);
  if (user) await sendUnlessFinal(ctx, testMail(ctx, user));
}

/** A mail that says that mail arrives. */
export const testMail = (
  { site, config }: Context,
  { email, language }: { email: string; language: Language },
): Mail => {
  const values = { name: site.current.name, host: new URL(config.baseUrl).host };
  return {
    kind: 'test',
    cause: 'own act',
    to: email,
    language,
    subject: plainText(setupTexts, language, 'test_subject', values),
    text: plainText(setupTexts, language, 'test', values),
  };
};
