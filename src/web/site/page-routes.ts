import { Type, type Static, type TObject } from 'typebox';
import {
  isFormTokenOf,
  isFromOwnPage,
  hasOrigin,
} from '../../identity/browser-sessions/browser-sessions.ts';
import type { Sessions } from '../../identity/sessions/sessions.ts';
import { isClosedToCrawlers } from '../../platform/http/robots.ts';
import type { FormFile } from '../../platform/http/bodies.ts';
import {
  raw,
  redirectTo,
  routes,
  type BodyType,
  type Call,
  type RawAnswer,
  type Route,
} from '../../platform/http/route.ts';
import { RenderedPage } from '../../platform/http/rendered-page.ts';
import type { ModuleName } from '../../platform/site/profile.ts';
import { asPage } from '../../platform/pages/problem-pages.ts';
import { forbidden, notFound, Problem } from '../../platform/problems.ts';
import { failurePage } from './failure-page.ts';
import { formTokenField } from './form-token.ts';
import { continuePath, forgetSentForm, keepForm, notSentYet, openKeptForm } from './kept-forms.ts';
import { actOnce } from './once.ts';
import { takeOutcome, withoutOutcome } from './outcome.ts';
import { unsealRefused } from './refused-form.ts';
import { viewOf, type View, type Viewer } from './view.ts';

/** Who may open a page: anyone, users who are logged in, or those of that role. */
type WebAccess = 'anyone' | 'user' | 'moderator' | 'admin';

/** A view by a user who is logged in. */
export type OwnView = View & { viewer: Viewer };

export const isOwnView = (view: View): view is OwnView => view.viewer !== null;

type Viewed<A extends WebAccess> = A extends 'anyone' ? View : OwnView;

/** A page; or the address that the browser is redirected to. */
type Answer = RawAnswer | string;
type PageAnswer = Answer | RenderedPage;

/** Fields of a submitted form; a field that was sent several times has all its values. */
export type Fields = Record<string, string | string[] | FormFile | undefined>;

/** A form that was refused, with its input and the reason. */
interface RefusedForm {
  /** As the page declares it. */
  name: string;
  values: Fields;
  problem: Problem;
}

/** A request to show a page: from a link, or since one of its forms was refused. */
export interface PageRequest<P = {}> {
  params: P;
  query: Record<string, string>;
  refused?: RefusedForm | undefined;
}

export interface FormRequest<P = {}> {
  params: P;
  fields: Fields;
}

interface FormOptions {
  /** The form has files, none of which is larger than this, in bytes. */
  largestFile?: number;
  /** A form that is submitted twice acts once; it has a `onceToken`. */
  once?: boolean;
  /**
   * The form changes nothing, and its answer depends on nothing but its fields. It has no token, so that pages without
   * one, and those from before a login, can send it.
   */
  changesNothing?: boolean;
}

interface Endpoint<P extends TObject, A extends WebAccess> {
  /** In camelCase; the name in logs and metrics. */
  id: string;
  path: string;
  params?: P;
  access: A;
  /** Of a part that operators can switch off: the page is 404 then. */
  module?: ModuleName | undefined;
}

/** Shows a page. */
export type PageHandler<P = {}, V extends View = OwnView> = (
  view: V,
  request: PageRequest<P>,
) => PageAnswer | Promise<PageAnswer>;

/** Does what a form asks for; returns the address to redirect to, or a page. */
export type FormHandler<P = {}, V extends View = OwnView> = (
  view: V,
  request: FormRequest<P>,
) => Answer | Promise<Answer>;

/** A form on a page. */
interface PageForm<P extends TObject, A extends WebAccess> extends FormOptions {
  id: string;
  /** Where it is sent, below the path of the page; the same path unless given. */
  at?: string;
  /** Where it is sent if that is not below the path of the page; it has the same parameters. */
  path?: string;
  /** That of the page unless given. */
  module?: ModuleName;
  act: FormHandler<Static<P>, Viewed<A>>;
}

interface WebPage<P extends TObject, A extends WebAccess> extends Endpoint<P, A> {
  /**
   * Crawlers are kept out of the page, or of its addresses with one of these query parameters: the links there have
   * rel=nofollow. Pages that need a login are closed anyway.
   */
  closedToCrawlers?: true | readonly string[];
  show: PageHandler<Static<P>, Viewed<A>>;
  /** Forms that the page shows again, with the input and what is wrong with it, where they are refused. */
  forms?: Record<string, PageForm<P, A>>;
  /** Buttons: forms without fields, whose failures are pages of their own. */
  buttons?: (PageForm<P, A> & ({ at: string } | { path: string }))[];
}

interface WebForm<P extends TObject, A extends WebAccess> extends Endpoint<P, A>, FormOptions {
  act: FormHandler<Static<P>, Viewed<A>>;
  /** Shows the form again, with the input and what is wrong with it; undefined where it cannot. */
  showAgain?(
    view: Viewed<A>,
    request: PageRequest<Static<P>>,
  ): PageAnswer | undefined | Promise<PageAnswer | undefined>;
}

const api = routes('Pages');

