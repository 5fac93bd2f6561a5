import { ContactInput } from '../../oversight/site-pages/schema.ts';
import { sendToOperator } from '../../oversight/site-pages/site-pages.ts';
import type { Html } from '../../platform/html.ts';
import type { Route } from '../../platform/http/route.ts';
import { speak } from '../../platform/pages/catalog.ts';
import {
  captchaAssets,
  captchaFields,
  captchaProblem,
  doneNotice,
  formFor,
  postForm,
  readForm,
  reportProblem,
  requireFormCaptcha,
  stateOf,
  type FormHandler,
  type FormState,
  type PageHandler,
  type Site,
  type View,
} from '../site/site.ts';
import { readAsked, textPage } from './reading.ts';
import { sitePageTexts } from './texts.ts';

/** Where visitors write to those who run the site. */
export const contactRoutes = (site: Site): Route[] =>
  site.page({
    id: 'showContactPage',
    path: '/contact',
    access: 'anyone',
    show,
    forms: { message: { id: 'submitContact', act: send } },
  });

/** The text, with the form where the site has an address. */
const show: PageHandler<{}, View> = async (view, request) => {
  const say = speak(sitePageTexts, view.language);
  const text = await readAsked(view, 'contact', request.query);
  if (view.ctx.site.current.contactEmail === null) return textPage(view, text);
  const { viewer } = view;
  const own = viewer && { name: viewer.user.display_name, email: viewer.user.email };
  return textPage(view, text, {
    ...captchaAssets(view),
    above: doneNotice(say, request.query.done, ['done_sent']),
    form: contactForm(view, stateOf(request, 'message', own ?? {})),
  });
};

function contactForm(view: View, state: FormState): Html {
  const say = speak(sitePageTexts, view.language);
  const form = formFor(view, state, ContactInput);
  reportProblem(view, state, captchaProblem(view, state));
  return postForm(
    view,
    {},
    {
      action: '/contact',
      className: 'panel',
      fields: [
        form.text('name', { label: say('your_name'), autocomplete: 'name' }),
        form.text('email', {
          label: say('your_email'),
          hint: say('your_email_hint'),
          autocomplete: 'email',
          suggestsAddress: true,
        }),
        form.text('message', { label: say('message'), type: 'textarea', rows: 8 }),
        captchaFields(view, 'message'),
      ],
      submit: view.say('send'),
    },
  );
}

const names = ['name', 'email', 'message', 'recaptchaToken'] as const;

const send: FormHandler<{}, View> = async (view, { fields }) => {
  const input = readForm(ContactInput, fields, names, { suggestsAddress: 'email' });
  await requireFormCaptcha(view, input);
  await sendToOperator(view.ctx, input, view.ip);
  return '/contact?done=sent';
};
