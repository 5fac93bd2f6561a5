import { raw, route, type Route } from '../../platform/http/route.ts';

/** Redirects from addresses below /desk, where the dashboard was; mails and bookmarks still have them. */
export const redirectRoutes = (): Route[] =>
  (['GET', 'POST'] as const).flatMap((method) =>
    ['/desk', '/desk/*'].map((path) =>
      route({
        id: `redirect${path === '/desk' ? 'Dashboard' : 'DashboardPage'}Of${method === 'GET' ? 'Get' : 'Post'}`,
        method,
        path,
        summary: 'Redirect to the dashboard',
        tag: 'Pages',
        page: true,
        auth: { access: 'anyone', ignoresCredentials: true },
        ...(method === 'POST' && { body: { types: ['*/*'], isOptional: true } }),
        returns: raw(),
        handle({ url, header }) {
          header('location', url.replace('/desk', '/dashboard'));
          // 308 keeps the method and body of forms on pages that were opened before.
          return { status: 308, mediaType: 'text/plain', body: '' };
        },
      }),
    ),
  );
