import { BlockList, isIP } from 'node:net';

export type Environment = Record<string, string | undefined>;

/** A setting that stops the start; the message names the variable and says what it takes. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** One of the values. */
export function choice<const T extends string>(
  env: Environment,
  name: string,
  values: readonly T[],
  fallback: T,
): T {
  const value = env[name] || fallback;
  const found = values.find((one) => one === value);
  if (found === undefined) {
    throw new ConfigError(`${name} is '${value}'; it must be one of ${values.join(', ')}.`);
  }
  return found;
}

/** A whole number within the limits. */
export function integer(
  env: Environment,
  name: string,
  fallback: number,
  low: number,
  high: number,
): number {
  const text = env[name];
  if (!text) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < low || value > high) {
    throw new ConfigError(`${name} is '${text}'; it must be a whole number, ${low} to ${high}.`);
  }
  return value;
}

/** A URL of one of the protocols. */
export function url(env: Environment, name: string, protocols: string[]): string | undefined {
  const text = env[name];
  if (!text) return undefined;
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
    // The value may hold a password, so it is not repeated.
    throw new ConfigError(`${name} must be a URL that begins with ${protocols.join('// or ')}//.`);
  }
  return text;
}

/** Addresses and CIDR ranges, with commas between them. */
export function addresses(env: Environment, name: string): BlockList | undefined {
  const parts = (env[name] ?? '').split(',').map((part) => part.trim());
  if (!parts.some(Boolean)) return undefined;
  const list = new BlockList();
  for (const part of parts.filter(Boolean)) {
    const [address = '', bits] = part.split('/');
    const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!;
    const prefix = bits === undefined ? longest : Number(bits);
    if (!Number.isInteger(prefix) || prefix < 0 || prefix > longest) {
      throw new ConfigError(`${name} has '${part}'; it must be an address or a CIDR range.`);
    }
    list.addSubnet(address, prefix, longest === 32 ? 'ipv4' : 'ipv6');
  }
  return list;
}
