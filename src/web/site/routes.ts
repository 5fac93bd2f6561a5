import { Type, type Static, type TObject } from 'typebox';
import {
  isFormTokenOf,
  isFromOwnPage,
  tellsOrigin,
} from '../../identity/browser-sessions/browser-sessions.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import type { FormFile } from '../../platform/http/bodies.ts';
import {
  raw,
  redirectTo,
  route,
  type BodyType,
  type Call,
  type RawAnswer,
  type Route,
} from '../../platform/http/route.ts';
import type { WrittenPage } from '../../platform/http/written-page.ts';
import { asPage } from '../../platform/pages/failures.ts';
import { forbidden, notFound, Problem } from '../../platform/problems.ts';
import { failurePage } from './failures.ts';
import { formTokenField } from './form-token.ts';
import { actOnce } from './once.ts';
import { viewOf, type View, type Viewer } from './view.ts';

/** Who may open a page: whoever is logged in, or has that role, else anyone. */
type WebAccess = 'anyone' | 'user' | 'moderator' | 'admin';

/** A view by somebody who is logged in. */
export type OwnView = View & { viewer: Viewer };
type Viewed<A extends WebAccess> = A extends 'anyone' ? View : OwnView;

type Answer = RawAnswer | Promise<RawAnswer>;

interface Place<P extends TObject> {
  /** In camelCase; the name in logs and metrics. */
  id: string;
  path: string;
  params?: P;
}

interface WebPage<P extends TObject, A extends WebAccess> extends Place<P> {
  access: A;
  show(
    view: Viewed<A>,
    request: { params: Static<P>; query: Record<string, string> },
  ): Answer | WrittenPage | Promise<RawAnswer | WrittenPage>;
}

/** Fields of a form that was sent: of one that was sent several times, all its values. */
export type Fields = Record<string, string | string[] | FormFile | undefined>;

interface WebForm<P extends TObject, A extends WebAccess> extends Place<P> {
  access: A;
  /** It has files, none of which is larger than this, in bytes. */
  largestFile?: number;
  /** Sent twice, it is acted on once; the form has a `onceToken`. */
  once?: boolean;
  /** Does what the form asks, and leads on. */
  act(view: Viewed<A>, request: { params: Static<P>; fields: Fields }): Answer;
  /** Shows the form again, with what was typed and what is wrong with it; nothing where it cannot. */
  again?(
    view: Viewed<A>,
    request: { params: Static<P>; fields: Fields },
    problem: Problem,
  ): Answer | Promise<RawAnswer | undefined>;
}

const AnyQuery = Type.Object({}, { additionalProperties: true });
const AnyFields = Type.Object({}, { additionalProperties: true });

/** Declares pages and forms of the site, with what holds for all of them. */
export class Site {
  readonly sessions: Sessions;
  constructor(sessions: Sessions) {
    this.sessions = sessions;
  }

  /** A page. Failures are told as pages, in the language of who looks. */
  page<A extends WebAccess, P extends TObject = TObject<{}>>(definition: WebPage<P, A>): Route {
    return route({
      ...common(definition),
      method: 'GET',
      handle: (call) =>
        this.#answer(call, definition.access, (view) =>
          definition.show(view as Viewed<A>, {
            params: call.params,
            query: textsOf(call.query as Record<string, unknown>),
          }),
        ),
    });
  }

  /** What a form is sent to. It must come from a page of ours, given to the same browser. */
  form<A extends WebAccess, P extends TObject = TObject<{}>>(definition: WebForm<P, A>): Route {
    const { access, largestFile, once } = definition;
    const takes: BodyType = largestFile
      ? 'multipart/form-data'
      : 'application/x-www-form-urlencoded';
    return route({
      ...common(definition),
      method: 'POST',
      body: {
        schema: AnyFields,
        isOptional: true,
        types: [takes],
        ...(largestFile && { maxFileBytes: largestFile }),
      },
      handle: (call) =>
        this.#answer(call, access, async (someView) => {
          const view = someView as Viewed<A>;
          const fields = call.body as Fields;
          requireOwnForm(view, fields);
          const request = { params: call.params, fields };
          try {
            const act = (one: View) => definition.act(one as Viewed<A>, request);
            return await (once ? actOnce(view, fields, act) : act(view));
          } catch (error) {
            if (!(error instanceof Problem) || error.kind === 'not-found') throw error;
            const answer = await definition.again?.(view, request, error);
            if (!answer) throw error;
            setHeaders(call, error);
            return { status: error.status, ...answer };
          }
        }),
    });
  }

  /** Tells a failure as a page of the site, where no route does. */
  async showFailure(call: Call, problem: Problem): Promise<RawAnswer> {
    return failurePage(await viewOf(this.sessions, call), problem);
  }

  async #answer(
    call: Call<unknown>,
    access: WebAccess,
    work: (view: View) => Answer | WrittenPage | Promise<RawAnswer | WrittenPage>,
  ): Promise<RawAnswer | WrittenPage> {
    const view = await viewOf(this.sessions, call as Call);
    try {
      if (access !== 'anyone') {
        call.header('x-robots-tag', 'noindex');
        if (!view.viewer) return askToLogIn(view, call.method);
        requireRole(view.viewer, access);
      }
      return await work(view);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setHeaders(call, error);
      return failurePage(view, error);
    }
  }
}

function setHeaders({ header }: Pick<Call, 'header'>, problem: Problem): void {
  for (const [name, value] of Object.entries(problem.headers)) header(name, value);
}

const common = <P extends TObject>({ id, path, params }: Place<P>) => ({
  id,
  path,
  ...(params && { params }),
  summary: id,
  tag: 'Pages',
  page: true,
  auth: { access: 'anyone' as const, ignoresCredentials: true },
  query: AnyQuery,
  returns: raw('text/html'),
  failures: { format: asPage },
});

/** Leads to the login page, and from there back. */
function askToLogIn({ header, path }: View, method: string): RawAnswer {
  const next = method === 'GET' || method === 'HEAD' ? `?next=${encodeURIComponent(path)}` : '';
  return redirectTo(header, `/login${next}`, 303);
}

/** Pages of moderators are not there for others. */
function requireRole({ caller }: Viewer, access: WebAccess): void {
  if (access === 'user' || caller.role === 'admin' || caller.role === access) return;
  throw notFound('page');
}

/** @throws {Problem} forbidden where another site may have sent the form */
function requireOwnForm({ ctx, headers, browser }: View, fields: Fields): void {
  if (!isFromOwnPage(ctx, headers)) throw forbidden('This form was sent from another site.');
  // A page that was opened before its browser was known has no token. Nobody is logged in there, so that
  // its origin is enough.
  if (!browser || (!browser.userId && tellsOrigin(headers))) return;
  const token = fields[formTokenField];
  if (typeof token !== 'string' || !isFormTokenOf(ctx, browser, token)) {
    throw forbidden('This page is too old. Load it anew, and send the form again.', 'form_expired');
  }
}

/** Values of a query; of one that was given several times, the last. */
const textsOf = (query: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => {
      const text = Array.isArray(value) ? value.at(-1) : value;
      return typeof text === 'string' ? [[name, text]] : [];
    }),
  );

/** The text of a field, trimmed; empty where there is none. */
export function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value.trim() : '';
}

/** All values of a field that may be sent several times. */
export function textsIn(fields: Fields, name: string): string[] {
  const value = fields[name];
  const values = Array.isArray(value) ? value : [value];
  return values.filter((one): one is string => typeof one === 'string' && one !== '');
}
