import { html, type Content, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { formatNumber } from '../../platform/pages/catalog.ts';
import { readMetrics, type MetricsDeps } from '../../oversight/metrics/metrics.ts';
import type { OwnView, Site } from '../site/site.ts';
import { moderationPage, sayOf } from './moderation-layout.ts';

export const figuresRoutes = (site: Site, deps: MetricsDeps): Route[] =>
  site.page({
    id: 'showFigures',
    path: '/moderation/figures',
    access: 'admin',
    show: (view: OwnView) => figuresPage(view, deps),
  });

/** Figures of the service. */
async function figuresPage(view: OwnView, deps: MetricsDeps): Promise<RawAnswer> {
  const say = sayOf(view);
  const figures = await readMetrics(view.ctx, deps);
  const { petitions, signatures, estimated } = figures;
  const figure = (label: Content, value: number, path: string): Html => {
    const number = formatNumber(view.language, value);
    return html`<div><dt>${label}</dt><dd class="figure">${
      estimated.includes(path) ? say('estimated', { number }) : number
    }</dd></div>\n`;
  };
  return moderationPage(view, {
    section: 'figures',
    title: say('figures'),
    main: html`<dl class="figures">${figure(say('users'), figures.users, 'users')}${(
      Object.keys(petitions) as (keyof typeof petitions)[]
    ).map((status) =>
      figure(
        view.say('labelled', { label: say('petitions'), value: view.say(`status_${status}`) }),
        petitions[status],
        `petitions.${status}`,
      ),
    )}${figure(say('total_signatures'), signatures.total, 'signatures.total')}${figure(
      say('today'),
      signatures.today,
      'signatures.today',
    )}${figure(say('last_week'), signatures.last_7_days, 'signatures.last_7_days')}${figure(
      say('comments'),
      figures.comments,
      'comments',
    )}${figure(say('reports'), figures.open_reports.count, 'open_reports.count')}${figure(
      say('jobs_waiting'),
      figures.jobs.waiting,
      'jobs.waiting',
    )}${figure(say('jobs_failed'), figures.jobs.failed, 'jobs.failed')}${figure(
      say('mails_waiting'),
      figures.mails.waiting,
      'mails.waiting',
    )}${figure(say('mails_failed'), figures.mails.failed, 'mails.failed')}${figures.followers.map(
      (one) => figure(say('lag', { name: one.name }), one.lag_seconds, ''),
    )}</dl>`,
  });
}
