import type { Context } from '../../platform/context.ts';
import { networkOf } from '../../platform/limits.ts';
import { isLoopback, widerNetwork } from '../../platform/networks.ts';

/** Keyed hash of the caller's network; null for this machine outside production, so that trying it out works. */
export function networkHash({ keys, config, callerIp: ip }: Context): Buffer | null {
  if (ip === undefined || (!config.production && isLoopback(ip))) return null;
  return keys.hash('report-network', widerNetwork(networkOf(ip))).subarray(0, 16);
}

/** Key of a network for limits, which stores no address. */
export const networkKey = ({ keys }: Context, ip: string): string =>
  keys.hash('report-network', 'quota', networkOf(ip)).subarray(0, 16).toString('base64url');
