import { languages, type Language } from '../pages/language.ts';

/** Parts of the service that an operator can switch off. */
export const moduleNames = [
  'promotion',
  'phone',
  'comments',
  'map',
  'organizations',
  'developers',
] as const;
export type ModuleName = (typeof moduleNames)[number];
export type Modules = Record<ModuleName, boolean>;

/** Whose signatures count: all, or those of proven addresses. */
export type SignaturePolicy = 'open' | 'verified';
/** Who looks at petitions: nobody, moderators after reports, or moderators before publication. */
export type ModerationMode = 'off' | 'reports' | 'pre';

/** What the operator has set for the whole site. Nobody changes it: a change makes another one. */
export interface SiteProfile {
  name: string;
  /** Below the name on the first page. */
  tagline: string | null;
  /** Hexadecimal, in lower case: #0b6b4d. */
  accent: string;
  logo: Logo | null;
  /** Of the pages, in their usual order; never empty. */
  languages: readonly Language[];
  /** For readers who ask for none of them. */
  defaultLanguage: Language;
  contactEmail: string | null;
  /** Of the sender of mails. Undefined: the name of the site. */
  mailFromName: string | null;
  mailReplyTo: string | null;
  signup: 'open' | 'closed';
  moderation: ModerationMode;
  signaturePolicy: SignaturePolicy;
  modules: Modules;
}

export interface Logo {
  /** Of its bytes; a part of its address. */
  hash: string;
  width: number;
  height: number;
}

export const defaultName = 'Open Petitions';
export const defaultAccent = '#0b6b4d';

/** The site before anybody has set anything. */
export const defaultProfile = (production: boolean): SiteProfile => ({
  name: defaultName,
  tagline: null,
  accent: defaultAccent,
  logo: null,
  languages,
  defaultLanguage: 'en',
  contactEmail: null,
  mailFromName: null,
  mailReplyTo: null,
  signup: 'open',
  moderation: 'reports',
  signaturePolicy: production ? 'verified' : 'open',
  modules: Object.fromEntries(moduleNames.map((name) => [name, true])) as Modules,
});
