import type { Context } from '../../platform/context.ts';
import type { Db } from '../../platform/db.ts';
import { randomToken } from '../../platform/keys.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import { Problem } from '../../platform/problems.ts';
import { cookies, dropCookie, setCookie } from '../../platform/cookies.ts';
import { readRenamedCookie } from '../../platform/renamed-cookies.ts';
import { keptValues } from './refused-form.ts';
import type { View, Viewer } from './view.ts';

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
    values (${hashOf(ctx, token)}, ${form}, ${ctx.keys.seal('kept-form', content, token)})`;
  setCookie(ctx, view.header, 'kept_form', token);
  return true;
}

/**
 * Returns the form that was kept for the browser, and keeps it from the accounts that open it later. The page can be
 * loaded again until the form is sent, the browser is logged out, or its hour ends.
 */
export async function openKeptForm(view: View & { viewer: Viewer }): Promise<KeptForm | undefined> {
  const { ctx, viewer } = view;
  const token = await readRenamedCookie(view, 'kept_form');
  if (token === undefined) return undefined;
  const opener = ctx.keys.hash('kept-form', token, viewer.user.id);
  const row = await ctx.db.first<FormRow>`
    update kept_forms set opener_hash = ${opener}
    where token_hash = ${hashOf(ctx, token)} and coalesce(opener_hash, ${opener}) = ${opener}
      and created_at > now() - ${maxAgeSeconds} * interval '1 second'
    returning form, content`;
  return row && formOf(ctx, row, token);
}

/** Deletes the form that was kept for the browser if it is the one that was sent now. */
export async function forgetSentForm(view: View): Promise<void> {
  const { ctx, path } = view;
  const token = await readRenamedCookie(view, 'kept_form');
  if (token === undefined) return;
  const row = await ctx.db.first<FormRow>`
    select form, content from kept_forms where token_hash = ${hashOf(ctx, token)}`;
  if (row && formOf(ctx, row, token).path === path) await forgetKeptForm(view);
}

/** Deletes the form that was kept for the browser, if there is one. */
export async function forgetKeptForm(view: View): Promise<void> {
  const { ctx, header } = view;
  const token = await readRenamedCookie(view, 'kept_form');
  if (token === undefined) return;
  await ctx.db`delete from kept_forms where token_hash = ${hashOf(ctx, token)}`;
  dropCookie(ctx, header, 'kept_form');
}

interface FormRow {
  form: string;
  content: Buffer;
}

const hashOf = ({ keys }: Context, token: string): Buffer => keys.hash('kept-form', token);

const formOf = ({ keys }: Context, { form, content }: FormRow, token: string): KeptForm => ({
  form,
  ...JSON.parse(keys.unseal('kept-form', content, token)),
});

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
