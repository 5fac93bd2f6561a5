import { BlockList, isIP } from 'node:net';

export type Environment = Record<string, string | undefined>;

/** An invalid setting. The message names the variable and the values it accepts. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Reads one of the values. @throws {ConfigError} */
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

/** Reads a whole number, `low` to `high`. @throws {ConfigError} */
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

/** Reads a URL of one of the protocols. @throws {ConfigError} */
export function url(env: Environment, name: string, protocols: string[]): string | undefined {
  const text = env[name];
  if (!text) return undefined;
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
    // The message does not repeat the value, which may hold a password.
    throw new ConfigError(`${name} must be a URL that begins with ${protocols.join('// or ')}//.`);
  }
  return text;
}

/** Reads addresses and CIDR ranges separated by commas. @throws {ConfigError} */
export function addresses(env: Environment, name: string): BlockList | undefined {
  const parts = (env[name] ?? '').split(',').map((part) => part.trim());
  if (!parts.some(Boolean)) return undefined;
  const list = new BlockList();
  for (const part of parts.filter(Boolean)) {
    const [address = '', bits] = part.split('/');
    const maxPrefix = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!;
    const prefix = bits === undefined ? maxPrefix : Number(bits);
    if (!Number.isInteger(prefix) || prefix < 0 || prefix > maxPrefix) {
      throw new ConfigError(`${name} has '${part}'; it must be an address or a CIDR range.`);
    }
    list.addSubnet(address, prefix, maxPrefix === 32 ? 'ipv4' : 'ipv6');
  }
  return list;
}
