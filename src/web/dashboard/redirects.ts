import { raw, routes, type Route } from '../../platform/http/route.ts';

const api = routes('Pages');

/** Redirects from addresses below /desk, where the dashboard was; mails and bookmarks still have them. */
export const redirectRoutes = (): Route[] =>
  (['get', 'post'] as const).flatMap((method) =>
    ['/desk', '/desk/*'].map((path) =>
      api[method](path, {
        id: `redirect${path === '/desk' ? 'Dashboard' : 'DashboardPage'}Of${method === 'get' ? 'Get' : 'Post'}`,
        summary: 'Redirect to the dashboard',
        page: true,
        auth: { access: 'anyone', ignoresCredentials: true },
        ...(method === 'post' && { body: { types: ['*/*'], isOptional: true } }),
        returns: raw(),
        handle({ url, header }) {
          header('location', url.replace('/desk', '/dashboard'));
          // 308 keeps the method and body of forms on pages that were opened before.
          return { status: 308, mediaType: 'text/plain', body: '' };
        },
      }),
    ),
  );
