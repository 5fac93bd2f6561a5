import { Type } from 'typebox';
import { html, type Content, type Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { formatAgo, formatNumber, formatTime } from '../../platform/pages/catalog.ts';
import { addMailJob, type QueueReader } from '../../platform/mail-queue.ts';
import {
  readHealth,
  retryJob,
  type FailedJob,
  type Finding,
  type Health,
} from '../../oversight/health/health.ts';
import {
  actionForm,
  doneNotice,
  panel,
  type FormHandler,
  type OwnView,
  type PageHandler,
  type Site,
} from '../site/site.ts';
import { administrationPage, sayOf } from './administration.ts';

const path = '/admin/health';
const access = 'admin';
const JobRef = Type.Object({ id: Type.String({ pattern: '^\\d{1,18}$' }) });

export interface HealthDeps {
  readMailQueue: QueueReader;
}

/** How the service is, for those who run it. */
export const healthRoutes = (site: Site, deps: HealthDeps): Route[] => [
  ...site.page({
    id: 'showHealth',
    path,
    access,
    show: (view, request) => healthPage(view, request, deps),
    buttons: [{ id: 'submitTestMail', at: '/test-mail', act: askForTestMail }],
  }),
  site.form({
    id: 'submitJobRetry',
    path: `${path}/jobs/{id}/retry`,
    access,
    params: JobRef,
    act: retry,
  }),
];

const healthPage = async (
  view: OwnView,
  { query }: Parameters<PageHandler>[1],
  deps: HealthDeps,
) => {
  const say = sayOf(view);
  const health = await readHealth(view.ctx, deps);
  return administrationPage(view, {
    section: 'health',
    title: say('health'),
    main: html`${doneNotice(say, query.done, ['job_retried', 'test_mail_sent'])}${findingList(view, health.findings)}
${panel(say('software'), softwareList(view, health))}${panel(say('jobs'), jobSection(view, health))}${panel(
      say('mail_health'),
      mailSection(view, health),
    )}${panel(say('background'), backgroundList(view, health))}`,
  });
};

/** Where the guide says more about a finding. */
export const guideSections: Record<Finding['name'], string> = {
  no_worker: 'operating#a-set-up-for-many',
  jobs_failed: 'operating#monitoring',
  mails_stuck: 'mail',
  mails_failed: 'mail',
  followers_behind: 'operating#monitoring',
  disk_full: 'operating#monitoring',
  log_halted: 'operating#the-public-log',
  log_elsewhere: 'operating#the-public-log',
  no_backup: 'operating#backup',
  old_backup: 'operating#backup',
  limits_off: 'operating#production',
  mail_in_files: 'mail',
  metrics_open: 'operating#monitoring',
  no_contact: '',
};

const findingTexts = {
  no_worker: 'found_no_worker',
  jobs_failed: 'found_jobs_failed',
  mails_stuck: 'found_mails_stuck',
  mails_failed: 'found_mails_failed',
  followers_behind: 'found_followers_behind',
  disk_full: 'found_disk_full',
  log_halted: 'found_log_halted',
  log_elsewhere: 'found_log_elsewhere',
  no_backup: 'found_no_backup',
  old_backup: 'found_old_backup',
  limits_off: 'found_limits_off',
  mail_in_files: 'found_mail_in_files',
  metrics_open: 'found_metrics_open',
  no_contact: 'found_no_contact',
} as const satisfies Record<Finding['name'], string>;

const code = (text: string): Html => html`<code dir="ltr">${text}</code>`;

/** Names of settings and commands in these texts. */
const namesIn: Partial<Record<Finding['name'], Record<string, Html>>> = {
  no_worker: { worker: code('ROLE=worker'), all: code('ROLE=all') },
  mails_stuck: { setting: code('SMTP_URL') },
  disk_full: { setting: code('DATA_DIR') },
  log_elsewhere: { setting: code('LOG_ORIGIN'), command: code('npm run log-adopt') },
  no_backup: { command: code('npm run backup-taken') },
  limits_off: { setting: code('RATE_LIMITS=off') },
  mail_in_files: { setting: code('SMTP_URL') },
  metrics_open: {
    path: code('/metrics'),
    token: code('METRICS_TOKEN'),
    port: code('METRICS_PORT'),
  },
};

const findingList = (view: OwnView, findings: readonly Finding[]): Html => {
  const say = sayOf(view);
  if (findings.length === 0) return html`<p class="notice" role="status">${say('all_well')}</p>\n`;
  return html`<ul class="list">
${findings.map(({ name, values }) => {
  const section = guideSections[name];
  const link =
    section === ''
      ? html`<a href="/admin/site#contact_email">${say('settings')}</a>`
      : html`<a href="/admin/guide/${section}">${say('guide')}</a>`;
  return html`<li class="notice warn">${say(findingTexts[name], { ...namesIn[name], ...values })} ${link}</li>\n`;
})}</ul>
`;
};

const pairs = (all: readonly (readonly [Content, Content])[]): Html =>
  html`<dl class="pairs">${all.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>\n`)}</dl>\n`;

function softwareList(view: OwnView, { version, database, disk, lastBackupAt }: Health): Html {
  const say = sayOf(view);
  const { language } = view;
  return pairs([
    [say('version'), html`<code>${version}</code>`],
    ['PostgreSQL', html`<code>${database.version}</code>`],
    [say('migration'), html`<code>${database.migration}</code>`],
    [say('database_size'), bytesText(language, database.bytes)],
    ...(disk
      ? [
          [
            say('disk'),
            say('free_of', {
              free: bytesText(language, disk.free),
              size: bytesText(language, disk.size),
            }),
          ] as const,
        ]
      : []),
    [say('last_backup'), lastBackupAt ? formatTime(language, lastBackupAt) : say('never_noted')],
  ]);
}

/** A size in the unit that fits: 12.3 MB. */
function bytesText(language: string, bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: units[power]!,
    maximumFractionDigits: 1,
  }).format(bytes / 1000 ** power);
}

function jobSection(view: OwnView, { jobs, failedJobs }: Health): Html {
  const say = sayOf(view);
  const { language } = view;
  return html`${pairs([
    [say('waiting'), formatNumber(language, jobs.waiting)],
    [say('failed'), formatNumber(language, jobs.failed)],
  ])}${
    failedJobs.length > 0 &&
    html`<ul class="list">
${failedJobs.map((job) => jobItem(view, job))}</ul>\n`
  }`;
}

const jobItem = (view: OwnView, { id, task, attempts, error, failed_at: at }: FailedJob): Html => {
  const say = sayOf(view);
  return html`<li class="row between"><div><p><code>${task}</code> <span class="quiet">${say('job_attempts', { count: attempts })} · ${formatTime(view.language, at)}</span></p>
