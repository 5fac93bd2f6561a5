import { countryOfAddress } from '../../platform/ip-country.ts';
import type { Call } from '../../platform/http/route.ts';
import { deviceLabel } from './device-label.ts';

/** Where a request comes from. */
export interface RequestSource {
  ip: string;
  userAgent: string | undefined;
}

export const sourceOf = ({ ip, headers }: Pick<Call, 'ip' | 'headers'>): RequestSource => ({
  ip,
  userAgent: headers['user-agent'],
});

/** What a session stores of where it is used. */
export interface StoredSource {
  /** Such as `Firefox on Android`; null if unknown. */
  device: string | null;
  /** ISO 3166-1 alpha-2; null if unknown. */
  country: string | null;
}

export const storedSource = ({ ip, userAgent }: RequestSource): StoredSource => ({
  device: deviceLabel(userAgent),
  country: countryOfAddress(ip),
});
