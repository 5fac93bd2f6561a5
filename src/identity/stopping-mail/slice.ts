import { Type } from 'typebox';
import { html } from '../../platform/html.ts';
import { raw, routes, type Call, type RawAnswer } from '../../platform/http/route.ts';
import { isStopped, setStopped } from '../../platform/mail-suppressions.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { languageOf } from '../../platform/pages/language.ts';
import { page } from '../../platform/pages/page.ts';
import type { Slice } from '../../platform/slice.ts';
import { stoppingTexts } from './texts.ts';

const api = routes('Notifications');
const StopRef = Type.Object({
  token: Type.String({ maxLength: 100, description: 'As the mail has it.' }),
});
const path = '/mail/stop/{token}';
const common = {
  auth: { access: 'anyone' as const, ignoresCredentials: true as const },
  params: StopRef,
  returns: raw('text/html'),
  problems: ['not-found' as const],
};

/** The page that every mail of strangers and lists links to. */
export const stoppingMailSlice = (): Slice => ({
  routes: [
    api.get(path, {
      closedToCrawlers: true,
      id: 'askToStopMail',
      summary: 'The page that a link in a mail opens',
      description: 'It changes nothing, since mail scanners open links: its button does.',
      ...common,
      handle: async (call) =>
        stopPage(call, await isStopped(call.ctx.db, call.ctx.keys, call.params.token)),
    }),
    api.post(path, {
      id: 'stopMail',
      summary: 'Stop all mail to an address that strangers or lists cause',
      description:
        'One-click unsubscribing by RFC 8058. It ends deliveries, messages, invitations and notifications, and what anybody can ask for with the address: mails that verify it, sign in, or confirm a signature or a report, and mails about an account whose address was never verified. Mails that set a new password still go, as do those asked for in a browser in which the account has signed in, and those to a verified address about its account. The link says it all: a body is not looked at.',
      ...common,
      body: { types: ['*/*'], isOptional: true },
      handle: async (call) => {
        await setStopped(call.ctx.db, call.ctx.keys, call.params.token, true);
        return stopPage(call, true);
      },
    }),
    api.post('/mail/stop/{token}/undo', {
      id: 'allowMail',
      summary: 'Allow mail to an address again',
      description: 'Takes back `POST /mail/stop/{token}`, with the token of the same mail.',
      ...common,
      body: { types: ['*/*'], isOptional: true },
      handle: async (call) => {
        await setStopped(call.ctx.db, call.ctx.keys, call.params.token, false);
        return stopPage(call, false);
      },
    }),
  ],
});

function stopPage(
  { ctx, headers, header, params }: Call<{ token: string }>,
  stopped: boolean,
): RawAnswer {
  const language = languageOf(headers, ctx.site.current);
  const say = speak(stoppingTexts, language);
  const { host } = new URL(ctx.config.baseUrl);
  const action = `/mail/stop/${params.token}${stopped ? '/undo' : ''}`;
  const title = say(stopped ? 'stopped_title' : 'stop_title');
  header('x-robots-tag', 'noindex');
  header('vary', 'Accept-Language, Cookie');
  return page(header, {
    title,
    language,
    site: ctx.site.current,
    main: html`<h1>${title}</h1>
<div class="panel"><p>${say(stopped ? 'stopped_about' : 'stop_about', { host })}</p>
<form method="post" action="${action}"><button>${say(stopped ? 'allow' : 'stop')}</button></form></div>`,
  });
}
