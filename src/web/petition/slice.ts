import { Type } from 'typebox';
import { encodeQR } from 'qr';
import { raw, route } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/http/schema.ts';
import { isLanguage } from '../../platform/pages/language.ts';
import { asPage } from '../../platform/pages/failures.ts';
import type { Slice } from '../../platform/slice.ts';
import { readablePetition, type NoteRead } from '../../campaigns/petitions/read.ts';
import { PetitionRef } from '../../campaigns/petitions/schema.ts';
import { pageUrl } from '../../reach/embeds/embeds.ts';
import { callerOf, type Site } from '../site/site.ts';
import { cardOf } from './card.ts';
import {
  commentAgain,
  commentFromForm,
  deleteFromForm,
  editFromForm,
  reportFromForm,
  reportPage,
} from './discussing.ts';
import { commentsPage, newsPage, threadPage, victoryPage } from './lists.ts';
import { readPetition } from './reading.ts';
import { shareOn } from './sharing.ts';
import {
  confirmAgain,
  confirmFromForm,
  confirmPage,
  signAgain,
  signFromForm,
  withdrawFromForm,
  type Signing,
} from './signing.ts';

const params = Type.Object({ slug: PetitionRef.properties.id });
const named = Type.Object({ slug: PetitionRef.properties.id, id: Uuid });

export const petitionPagesSlice = (
  site: Site,
  { noteRead, ...signing }: Signing & { noteRead: NoteRead },
): Slice => ({
  routes: [
    ...site.page({
      id: 'showPetition',
      path: '/p/{slug}',
      access: 'anyone',
      params,
      show: (view, { params: { slug }, query }) =>
        readPetition(view, slug, query, (petition) =>
          noteRead(petition, { ...view, caller: callerOf(view), query }),
        ),
    }),
    ...site.page({
      id: 'showPetitionNews',
      path: '/p/{slug}/updates',
      access: 'anyone',
      params,
      show: (view, request) => newsPage(view, request.params.slug, request.query),
    }),
    ...site.page({
      id: 'showVictory',
      path: '/p/{slug}/victory',
      access: 'anyone',
      params,
      show: (view, request) => victoryPage(view, request.params.slug, request.query),
    }),
    site.form({
      id: 'submitSignature',
      path: '/p/{slug}/sign',
      access: 'anyone',
      params,
      act: (view, request) => signFromForm(signing, view, request.params.slug, request.fields),
      again: (view, request, problem) =>
        signAgain(view, request.params.slug, request.fields, problem),
    }),
    site.form({
      id: 'submitWithdrawal',
      path: '/p/{slug}/withdraw',
      access: 'user',
      params,
      act: (view, request) => withdrawFromForm(view, request.params.slug, request.fields),
    }),
    ...site.page({
      id: 'showConfirmation',
      path: '/p/{slug}/confirm',
      access: 'anyone',
      params,
      show: (view, request) => confirmPage(view, request.params.slug, request.query),
    }),
    site.form({
      id: 'submitConfirmation',
      path: '/p/{slug}/confirm',
      access: 'anyone',
      params,
      act: (view, request) => confirmFromForm(signing, view, request.params.slug, request.fields),
      again: (view, request, problem) =>
        confirmAgain(view, request.params.slug, request.fields, problem),
    }),
    ...site.page({
      id: 'showPetitionComments',
      path: '/p/{slug}/comments',
      access: 'anyone',
      params,
      show: (view, request) => commentsPage(view, request.params.slug, request.query),
    }),
    site.form({
      id: 'submitComment',
      path: '/p/{slug}/comments',
      access: 'user',
      once: true,
      params,
      act: (view, request) => commentFromForm(view, request.params.slug, request.fields),
      again: (view, request, problem) =>
        commentAgain(view, 'comments', request.params.slug, request.fields, problem),
    }),
    ...site.page({
      id: 'showThread',
      path: '/p/{slug}/comments/{id}',
      access: 'anyone',
      params: named,
      show: (view, request) => threadPage(view, request.params, request.query),
    }),
    site.form({
      id: 'submitCommentChange',
      path: '/p/{slug}/comments/{id}',
      access: 'user',
      params: named,
      act: (view, request) => editFromForm(view, request.params, request.fields),
      again: (view, { params: { slug, id }, fields }, problem) =>
        commentAgain(view, `comments/${id}`, slug, fields, problem),
    }),
    site.form({
      id: 'submitCommentDeletion',
      path: '/p/{slug}/comments/{id}/delete',
      access: 'user',
      params: named,
      act: (view, request) => deleteFromForm(view, request.params, request.fields),
    }),
    ...site.page({
      id: 'showReportForm',
      path: '/p/{slug}/report',
      access: 'user',
      params,
      show: (view, request) => reportPage(view, request.params.slug, { values: request.query }),
    }),
    site.form({
      id: 'submitReport',
      path: '/p/{slug}/report',
      access: 'user',
      params,
      act: (view, request) => reportFromForm(view, request.params.slug, request.fields),
      again: (view, request, problem) =>
        reportPage(view, request.params.slug, { values: request.fields, problem }),
    }),
    ...site.page({
      id: 'sharePetitionElsewhere',
      path: '/p/{slug}/share/{place}',
      access: 'user',
      params: Type.Object({ slug: PetitionRef.properties.id, place: Type.String() }),
      show: (view, request) => shareOn(view, request.params),
    }),
    route({
      id: 'showPetitionCode',
      method: 'GET',
      path: '/p/{slug}/qr.svg',
      summary: 'A QR code that leads to the page of a petition',
      tag: 'Pages',
      page: true,
      auth: { access: 'anyone', ignoresCredentials: true },
      params,
      returns: raw('image/svg+xml'),
      problems: ['forbidden', 'not-found'],
      failures: { format: asPage },
      handle: async ({ ctx, params: { slug: ref }, header }) => {
        const { slug } = await readablePetition(ctx, null, ref, undefined);
        header('cache-control', 'public, max-age=86400');
        const body = encodeQR(pageUrl(ctx.config, slug), 'svg', { ecc: 'medium', border: 4 });
        return { mediaType: 'image/svg+xml', body };
      },
    }),
    route({
      id: 'showPetitionCard',
      method: 'GET',
      path: '/p/{slug}/card.png',
      summary: 'The picture by which a petition is shown where its link is shared',
      tag: 'Pages',
      page: true,
      auth: { access: 'anyone', ignoresCredentials: true },
      params,
      query: Type.Object({ lang: Type.Optional(Type.String({ maxLength: 10 })) }),
      returns: raw('image/png'),
      problems: ['forbidden', 'not-found'],
      failures: { format: asPage },
      handle: async ({ ctx, params: { slug }, query: { lang }, headers, header }) => {
        const petition = await readablePetition(ctx, null, slug, undefined);
        const { png, etag } = await cardOf(petition, isLanguage(lang) ? lang : 'en');
        header('cache-control', 'public, max-age=300');
        header('etag', etag);
        const isHeld = headers['if-none-match'] === etag;
        return { mediaType: 'image/png', ...(isHeld ? { status: 304, body: '' } : { body: png }) };
      },
    }),
  ],
});