const AnyQuery = Type.Object({}, { additionalProperties: true });
const AnyFields = Type.Object({}, { additionalProperties: true });

/** Declares pages and forms of the site, with what all of them have in common. */
export class Site {
  readonly sessions: Sessions;
  /** Forms that can be shown again after a login, by the names of their routes. */
  readonly #keepable = new Map<string, WebForm<TObject, 'user'>>();

  constructor(sessions: Sessions) {
    this.sessions = sessions;
  }

  /** A page with its forms and buttons. Failures are pages too, in the language of the viewer. */
  page<A extends WebAccess, P extends TObject = TObject<{}>>(definition: WebPage<P, A>): Route[] {
    const { id, path, params, access, module, show, closedToCrawlers } = definition;
    const { forms = {}, buttons = [] } = definition;
    const endpoint = { access, module, ...(params && { params }) };
    const pathOfForm = (form: { at?: string; path?: string }) =>
      form.path ?? path + (form.at ?? '');
    return [
      this.#get({ ...endpoint, id, path, show, ...(closedToCrawlers && { closedToCrawlers }) }),
      ...Object.entries(forms).map(([name, form]) =>
        this.form({
          ...endpoint,
          ...form,
          path: pathOfForm(form),
          showAgain: (view, { params: values, query, refused }) =>
            show(view, { params: values, query, refused: refused && { ...refused, name } }),
        }),
      ),
      ...buttons.map((button) => this.form({ ...endpoint, ...button, path: pathOfForm(button) })),
    ];
  }

  #get<A extends WebAccess, P extends TObject>({ show, ...endpoint }: WebPage<P, A>): Route {
    const closedToCrawlers = endpoint.access === 'anyone' ? endpoint.closedToCrawlers : true;
    return api.get(endpoint.path, {
      ...common(endpoint),
      closedToCrawlers,
      handle: (call) => {
        if (isClosedToCrawlers(closedToCrawlers, call.query)) {
          call.header('x-robots-tag', 'noindex');
        }
        return this.#answer(call, endpoint.access, (view) =>
          show(view as Viewed<A>, {
            params: call.params,
            query: {
              ...withoutOutcome(textsOf(call.query as Record<string, unknown>)),
              ...view.outcome,
            },
          }),
        );
      },
    });
  }

  /** A form that is on several pages or has none. It must come from a page of ours, given to the same browser. */
  form<A extends WebAccess, P extends TObject = TObject<{}>>(definition: WebForm<P, A>): Route {
    const { access, largestFile, once, changesNothing = false } = definition;
    const takes: BodyType = largestFile
      ? 'multipart/form-data'
      : 'application/x-www-form-urlencoded';
    if (definition.showAgain) {
      this.#keepable.set(definition.id, definition as unknown as WebForm<TObject, 'user'>);
    }
    return api.post(definition.path, {
      ...common(definition),
      body: {
        schema: AnyFields,
        isOptional: true,
        types: [takes],
        ...(largestFile && { maxFileBytes: largestFile }),
      },
      handle: (call) =>
        this.#answer(
          call,
          access,
          async (someView) => {
            const view = someView as Viewed<A>;
            const { params } = call;
            const fields = call.body as Fields;
            if (changesNothing) requireOwnPage(view);
            else requireOwnForm(view, fields);
            const showAgain = (values: Fields, problem: Problem) =>
              showRefused(definition, { view, call, values, problem });
            const carried = definition.showAgain && unsealRefused(view.ctx, fields);
            if (carried) return showAgain(carried.values as Fields, carried.problem);
            try {
              const act = async (one: View) =>
                redirectIfAddress(one, await definition.act(one as Viewed<A>, { params, fields }));
              const answer = await (once ? actOnce(view, fields, act) : act(view));
              if (definition.showAgain && view.viewer) await forgetSentForm(view);
              return answer;
            } catch (error) {
              if (!(error instanceof Problem) || error.kind === 'not-found') throw error;
              if (isLoginNeeded(error)) throw error;
              return showAgain(fields, error);
            }
          },
          (view) => {
            const fields = call.body as Fields;
            requireOwnForm(view, fields);
            return this.#askToLogIn(view, definition.id, { params: call.params, fields });
          },
        ),
    });
  }

  /** Redirects to the login page, which leads back to the form with what was typed. */
  async #askToLogIn(
    view: View,
    form: string,
    { params, fields }: FormRequest<unknown>,
  ): Promise<string> {
    const isKept =
      this.#keepable.has(form) && (await keepForm(view, { form, params, values: fields }));
    return isKept ? loginPath(continuePath) : '/login';
  }

  /** Shows a form again that was sent without a login. */
  continueForm(): Route {
    const access = 'user';
    return api.get(continuePath, {
      ...common({ id: 'continueForm', path: continuePath, access }),
      closedToCrawlers: true,
      handle: (call) =>
        this.#answer(call, access, async (someView) => {
          const kept = await openKeptForm(someView as OwnView);
          const form = kept && this.#keepable.get(kept.form);
          if (!form || isOff(someView, form)) return '/';
          const { path, params, values } = kept;
          const view = { ...(someView as OwnView), path };
          requireRole(view.viewer, form.access);
          const again = { call: { ...call, params: params as {} }, values: values as Fields };
          const page = await showRefused(form, { view, ...again, problem: notSentYet() });
          return page instanceof RenderedPage ? page : { ...page, status: 200 };
        }),
    });
  }

  /** Shows a failure as a page of the site, where no route does. */
  async showFailure(call: Call, problem: Problem): Promise<RawAnswer> {
    return failurePage(await viewOf(this.sessions, call), problem);
  }

  async #answer(
    call: Call<unknown>,
    access: WebAccess,
    work: (view: View) => PageAnswer | Promise<PageAnswer>,
    askToLogIn: (view: View) => string | Promise<string> = ({ path }) => loginPath(path),
  ): Promise<RawAnswer | RenderedPage> {
    const view = await viewOf(this.sessions, call as Call);
    try {
      if (access !== 'anyone') {
        if (!view.viewer) return redirectIfAddress(view, await askToLogIn(view));
        requireRole(view.viewer, access);
      }
      return redirectIfAddress(view, await work(view));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (isLoginNeeded(error)) return redirectIfAddress(view, await askToLogIn(view));
      setHeaders(call, error);
      return failurePage(view, error);
    }
  }
}

