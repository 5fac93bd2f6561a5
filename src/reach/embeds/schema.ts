import { Type, type Static } from 'typebox';
import { named, oneOf } from '../../platform/http/schema.ts';

export const themes = ['light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const pixels = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, description }));

export const OEmbedQuery = Type.Object({
  url: Type.String({
    format: 'uri',
    maxLength: 2000,
    description: 'The page of a petition, or its embedded page.',
  }),
  maxwidth: pixels('The frame is no wider, in pixels.'),
  maxheight: pixels('The frame is no higher, in pixels.'),
  format: Type.Optional(oneOf(['json', 'xml'], { default: 'json', description: 'Of the answer.' })),
});
export type OEmbedQuery = Static<typeof OEmbedQuery>;

/** A rich response of oEmbed 1.0 (oembed.com, section 2.3.4). */
export const OEmbed = named(
  'OEmbed',
  Type.Object({
    type: oneOf(['rich']),
    version: oneOf(['1.0']),
    title: Type.String(),
    provider_name: Type.String(),
    provider_url: Type.String({ format: 'uri' }),
    html: Type.String({
      description: 'A link, a frame, and the script that hides the link and sizes the frame.',
    }),
    width: Type.Integer(),
    height: Type.Integer({ description: 'Initial height: the script fits it to the content.' }),
    cache_age: Type.Integer({ description: 'Seconds.' }),
    thumbnail_url: Type.String({
      format: 'uri',
      description: 'The picture that was uploaded here, else a card with the title and the count.',
    }),
    thumbnail_width: Type.Integer(),
    thumbnail_height: Type.Integer(),
  }),
);
export type OEmbed = Static<typeof OEmbed>;

export const EmbedInput = Type.Object({
  theme: Type.Optional(oneOf(themes, { default: 'light' })),
  width: Type.Optional(Type.Integer({ minimum: 200, maximum: 2000 })),
  height: Type.Optional(Type.Integer({ minimum: 100, maximum: 2000 })),
});
export type EmbedInput = Static<typeof EmbedInput>;

export const Embed = named(
  'Embed',
  Type.Object({
    html: Type.String({ description: 'To be put into a page as it is.' }),
    url: Type.String({ format: 'uri', description: 'What the frame shows.' }),
    oembed_url: Type.String({ format: 'uri' }),
  }),
);
export type Embed = Static<typeof Embed>;

export const WidgetQuery = Type.Object({
  theme: Type.Optional(
    oneOf(themes, { default: 'light', description: 'Colours of the page that it is in.' }),
  ),
});
