import { Type, type Static } from 'typebox';
import { AccessCodeQuery } from '../../campaigns/petitions/schema.ts';
import { idOf, named, oneOf, pageQuery, Timestamp, Uuid } from '../../platform/http/schema.ts';

const Count = Type.Integer({ minimum: 0 });
const Cumulative = Type.Integer({
  description: 'With all before, and what an import brought as a number.',
});
const Day = Type.String({ format: 'date', description: 'Of UTC.' });
const day = (description: string) =>
  Type.Optional(Type.String({ format: 'date', description: `${description} Days are of UTC.` }));
const Country = Type.String({ description: 'ISO 3166-1 alpha-2' });

export const GeoCell = named(
  'GeoCell',
  Type.Object({
    lat: Type.Number({ description: 'Of the middle of the city, or of the people of the area.' }),
    lng: Type.Number(),
    city: Type.String({ description: 'Empty where the cell is a region or country.' }),
    region: Type.String({ description: 'Empty where the cell is a country.' }),
    country: Country,
    country_name: Type.String({ description: 'In English.' }),
    count: Type.Integer({ minimum: 3 }),
  }),
);
export type GeoCell = Static<typeof GeoCell>;

export const GeoQuery = Type.Object({
  ...AccessCodeQuery.properties,
  hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 168,
      default: 24,
      description: 'So far back, from the beginning of that hour: up to an hour more.',
    }),
  ),
  ...pageQuery,
});
export type GeoQuery = Static<typeof GeoQuery>;

export const HistoryHour = named(
  'HistoryHour',
  Type.Object({
    hour: Timestamp,
    count: Type.Integer({ description: 'Given in this hour, and valid.' }),
    cumulative: Cumulative,
  }),
);

export const HistoryQuery = Type.Object({
  ...AccessCodeQuery.properties,
  cursor: pageQuery.cursor,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 168,
      description: 'Hours of a page, at most.',
    }),
  ),
});
export type HistoryQuery = Static<typeof HistoryQuery>;

export const granularities = ['day', 'week', 'month'] as const;

export const AnalyticsQuery = Type.Object({
  start_date: day('Of the petition unless said.'),
  end_date: day(
    'Included, today at most. Unless said, when the petition ended; or today, where it has not, or where start_date is later.',
  ),
  granularity: Type.Optional(
    oneOf(granularities, { default: 'day', description: 'Length of the spans that are counted.' }),
  ),
});
export type AnalyticsQuery = Static<typeof AnalyticsQuery>;

export const PetitionAnalytics = named(
  'PetitionAnalytics',
  Type.Object({
    signature_growth: Type.Array(
      Type.Object({
        date: Type.String({
          format: 'date',
          description: 'The day, the Monday of the week, or the first of the month.',
        }),
        count: Count,
        cumulative: Cumulative,
      }),
      { description: 'Without gaps.' },
    ),
    geographic_breakdown: Type.Array(
      Type.Object({
        country: Type.String({
          description: 'ISO 3166-1 alpha-2; empty if unknown or too few to show.',
        }),
        region: Type.String({ description: 'Empty for the rest of the country.' }),
        count: Count,
      }),
    ),
    traffic_sources: Type.Array(
      Type.Object({
        source: Type.String({
          description:
            "The host of the referring page, or the link's utm_source. `direct`: none; `other`: the many small ones together.",
        }),
        views: Count,
        signatures: Count,
      }),
    ),
    totals: Type.Object({
      views: Count,
      signatures: Count,
      shares: Count,
      conversion_rate: Type.Number({ minimum: 0, maximum: 1 }),
    }),
    signing_by_mail: Type.Object(
      {
        asked: Type.Integer({ minimum: 0, description: 'Forms that were filled in.' }),
        mailed: Type.Integer({ minimum: 0, description: 'Mails that the mail server took.' }),
        confirmed: Type.Integer({ minimum: 0 }),
      },
      { description: 'Signatures without a login, over all days.' },
    ),
  }),
);
export type PetitionAnalytics = Static<typeof PetitionAnalytics>;

export const StatsQuery = Type.Object({
  petition_id: Type.Optional(idOf('the petition that the figures are about; of all, unless said')),
  start_date: day('29 days before the end unless said. Days before 2000 are left out.'),
  end_date: day('Included. Today unless said.'),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'Of each ranking.' }),
  ),
});
export type StatsQuery = Static<typeof StatsQuery>;

export const Stats = named(
  'Stats',
  Type.Object({
    daily: Type.Array(Type.Object({ date: Day, signatures: Count, petitions: Count })),
    trending: Type.Array(
      Type.Object({
        petition_id: Uuid,
        slug: Type.String(),
        title: Type.String(),
        score: Type.Number({
          description:
            'Signatures, each a day old counting half, two days old a quarter, and so on.',
        }),
      }),
    ),
    geographic: Type.Array(Type.Object({ country: Country, count: Count })),
  }),
);
export type Stats = Static<typeof Stats>;
