import { Type, type Static } from 'typebox';
import { isPublished } from '../../campaigns/petitions/policy.ts';
import { showPetition } from '../../campaigns/petitions/read.ts';
import { PetitionRef, type Petition } from '../../campaigns/petitions/schema.ts';
import { networkOf, type Quota } from '../../platform/limits.ts';
import { invalidValue, notFound } from '../../platform/problems.ts';
import type { Slice } from '../../platform/slice.ts';
import { callerOf, type PageHandler, type Site, type View } from '../site/site.ts';
import { drawnSheet } from './drawing.ts';
import { sheetContentOf } from './sheet.ts';

const SlugRef = Type.Object({ slug: PetitionRef.properties.id });

/** Of a network. Drawing a sheet takes up to a second of CPU time. */
export const sheetQuota: Quota = { name: 'petition-sheet', points: 20, durationSeconds: 60 };

const maxPages = 5;

/** A sheet on which signatures are collected on paper. */
export const petitionSheetSlice = (site: Site): Slice => ({
  routes: site.page({
    id: 'downloadPetitionSheet',
    path: '/p/{slug}/sheet.pdf',
    closedToCrawlers: true,
    access: 'anyone',
    params: SlugRef,
    show: sheetFile,
  }),
});

const sheetFile: PageHandler<Static<typeof SlugRef>, View> = async (view, { params, query }) => {
  const { ctx, header, ip } = view;
  const caller = callerOf(view);
  const { access_code: code } = query;
  const pages = pagesAsked(query.pages);
  const petition = await showPetition(ctx, caller, params.slug, code);
  if (hasEnded(petition)) throw notFound('sheet');
  const content = await sheetContentOf(ctx, petition, { caller, code, pages });
  const { pdf, etag } = await drawnSheet(content, () =>
    ctx.limits.take(sheetQuota, networkOf(ip), 'Too many sheets in a minute.'),
  );
  const isForAll = isPublished(petition) && petition.visibility !== 'private';
  header('cache-control', isForAll ? 'public, max-age=300' : 'private, no-store');
  header('content-disposition', `inline; filename="${petition.slug}.pdf"`);
  return { mediaType: 'application/pdf', body: pdf, etag };
};

/** Nobody can sign any more, so there is nothing to collect. */
const hasEnded = (petition: Petition) => isPublished(petition) && petition.status !== 'active';

/** @throws {Problem} validation-failed */
function pagesAsked(text: string | undefined): number {
  if (text === undefined) return 1;
  const pages = /^[1-9]$/.test(text) ? Number(text) : Infinity;
  if (pages > maxPages) throw invalidValue('pages', `Choose from 1 to ${maxPages}.`);
  return pages;
}
