import { retentionSeconds } from './retention.ts';

const yearSeconds = 365 * 86_400;

/**
 * Every cookie of the pages: its name and how long browsers keep it, in seconds. The page on privacy lists each
 * (`cookie_…` in locales/<language>/own-pages.json).
 */
export const cookies = {
  /** The login; until the browser is closed for visitors without one, whose forms it protects. */
  login: { name: 'petitions', seconds: retentionSeconds('unused_sessions') },
  /** Accounts that logged in with the browser. */
  known_browser: { name: 'petitions-known-browser', seconds: yearSeconds },
  /** Accounts that were registered with the browser. */
  registration: { name: 'petitions-registration', seconds: retentionSeconds('unused_sessions') },
  /** The language that a visitor chose. */
  language: { name: 'language', seconds: yearSeconds },
  /** What a form has just done; long enough for the redirect. */
  outcome: { name: 'outcome', seconds: 60 },
  /** A form that was sent without a login. */
  kept_form: { name: 'kept_form', seconds: retentionSeconds('kept_forms') },
  /** Petitions that are written without an account. */
  drafts: { name: 'drafts', seconds: retentionSeconds('anonymous_drafts') },
} as const;

export type CookieId = keyof typeof cookies;

// The prefix keeps other hosts from setting it; browsers accept it over https only (RFC 6265bis).
export const hostCookiePrefix = '__Host-';
