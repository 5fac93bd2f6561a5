import { Type, type Static } from 'typebox';
import { named, nullable, oneOf, Timestamp, Uuid } from '../../platform/http/schema.ts';
import { positions } from '../../campaigns/decision-makers/schema.ts';

export const timelineTypes = [
  'published',
  'milestone',
  'text_changed',
  'update',
  'delivered',
  'answered',
  'closed',
  'victory',
] as const;
export type TimelineType = (typeof timelineTypes)[number];

export const TimelineEntry = named(
  'TimelineEntry',
  Type.Object(
    {
      id: Type.String({ description: 'Unique in the timeline.' }),
      type: oneOf(timelineTypes),
      at: Timestamp,
      count: nullable(
        Type.Integer({
          description:
            'Of a `milestone`: the count that was reached. Of `text_changed`: how many had signed before, where that is known.',
        }),
      ),
      update: nullable(Type.Object({ id: Uuid, title: Type.String() })),
      decision_maker: nullable(
        Type.Object({ name: Type.String(), title: nullable(Type.String()) }),
      ),
      position: nullable(oneOf(positions)),
    },
    { description: 'What happened to a petition.' },
  ),
);
export type TimelineEntry = Static<typeof TimelineEntry>;
