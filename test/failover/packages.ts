import { installMissing } from '../support/debian.ts';

/** The folder of the programs of Debian's postgresql-15. */
export const postgresPrograms = '/usr/lib/postgresql/15/bin';

/** Finds Patroni and what it needs, or installs them from Debian. Returns the reason if they are missing. */
export const findPatroni = (): string | undefined =>
  installMissing(
    [
      '/usr/bin/patroni',
      '/usr/bin/etcd',
      '/usr/sbin/haproxy',
      `${postgresPrograms}/postgres`,
      `${postgresPrograms}/pg_rewind`,
    ],
    ['patroni', 'etcd-server', 'haproxy', 'postgresql-15'],
  );
