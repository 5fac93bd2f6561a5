import { Type, type Static } from 'typebox';
import {
  Email,
  idOf,
  named,
  nullable,
  oneOf,
  pageQuery,
  Timestamp,
  Uuid,
  VisibleText,
} from '../../platform/http/schema.ts';
import { languages } from '../../platform/pages/language.ts';
import { moduleNames } from '../../platform/site/profile.ts';

const Language = oneOf(languages);
const Accent = Type.String({
  pattern: '^#[0-9A-Fa-f]{6}$',
  description: 'A colour as #rrggbb. Each theme shows it as light or dark as texts need it.',
});
const Signup = oneOf(['open', 'closed'], {
  description: 'closed: nobody can open an account; signing by mail goes on.',
});
const Moderation = oneOf(['off', 'reports', 'pre'], {
  description: 'pre: petitions are reviewed before they are published.',
});
const SignaturePolicy = oneOf(['open', 'verified'], {
  description: 'verified: only signatures of proven addresses count.',
});

const Modules = named(
  'SiteModules',
  Type.Object(
    Object.fromEntries(moduleNames.map((name) => [name, Type.Boolean()])) as Record<
      (typeof moduleNames)[number],
      ReturnType<typeof Type.Boolean>
    >,
    {
      description:
        'Parts of the service. The operations of one that is off answer 501 `module_off`; its data is kept.',
    },
  ),
);

const shared = {
  name: Type.String({ description: 'What the site is called.' }),
  tagline: nullable(Type.String({ description: 'One line below the name.' })),
  accent: Accent,
  logo_url: nullable(Type.String({ format: 'uri' })),
  languages: Type.Array(Language, { description: 'Of the pages (BCP 47).' }),
  default_language: oneOf(languages, {
    description: 'Of pages for readers who ask for none of these.',
  }),
  modules: Modules,
};

/** The site as everybody sees it. */
export const Site = named('Site', Type.Object(shared));
export type Site = Static<typeof Site>;

/** A setting that an environment variable can fix. */
const fixable = <T extends ReturnType<typeof oneOf> | ReturnType<typeof nullable>>(value: T) =>
  Type.Object({
    value,
    fixed: Type.Boolean({ description: 'An environment variable sets it: it cannot be changed.' }),
  });

export const AdminSite = named(
  'AdminSite',
  Type.Object({
    ...shared,
    contact_email: nullable(
      Type.String({ description: 'Where the contact form of the site goes.' }),
    ),
    mail_from_name: fixable(
      nullable(Type.String({ description: 'Of the sender of mails. Default: the name.' })),
    ),
    mail_reply_to: fixable(
      nullable(Type.String({ description: 'Where answers to mails go. null: nobody reads them.' })),
    ),
    signup: Signup,
    moderation: fixable(Moderation),
    signature_policy: fixable(SignaturePolicy),
  }),
);
export type AdminSite = Static<typeof AdminSite>;

const restores = 'null: as the service does by itself.';

export const SiteUpdate = Type.Object({
  name: Type.Optional(
    nullable(VisibleText({ minLength: 1, maxLength: 60, description: restores })),
  ),
  tagline: Type.Optional(nullable(VisibleText({ minLength: 1, maxLength: 200 }))),
  accent: Type.Optional(nullable(Accent)),
  logo_url: Type.Optional(
    nullable(
      Type.String({
        format: 'web-url',
        maxLength: 2000,
        description:
          'The address of a variant of an upload (`/media/…`), of which a copy is kept; null removes the logo.',
      }),
    ),
  ),
  languages: Type.Optional(
    nullable(
      Type.Array(Language, { minItems: 1, maxItems: languages.length, description: restores }),
    ),
  ),
  default_language: Type.Optional(nullable(Language)),
  contact_email: Type.Optional(nullable(Email)),
  mail_from_name: Type.Optional(
    nullable(
      VisibleText({
        minLength: 1,
        maxLength: 100,
        pattern: '^[^<>"]*$',
        description: 'Without < > and ".',
      }),
    ),
  ),
  mail_reply_to: Type.Optional(nullable(Email)),
  signup: Type.Optional(nullable(Signup)),
  moderation: Type.Optional(nullable(Moderation)),
  signature_policy: Type.Optional(nullable(SignaturePolicy)),
  modules: Type.Optional(
    Type.Object(
      Object.fromEntries(
        moduleNames.map((name) => [name, Type.Optional(Type.Boolean())]),
      ) as Record<(typeof moduleNames)[number], ReturnType<typeof Type.Optional<Type.TBoolean>>>,
      { additionalProperties: false, description: 'Those that are absent stay as they are.' },
    ),
  ),
});
export type SiteUpdate = Static<typeof SiteUpdate>;

const Value = Type.Unsafe<unknown>({
  description: 'As it is set; null: as the service does by itself.',
});

export const SiteChange = named(
  'SiteChange',
  Type.Object({
    id: Uuid,
    name: Type.String({ description: 'Of the setting.' }),
    before: Value,
    after: Value,
    changed_at: Timestamp,
    changed_by: nullable(
      Type.Object(
        { id: Uuid, display_name: Type.String() },
        { description: 'null once that account was erased.' },
      ),
    ),
  }),
);
export type SiteChange = Static<typeof SiteChange>;

export const SiteChangesQuery = Type.Object(pageQuery);
export const SiteChangeRef = Type.Object({ id: idOf('the change') });
export type SiteChangeRef = Static<typeof SiteChangeRef>;
