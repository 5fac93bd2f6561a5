import { Type, type Static } from 'typebox';
import { maxDescriptionLength } from '../../campaigns/petitions/schema.ts';
import { RecaptchaToken } from '../../identity/captcha/schema.ts';
import {
  Email,
  named,
  nullable,
  oneOf,
  Timestamp,
  VisibleText,
} from '../../platform/http/schema.ts';
import { languages } from '../../platform/pages/language.ts';
import { sitePageNames } from '../../platform/site/pages.ts';

export const SitePageRef = Type.Object({
  page: oneOf(sitePageNames, { description: 'The page.' }),
  language: oneOf(languages, { description: 'Of the text (BCP 47).' }),
});
export type SitePageRef = Static<typeof SitePageRef>;

export const SitePage = named(
  'SitePage',
  Type.Object({
    page: oneOf(sitePageNames),
    language: oneOf(languages),
    title: Type.String(),
    body: Type.String({ description: 'Markdown.' }),
    version: nullable(
      Type.Integer({
        description:
          'Counts what administrators stored of this page in this language. null: the text of the software itself, which nobody has confirmed.',
      }),
    ),
    updated_at: nullable(Timestamp),
  }),
);
export type SitePage = Static<typeof SitePage>;

export const SitePageInput = Type.Object({
  title: VisibleText({ minLength: 1, maxLength: 120 }),
  body: VisibleText({
    minLength: 1,
    maxLength: maxDescriptionLength,
    lines: 'markdown',
    description: 'Markdown, as in descriptions of petitions.',
  }),
});
export type SitePageInput = Static<typeof SitePageInput>;

/** A message of a visitor to those who run the site. */
export const ContactInput = Type.Object({
  name: VisibleText({ minLength: 1, maxLength: 100 }),
  email: Email,
  message: VisibleText({ minLength: 1, maxLength: 5000, lines: 'many' }),
  recaptchaToken: Type.Optional(RecaptchaToken),
});
export type ContactInput = Static<typeof ContactInput>;
