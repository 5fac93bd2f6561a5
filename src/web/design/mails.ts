import { Type } from 'typebox';
import { html } from '../../platform/html.ts';
import { raw, routes, type RawAnswer, type Route } from '../../platform/http/route.ts';
import { composeMessage, mailKinds, type MailKind } from '../../platform/mail.ts';
import { isLanguage, languageName, languages } from '../../platform/pages/language.ts';
import { notFound } from '../../platform/problems.ts';
import { noIndex, sitePage, type PageHandler, type Site, type View } from '../site/site.ts';
import { mailSamples } from './mail-samples.ts';

const api = routes('Pages');

export const mailRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showMails',
    closedToCrawlers: true,
    path: '/dev/mails',
    access: 'anyone',
    show: mailsPage,
  }),
  api.get('/dev/mails/{kind}', {
    closedToCrawlers: true,
    id: 'showMail',
    summary: 'A mail as it is sent, with made-up facts',
    description: 'In development only.',
    auth: { access: 'anyone', ignoresCredentials: true },
    params: Type.Object({ kind: Type.String({ description: 'Kind of the mail.' }) }),
    query: Type.Object({
      language: Type.Optional(Type.String({ description: 'A language of the pages.' })),
      part: Type.Optional(Type.String({ description: 'html or text' })),
      number: Type.Optional(
        Type.Integer({ minimum: 0, description: 'Which mail of the kind, from 0.' }),
      ),
    }),
    worksWithoutDatabase: true,
    returns: raw('text/html', 'text/plain'),
    problems: ['not-found'],
    async handle({ ctx, params: { kind }, query, header }): Promise<RawAnswer> {
      const { language = 'en', part = 'html', number = 0 } = query;
      if (!isKind(kind) || !isLanguage(language)) throw notFound('mail');
      const mail = (await mailSamples[kind].compose(ctx, language))[number];
      if (!mail) throw notFound('mail');
      const message = composeMessage(mail, { ...ctx.config.mail, site: () => ctx.site.current });
      header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'",
      );
      header('cache-control', 'no-store');
      return part === 'text'
        ? { mediaType: 'text/plain; charset=utf-8', body: `${message.subject}\n\n${message.text}` }
        : { mediaType: 'text/html; charset=utf-8', body: message.html };
    },
  }),
];

const isKind = (text: string): text is MailKind => mailKinds.some((kind) => kind === text);

/** Every kind of mail in every language, with what causes it. */
const mailsPage: PageHandler<{}, View> = async (view) => {
  const items = await Promise.all(
    mailKinds.map(async (kind) => {
      const mails = await mailSamples[kind].compose(view.ctx, view.language);
      return html`<li><h2><code>${kind}</code></h2>
<p>${mailSamples[kind].trigger}</p>
${mails.map(
  ({ subject }, number) =>
    html`<p><strong dir="auto">${subject}</strong><br>
${languages.map(
  (language) =>
    html`<a href="/dev/mails/${kind}?language=${language}&amp;number=${number}">${languageName(language)}</a> (<a href="/dev/mails/${kind}?language=${language}&amp;number=${number}&amp;part=text">text</a>)\n`,
)}</p>\n`,
)}</li>\n`;
    }),
  );
  return sitePage(view, {
    title: 'Mails',
    head: noIndex,
    main: html`<h1>Mails</h1>
<ul class="list">
${items}</ul>`,
  });
};
