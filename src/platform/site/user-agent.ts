import anyAscii from 'any-ascii';
import type { SiteProfile } from './profile.ts';

/** How the service names itself to servers that it calls (RFC 9110, section 10.1.5): Our-City-Webhooks/1. */
export const userAgent = ({ name }: Pick<SiteProfile, 'name'>, part: string): string =>
  `${tokenOf(name)}-${part}/1`;

/** The name in the characters of a token. */
const tokenOf = (name: string): string =>
  anyAscii(name)
    .replaceAll(/[^A-Za-z\d]+/g, '-')
    .replaceAll(/^-|-$/g, '') || 'Petitions';
