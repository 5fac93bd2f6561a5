/** What a session must allow, as libpq names it. */
export type SessionTarget = (typeof sessionTargets)[number];

export const sessionTargets = ['any', 'read-write', 'read-only', 'primary', 'standby'] as const;

/** The servers that a connection URL names, in its order. */
export interface Hosts {
  /** One URL for each host, all else the same, without target_session_attrs. */
  urls: [string, ...string[]];
  target: SessionTarget;
}

const shape = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)([^?]*)(?:\?(.*))?$/;

/**
 * Reads a connection URL that names one host or several, with commas between them, and what the session must allow
 * (libpq, "Specifying Multiple Hosts"). Of several hosts, the one that takes writes is wanted unless
 * `target_session_attrs` says otherwise.
 * @throws {Error} where it is no such URL; the message does not repeat it, since it may hold a password
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

/** Asks a server for its state. */
export const serverStateSql = `
  select pg_is_in_recovery() as standby,
    current_setting('transaction_read_only')::boolean as read_only`;

/** Whether a session on a server of this state allows what is wanted. */
export function meetsTarget(target: SessionTarget, { standby, read_only }: ServerState): boolean {
  return {
    any: true,
    primary: !standby,
    standby,
    'read-write': !read_only,
    'read-only': read_only,
  }[target];
}
