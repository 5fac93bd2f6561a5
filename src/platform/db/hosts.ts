/** Values of target_session_attrs (libpq). */
export type SessionTarget = (typeof sessionTargets)[number];

export const sessionTargets = ['any', 'read-write', 'read-only', 'primary', 'standby'] as const;

/** The servers of a connection URL, in its order. */
export interface Hosts {
  /** One URL for each host, without target_session_attrs. */
  urls: [string, ...string[]];
  target: SessionTarget;
}

const shape = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)([^?]*)(?:\?(.*))?$/;

/**
 * Parses a connection URL of one or more hosts, separated by commas, with `target_session_attrs` (libpq, "Specifying
 * Multiple Hosts"). The default target of several hosts is read-write.
 * @throws {Error} if the URL is malformed; the message does not repeat it, since it may hold a password
 */
export function parseHosts(url: string): Hosts {
  const [, start = '', hosts = '', path = '', query] = shape.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  const target = parameters.get('target_session_attrs');
  parameters.delete('target_session_attrs');
  const rest = path + (parameters.size > 0 ? `?${parameters.toString()}` : '');
  const urls = hosts.split(',').map((host) => start + host + rest);
  if (!urls.every((one) => one !== '' && URL.canParse(one))) {
    throw new Error('must be a URL such as postgres://user:password@host:5432/database');
  }
  if (target !== null && !sessionTargets.some((one) => one === target)) {
    throw new Error(`has target_session_attrs=${target}; it must be ${sessionTargets.join(', ')}`);
  }
  return {
    urls: urls as Hosts['urls'],
    target: (target as SessionTarget | null) ?? (urls.length > 1 ? 'read-write' : 'any'),
  };
}

export interface ServerState {
  standby: boolean;
  read_only: boolean;
}

/** Reads the state of a server. */
export const serverStateSql = `
  select pg_is_in_recovery() as standby,
    current_setting('transaction_read_only')::boolean as read_only`;

/** Whether a server in this state meets the target. */
export function meetsTarget(target: SessionTarget, { standby, read_only }: ServerState): boolean {
  return {
    any: true,
    primary: !standby,
    standby,
    'read-write': !read_only,
    'read-only': read_only,
  }[target];
}
