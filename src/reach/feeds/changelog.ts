import { readFileSync } from 'node:fs';
import { toAtom } from './atom.ts';

const file = new URL('../../../CHANGELOG.md', import.meta.url);

interface Release {
  version: string;
  releasedAt: Date;
  /** In Markdown. */
  changes: string;
}

/** The releases of a changelog in the format of Keep a Changelog, newest first. What is not released has no date. */
export const releasesOf = (changelog: string): Release[] =>
  changelog
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const [, version, day] = /^\[?([\w.-]+)\]? - (\d{4}-\d\d-\d\d)$/m.exec(section) ?? [];
      if (version === undefined) return [];
      const changes = section.slice(section.indexOf('\n')).trim();
      return [{ version, releasedAt: new Date(`${day}T00:00:00Z`), changes }];
    });

const releases = releasesOf(readFileSync(file, 'utf8'));

/** The releases of the software as Atom. An entry has all changes of one. */
export const changelogFeed = (baseUrl: string, siteName: string): string =>
  toAtom({
    url: `${baseUrl}/changelog.atom`,
    title: `${siteName}: changes of the software and its API`,
    language: 'en',
    author: siteName,
    entries: releases.map(({ version, releasedAt, changes }) => ({
      id: `${baseUrl}/changelog.atom#${version}`,
      title: version,
      language: 'en',
      url: `${baseUrl}/docs`,
      author: siteName,
      category: null,
      publishedAt: releasedAt,
      updatedAt: releasedAt,
      summary: changes,
    })),
  });
