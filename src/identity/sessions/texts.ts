import en from '../../../locales/en/sessions.json' with { type: 'json' };
import { catalog, formatCountry, plainText } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { partsOfLabel } from './device-label.ts';
import type { StoredSource } from './source.ts';

const sessionTexts = catalog('sessions', en);

/** Returns the device and the country of a session in words. */
export function describeSource(
  language: Language,
  { device, country }: StoredSource,
): { device: string; country: string } {
  const parts = device === null ? undefined : partsOfLabel(device);
  return {
    device: parts
      ? plainText(sessionTexts, language, 'device', parts)
      : (device ?? plainText(sessionTexts, language, 'unknown_device')),
    country:
      country === null
        ? plainText(sessionTexts, language, 'unknown_country')
        : formatCountry(language, country),
  };
}
