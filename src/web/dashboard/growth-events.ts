import { html, type Content } from '../../platform/html.ts';
import { formatNumber, speak } from '../../platform/pages/catalog.ts';
import { listMakers } from '../../campaigns/decision-makers/decision-makers.ts';
import type { ManagedPetition } from '../../campaigns/petitions/manage.ts';
import { findReachedMilestones } from '../../campaigns/signatures/signatures.ts';
import { listUpdates } from '../../campaigns/updates/updates.ts';
import type { OwnView } from '../site/site.ts';
import { figureTexts } from './texts.ts';

/** A chart with more is hard to read. */
const maxEvents = 12;

interface GrowthEvent {
  at: Date;
  text: Content;
}

/** What may have moved the curve: publication, updates, milestones and deliveries, the newest of them, oldest first. */
export async function growthEvents(
  { ctx, viewer, language }: OwnView,
  { petition, permissions: may }: ManagedPetition,
): Promise<GrowthEvent[]> {
  const say = speak(figureTexts, language);
  const { id, published_at: publishedAt } = petition;
  const [updates, milestones, makers] = await Promise.all([
    may.canRead ? listUpdates(ctx, viewer.caller, id, { limit: maxEvents }) : undefined,
    findReachedMilestones(ctx.pools.replica, id),
    may.canEdit ? listMakers(ctx, viewer.caller, id, { limit: 50 }) : undefined,
  ]);
  const events: GrowthEvent[] = [
    ...(publishedAt ? [{ at: new Date(publishedAt), text: say('event_published') }] : []),
    ...(updates?.items ?? []).map(({ created_at: at, title }) => ({
      at: new Date(at),
      text: say('event_update', { title: html`<bdi>${title}</bdi>` }),
    })),
    ...milestones.map(({ reached_at: at, threshold }) => ({
      at,
      text: say('event_milestone', { threshold: formatNumber(language, threshold) }),
    })),
    ...(makers?.items ?? []).flatMap(({ delivered_at: at, name }) =>
      at === null
        ? []
        : { at: new Date(at), text: say('event_delivery', { name: html`<bdi>${name}</bdi>` }) },
    ),
  ];
  return events.toSorted((a, b) => Number(a.at) - Number(b.at)).slice(-maxEvents);
}
