import { allNotificationPrefs } from '../../identity/accounts/accounts.ts';
import {
  moderatorNotificationTypes,
  notificationTypes,
  NotificationPrefsInput,
  queueMailFrequencies,
  type NotificationChannel,
  type NotificationPrefs,
  type NotificationType,
} from '../../identity/accounts/schema.ts';
import { attribute, html, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { changePreferences, subjectOf } from '../../reach/notifications/notifications.ts';
import {
  actionForm,
  formFor,
  readForm,
  textsIn,
  type Fields,
  type FormHandler,
  type OwnView,
} from '../site/site.ts';
import { settingsTexts } from './texts.ts';

const channels = { in_app: 'in_app_about', email: 'by_mail_about' } as const;

/** A switch for each type of notification and channel. */
export function preferencesSection(view: OwnView): Html {
  const say = speak(settingsTexts, view.language);
  const prefs = allNotificationPrefs(view.viewer.user.notification_prefs);
  const cell = (channel: NotificationChannel, type: NotificationType, about: string) =>
    html`<td><input type="checkbox" name="${channel}" value="${type}" aria-label="${say(
      channels[channel],
      { about },
    )}"${attribute('checked', prefs[channel][type])}></td>`;
  const rows = typesFor(view).map((type) => {
    const about = subjectOf(type, view.language);
    return html`<tr><th scope="row">${about}</th>${cell('in_app', type, about)}${cell('email', type, about)}</tr>\n`;
  });
  return html`<p>${say('notifications_lead')}</p>
${actionForm(view, {
  action: '/settings/notifications',
  fields: html`<table class="switches"><thead><tr><th scope="col">${say('about')}</th><th scope="col">${say('in_app')}</th><th scope="col">${say('by_mail')}</th></tr></thead>
<tbody>${rows}</tbody></table>\n${isModerator(view) && queueMailField(view, prefs)}`,
  submit: view.say('save'),
})}`;
}

/** How often mails about the queue of moderators are sent. */
const queueMailField = (view: OwnView, { queue_mail: value }: NotificationPrefs): Html => {
  const say = speak(settingsTexts, view.language);
  return formFor(view, { values: {} }, NotificationPrefsInput).select('queue_mail', {
    label: say('queue_mail'),
    options: queueMailFrequencies.map((one) => ({ value: one, label: say(`queue_mail_${one}`) })),
    value,
  });
};

const isModerator = ({ viewer }: OwnView) => viewer.caller.role !== 'user';

/** The types of notifications that the viewer can get. */
const typesFor = (view: OwnView) =>
  notificationTypes.filter(
    (type) => isModerator(view) || !moderatorNotificationTypes.includes(type),
  );

/** Saves which notifications the viewer gets by which channel. */
export const savePreferences: FormHandler = async (view, { fields }) => {
  await changePreferences(view.ctx, view.viewer.caller, changedPreferences(view, fields));
  return '/settings?done=preferences_saved#notifications';
};

/**
 * The preferences that were changed: a stored one goes before what people ask for otherwise, such as news at signing.
 * Browsers leave out boxes that are not ticked.
 */
function changedPreferences(view: OwnView, fields: Fields): NotificationPrefsInput {
  const current = allNotificationPrefs(view.viewer.user.notification_prefs);
  const channel = (name: NotificationChannel) => {
    const ticked = textsIn(fields, name);
    return Object.fromEntries(
      typesFor(view)
        .map((type) => [type, ticked.includes(type)] as const)
        .filter(([type, isOn]) => isOn !== current[name][type]),
    );
  };
  return {
    in_app: channel('in_app'),
    email: channel('email'),
    ...(isModerator(view) && readForm(NotificationPrefsInput, fields, ['queue_mail'])),
  };
}
