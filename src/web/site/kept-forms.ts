import type { Db } from '../../platform/db.ts';
import { randomToken } from '../../platform/keys.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import { Problem } from '../../platform/problems.ts';
import { cookies, setCookie } from '../../platform/cookies.ts';
import { readRenamedCookie } from '../../platform/renamed-cookies.ts';
import { keptValues } from './refused-form.ts';
import type { View } from './view.ts';

/** Where a browser that has logged in gets its form back. */
export const continuePath = '/continue';

const { seconds: maxAgeSeconds } = cookies.kept_form;
const keepingQuota: Quota = { name: 'kept-form', points: 60, durationSeconds: 3600 };

/** A form that was sent without a login. */
export interface KeptForm {
  /** Name of its route. */
  form: string;
  /** Where it was sent. */
  path: string;
  params: unknown;
  values: Record<string, unknown>;
}

/**
 * Keeps what was typed into a form for an hour, for the browser that sent it: a login may have ended while somebody
 * wrote. Passwords and files are not kept. Returns false if too much was kept for this network.
 */
export async function keepForm(
  view: View,
  { form, params, values }: Omit<KeptForm, 'path'>,
): Promise<boolean> {
  const { ctx, ip, path } = view;
  if (!(await ctx.limits.tryTake(keepingQuota, networkOf(ip)))) return false;
  const token = randomToken(24);
  const content = JSON.stringify({ path, params, values: keptValues(values) });
  await ctx.db`
    insert into kept_forms (token_hash, form, content)
    values (${ctx.keys.hash('kept-form', token)}, ${form}, ${ctx.keys.seal('kept-form', content, token)})`;
  setCookie(ctx, view.header, 'kept_form', token);
  return true;
}

/** Returns the form that was kept for the browser. It stays for its hour, so that the page can be loaded again. */
export async function findKeptForm(view: View): Promise<KeptForm | undefined> {
  const { ctx } = view;
  const token = await readRenamedCookie(view, 'kept_form');
  if (token === undefined) return undefined;
  const row = await ctx.db.first<{ form: string; content: Buffer }>`
    select form, content from kept_forms
    where token_hash = ${ctx.keys.hash('kept-form', token)}
      and created_at > now() - ${maxAgeSeconds} * interval '1 second'`;
  return row && { form: row.form, ...JSON.parse(ctx.keys.unseal('kept-form', row.content, token)) };
}

export async function deleteOldForms(db: Db): Promise<void> {
  await db`delete from kept_forms where created_at < now() - ${maxAgeSeconds} * interval '1 second'`;
}

const localCode = 'form_kept';

/** Stands above a form that came back: it has not been sent yet. */
export const notSentYet = (): Problem =>
  new Problem('forbidden', 'What you typed is still here, but has not been sent yet.', {
    localCode,
  });

export const isNotSentYet = (problem: Problem): boolean => problem.localCode === localCode;
