import {
  getSummaryOfLink,
  markPortalOpened,
  previewResponse,
  readPortal,
  submitResponse,
} from '../../campaigns/decision-makers/decision-makers.ts';
import {
  Portal,
  RenderedResponse,
  ResponseInput,
  ResponsePreview,
  TokenRef,
} from '../../campaigns/decision-makers/schema.ts';
import { nothing, one, raw, routes, type Call, type Route } from '../../platform/http/route.ts';
import { portalPages, previewPages, responsePages } from './portal-page.ts';

const api = routes('Decision makers');

/** The link is the only credential. */
const common = {
  auth: { access: 'anyone', ignoresCredentials: true },
  params: TokenRef,
} as const;

const body = {
  schema: ResponseInput,
  types: ['application/json', 'application/x-www-form-urlencoded'],
  example: { body: 'The council will light the path from May on.', status: 'supportive' },
} as const;

export const portalRoutes: Route[] = [
  api.get('/respond/{token}', {
    ...common,
    closedToCrawlers: true,
    id: 'openPortal',
    summary: 'The petition, for the decision maker to whom the link was mailed',
    description:
      'The link is a page where JSON is not asked for. Reading it does not mark it as opened, since mail scanners read it too.',
    returns: one(Portal),
    pages: portalPages,
    problems: ['not-found', 'gone'],
    handle({ ctx, params, header }) {
      forbidCaching(header);
      return readPortal(ctx, params.token);
    },
  }),
  api.post('/respond/{token}/opened', {
    ...common,
    id: 'markPortalOpened',
    summary: 'Report that the decision maker sees the petition',
    description:
      'The page of the link sends it once it was visible for 2 seconds. Only the first call sets `opened_at`. Sending or previewing a response sets it too.',
    returns: nothing(),
    problems: ['not-found', 'gone'],
    handle: ({ ctx, params }) => markPortalOpened(ctx, params.token),
  }),
  api.get('/respond/{token}/summary', {
    ...common,
    closedToCrawlers: true,
    id: 'getSummaryOfPortal',
    summary: 'The summary of the signatures, as it was attached to the mail',
    description:
      'A PDF or a CSV table with the numbers as they are now; 404 where the mail had none. At most 10 a minute for a link.',
    returns: raw('application/pdf', 'text/csv'),
    problems: ['not-found', 'gone'],
    async handle({ ctx, params, header }) {
      const file = await getSummaryOfLink(ctx, params.token);
      header('content-disposition', `attachment; filename="${file.filename}"`);
      forbidCaching(header);
      return { mediaType: file.contentType, body: file.content };
    },
  }),
  api.post('/respond/{token}/preview', {
    ...common,
    id: 'previewResponse',
    summary: 'See a response as it would be shown, before it is sent',
    description:
      'Checks the same as sending it, and stores nothing but that the link was opened. It can be called as often as needed.',
    body,
    returns: one(ResponsePreview),
    pages: previewPages,
    problems: ['not-found', 'gone', 'conflict'],
    handle({ ctx, params, body: input, header }) {
      forbidCaching(header);
      return previewResponse(ctx, params.token, input);
    },
  }),
  api.post('/respond/{token}', {
    ...common,
    id: 'respond',
    summary: 'Respond to the petition, once by each link',
    description:
      'With the token of the mail, without an account. The creator may publish the response; nothing can be changed afterwards.',
    body,
    returns: one(RenderedResponse, 201),
    pages: responsePages,
    problems: ['not-found', 'gone', 'conflict'],
    handle({ ctx, params, body: input, header }) {
      forbidCaching(header);
      return submitResponse(ctx, params.token, input);
    },
  }),
];

/** The answers are for the holder of the link only. */
const forbidCaching = (header: Call['header']) => header('cache-control', 'no-store');