<p lang="en" dir="ltr">${error}</p></div>
${actionForm(view, {
  action: `${path}/jobs/${id}/retry`,
  submit: say('try_again'),
  submitLabel: say('try_again_job', { job: `${task} ${id}` }),
  buttonClass: 'second',
})}</li>
`;
};

function mailSection(view: OwnView, { mails, silenced }: Health): Html {
  const say = sayOf(view);
  const { language } = view;
  return html`${pairs([
    [say('waiting'), formatNumber(language, mails.waiting)],
    [say('failed'), formatNumber(language, mails.failed)],
    ...(mails.oldest_at
      ? [[say('oldest'), formatAgo(language, mails.oldest_at, view.ctx.now())] as const]
      : []),
    [say('bounced'), formatNumber(language, silenced.bounced)],
    [say('complained'), formatNumber(language, silenced.complained)],
    [say('unsubscribed'), formatNumber(language, silenced.unsubscribed)],
  ])}${actionForm(view, { action: `${path}/test-mail`, submit: say('send_test_mail'), buttonClass: 'second' })}`;
}

function backgroundList(view: OwnView, health: Health): Html {
  const say = sayOf(view);
  const { language } = view;
  const { followers, webhooksOff, backfills, lastWorkerAt } = health;
  const lag = Math.max(0, ...followers.map(({ seconds }) => seconds));
  return pairs([
    [say('last_worker'), lastWorkerAt ? formatTime(language, lastWorkerAt) : say('never_noted')],
    [say('lag'), say('seconds', { count: Math.round(lag) })],
    [say('webhooks_off'), formatNumber(language, webhooksOff)],
    ...backfills.map(
      ({ name, rows, total }) =>
        [
          html`<code>${name}</code>`,
          total === null
            ? formatNumber(language, rows)
            : say('rows_of', { rows, total: Math.max(rows, total) }),
        ] as const,
    ),
  ]);
}

const retry: FormHandler<{ id: string }> = async (view, { params }) => {
  await retryJob(view.ctx, view.viewer.caller, params.id);
  return `${path}?done=job_retried`;
};

/** Sends a mail to the administrator who asks for it. */
const askForTestMail: FormHandler = async ({ ctx, viewer }) => {
  await addMailJob(ctx.db, 'send-test-mail', { user_id: viewer.user.id });
  return `${path}?done=test_mail_sent`;
};