interface Refusal<P extends TObject, A extends WebAccess> {
  view: Viewed<A>;
  call: Pick<Call<Static<P>>, 'params' | 'header'>;
  values: Fields;
  problem: Problem;
}

/**
 * Shows a refused form again, with its input and what is wrong with it.
 * @throws {Problem} its problem, where it cannot be shown again
 */
async function showRefused<P extends TObject, A extends WebAccess>(
  form: WebForm<P, A>,
  { view, call, values, problem }: Refusal<P, A>,
): Promise<RawAnswer | RenderedPage> {
  const refused = { name: '', values, problem };
  // Files are not kept, so the language form of their pages carries nothing.
  const again = form.largestFile ? view : { ...view, refused };
  const answer = await form.showAgain?.(again, { params: call.params, query: {}, refused });
  if (!answer) throw problem;
  setHeaders(call, problem);
  const page = redirectIfAddress(view, answer);
  return page instanceof RenderedPage ? page : { status: problem.status, ...page };
}

/** Turns an address into a redirect by GET; other answers stay. */
const redirectIfAddress = <T extends RawAnswer | RenderedPage>(
  view: View,
  answer: T | string,
): T | RawAnswer =>
  typeof answer === 'string' ? redirectTo(view.header, takeOutcome(answer, view), 303) : answer;

function setHeaders({ header }: Pick<Call, 'header'>, problem: Problem): void {
  for (const [name, value] of Object.entries(problem.headers)) header(name, value);
}

/** Whether a page or form is of a part that is switched off. */
const isOff = ({ ctx }: View, { module }: { module?: ModuleName | undefined }): boolean =>
  module !== undefined && !ctx.site.current.modules[module];

const common = <P extends TObject>({ id, params, module }: Endpoint<P, WebAccess>) => ({
  id,
  module,
  ...(params && { params }),
  summary: id,
  page: true,
  auth: { access: 'anyone' as const, ignoresCredentials: true },
  query: AnyQuery,
  returns: raw('text/html'),
  failures: { format: asPage },
});

/** The login page, which leads to that path. */
const loginPath = (next: string): string => `/login?next=${encodeURIComponent(next)}`;

const neededCode = 'login_needed';

/** Thrown by pages and forms that anyone may open, where this one needs a login: what was typed comes back after it. */
export const loginNeeded = (): Problem =>
  new Problem('unauthorized', 'Log in to go on.', { localCode: neededCode });

const isLoginNeeded = ({ localCode }: Problem): boolean => localCode === neededCode;

/** Others get 404 for the pages of moderators. */
function requireRole({ caller }: Viewer, access: WebAccess): void {
  if (access === 'anyone' || access === 'user' || caller.role === 'admin' || caller.role === access)
    return;
  throw notFound('page');
}

/** @throws {Problem} forbidden where another site has sent the form */
function requireOwnPage({ ctx, headers }: View): void {
  if (!isFromOwnPage(ctx, headers)) throw forbidden('This form was sent from another site.');
}

/** @throws {Problem} forbidden where another site may have sent the form */
function requireOwnForm(view: View, fields: Fields): void {
  const { ctx, headers, browser } = view;
  requireOwnPage(view);
  // A page that was opened before its browser was known has no token. It has no login either, so that its origin is
  // enough.
  if (!browser || (!browser.userId && hasOrigin(headers))) return;
  const token = fields[formTokenField];
  if (typeof token !== 'string' || !isFormTokenOf(ctx, browser, token)) {
    throw new Problem('forbidden', 'This page is too old. Load it again, and send the form then.', {
      localCode: 'form_expired',
    });
  }
}

/** Values of a query; the last of those that were given several times. */
const textsOf = (query: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => {
      const text = Array.isArray(value) ? value.at(-1) : value;
      return typeof text === 'string' ? [[name, text]] : [];
    }),
  );

/** The text of a field, trimmed; empty where it is missing. */
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
