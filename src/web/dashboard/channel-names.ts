import type { Channel } from '../../campaigns/shares/schema.ts';
import { speak } from '../../platform/pages/catalog.ts';
import type { View } from '../site/site.ts';
import { figureTexts } from './texts.ts';

/** Names that are the same in every language. */
const brands: Partial<Record<Channel, string>> = {
  facebook: 'Facebook',
  x: 'X',
  whatsapp: 'WhatsApp',
  telegram: 'Telegram',
  signal: 'Signal',
  mastodon: 'Mastodon',
  bluesky: 'Bluesky',
};

/** The name of a channel in which petitions are shared. */
export function channelName({ language }: View, channel: Channel): string {
  const say = speak(figureTexts, language);
  if (channel === 'other') return say('channel_elsewhere').text;
  return brands[channel] ?? say(`channel_${channel as 'sms' | 'email' | 'link' | 'qr'}`).text;
}
