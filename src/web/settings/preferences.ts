import { allNotificationPrefs } from '../../identity/accounts/accounts.ts';
import {
  notificationTypes,
  type NotificationChannel,
  type NotificationPrefsInput,
  type NotificationType,
} from '../../identity/accounts/schema.ts';
import { attribute, html, type Html } from '../../platform/html.ts';
import { speak } from '../../platform/pages/catalog.ts';
import { subjectOf } from '../../reach/notifications/notifications.ts';
import { formToken, textsIn, type Fields, type OwnView } from '../site/site.ts';
import { settingsTexts } from './texts.ts';

const channels = { in_app: 'in_app_about', email: 'by_mail_about' } as const;

/** A switch for each kind of notification and way to tell it. */
export function preferencesSection(view: OwnView): Html {
  const say = speak(settingsTexts, view.language);
  const prefs = allNotificationPrefs(view.viewer.user.notification_prefs);
  const cell = (channel: NotificationChannel, type: NotificationType, about: string) =>
    html`<td><input type="checkbox" name="${channel}" value="${type}" aria-label="${say(
      channels[channel],
      { about },
    )}"${attribute('checked', prefs[channel][type])}></td>`;
  const rows = notificationTypes.map((type) => {
    const about = subjectOf(type, view.language);
    return html`<tr><th scope="row">${about}</th>${cell('in_app', type, about)}${cell('email', type, about)}</tr>\n`;
  });
  return html`<p>${say('notifications_lead')}</p>
<form method="post" action="/settings/notifications">${formToken(view)}
<table class="switches"><thead><tr><th scope="col">${say('about')}</th><th scope="col">${say('in_app')}</th><th scope="col">${say('by_mail')}</th></tr></thead>
<tbody>${rows}</tbody></table>
<p><button>${view.say('save')}</button></p>
</form>`;
}

/** Every switch, as the form sets it: boxes that are not ticked are not sent. */
export function preferencesIn(fields: Fields): NotificationPrefsInput {
  const channel = (name: NotificationChannel) => {
    const ticked = textsIn(fields, name);
    return Object.fromEntries(notificationTypes.map((type) => [type, ticked.includes(type)]));
  };
  return { in_app: channel('in_app'), email: channel('email') };
}
