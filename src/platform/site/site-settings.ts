import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import type { Db } from '../db.ts';
import { isLanguage, languages, type Language } from '../pages/language.ts';
import { PeriodicReader } from '../periodic-reader.ts';
import { sitePageNames, type SitePageName, type WrittenPages } from './pages.ts';
import { defaultProfile, type Logo, type Modules, type SiteProfile } from './profile.ts';

const readIntervalMs = 500;

/** What can be set, as it is stored; the names are those of the API. */
export interface StoredSettings {
  name: string;
  tagline: string;
  accent: string;
  logo: Logo;
  languages: string[];
  default_language: string;
  contact_email: string;
  mail_from_name: string;
  mail_reply_to: string;
  signup: SiteProfile['signup'];
  moderation: SiteProfile['moderation'];
  signature_policy: SiteProfile['signaturePolicy'];
  modules: Partial<Modules>;
}
export type SettingName = keyof StoredSettings;

/** New values of settings; null is what the service does by itself. */
export type SettingChanges = { [K in SettingName]?: StoredSettings[K] | null | undefined };

interface SiteSettingsOptions {
  db: Db;
  config: Pick<Config, 'production' | 'moderation' | 'signaturePolicy' | 'mail'>;
  log: Logger;
}

/** Knows the settings of the site: every process sees a change within a second, without a query per request. */
export class SiteSettings {
  #options: SiteSettingsOptions;
  #stored: Partial<StoredSettings> = {};
  #current: SiteProfile;
  #writtenPages: WrittenPages = new Map();
  #text = '[{},[]]';
  #listeners: (() => void)[] = [];
  #reader: PeriodicReader;

  constructor(options: SiteSettingsOptions) {
    this.#options = options;
    this.#current = this.profileOf({});
    this.#reader = new PeriodicReader({
      log: options.log,
      subject: 'the settings of the site',
      intervalMs: readIntervalMs,
      read: () => this.#read(),
    });
  }

  get current(): SiteProfile {
    return this.#current;
  }

  /** Pages of the site that administrators wrote. */
  get writtenPages(): WrittenPages {
    return this.#writtenPages;
  }

  /** Settings that an environment variable fixes. */
  get fixed(): Partial<StoredSettings> {
    const { config } = this.#options;
    return withoutUndefined({
      moderation: config.moderation,
      signature_policy: config.signaturePolicy,
      mail_from_name: config.mail.from.name,
      mail_reply_to: config.mail.replyTo,
    });
  }

  /** The site as it would be with these settings. */
  preview(changes: SettingChanges): SiteProfile {
    return this.profileOf({ ...this.#stored, ...changes });
  }

  /** Called after each change, whichever process made it. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async start(): Promise<void> {
    await this.refresh();
    this.#reader.start();
  }

  stop(): void {
    this.#reader.stop();
  }

  /** Reads the settings now. */
  refresh(): Promise<void> {
    return this.#reader.refresh();
  }

  async #read(): Promise<void> {
    const rows = await this.#options.db<{ name: SettingName; value: never }[]>`
      select name, value from site_settings order by name`;
    const stored: Partial<StoredSettings> = Object.fromEntries(
      rows.map(({ name, value }) => [name, value]),
    );
    const pages = await this.#options.db<PageRow[]>`
      select distinct on (page, language) page, language, version, title is not null as is_written
      from site_pages
      order by page, language, version desc`;
    const text = JSON.stringify([stored, pages]);
    if (text === this.#text) return;
    this.#text = text;
    this.#stored = stored;
    this.#writtenPages = writtenPagesOf(pages);
    this.#current = this.profileOf(stored);
    for (const listener of this.#listeners) listener();
  }

  /** The site with these settings, and those that environment variables fix. */
  profileOf(settings: SettingChanges): SiteProfile {
    const unset = defaultProfile(this.#options.config.production);
    const set = { ...withoutNull(settings), ...this.fixed };
    // A language may have left the service since it was chosen.
    const chosen = languages.filter((one) => set.languages?.includes(one) ?? true);
    const offered = chosen.length > 0 ? chosen : languages;
    const { default_language: wanted = unset.defaultLanguage } = set;
    const isOffered = isLanguage(wanted) && offered.includes(wanted);
    return {
      name: set.name ?? unset.name,
      tagline: set.tagline ?? null,
      accent: set.accent ?? unset.accent,
      logo: set.logo ?? null,
      languages: offered,
      defaultLanguage: isOffered ? wanted : offered[0]!,
      contactEmail: set.contact_email ?? null,
      mailFromName: set.mail_from_name ?? null,
      mailReplyTo: set.mail_reply_to ?? null,
      signup: set.signup ?? unset.signup,
      moderation: set.moderation ?? unset.moderation,
      signaturePolicy: set.signature_policy ?? unset.signaturePolicy,
      modules: { ...unset.modules, ...set.modules },
    };
  }
}

interface PageRow {
  page: string;
  language: string;
  version: number;
  is_written: boolean;
}

function writtenPagesOf(rows: PageRow[]): WrittenPages {
  const pages = new Map<SitePageName, Map<Language, number>>();
  for (const { page, language, version, is_written: isWritten } of rows) {
    const name = sitePageNames.find((one) => one === page);
    if (!name || !isWritten || !isLanguage(language)) continue;
    pages.set(name, (pages.get(name) ?? new Map<Language, number>()).set(language, version));
  }
  return pages;
}

const withoutUndefined = <T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;

const withoutNull = (values: object): Partial<StoredSettings> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined),
  );
