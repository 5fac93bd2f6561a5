import type { IncomingMessage, Server } from 'node:http';

const name = 'x-forwarded-for';

/**
 * Removes the ports that some proxies write into X-Forwarded-For (Azure Application Gateway, IIS), so that each connection
 * does not count as another address. Before all other listeners.
 */
export function removeForwardedPorts(server: Server): void {
  const remove = ({ headers }: IncomingMessage) => {
    const given = headers[name];
    if (typeof given === 'string') headers[name] = withoutPorts(given);
  };
  server.prependListener('request', remove);
  server.prependListener('upgrade', remove);
}

/** Returns the list of addresses without ports, and without the brackets of IPv6 addresses. */
export const withoutPorts = (addresses: string): string =>
  addresses
    .split(',')
    .map((part) =>
      part
        .trim()
        .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
        .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1'),
    )
    .join(', ');
