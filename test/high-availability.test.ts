import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { render } from './failover/templates.ts';

const page = readFileSync('docs/high-availability.md', 'utf8');

/** Values of the templates in the page. */
const values = {
  NAME: 'node1',
  HOST: '10.0.0.11',
  NETWORK: '10.0.0.0/24',
  ETCD_CLIENT_PORT: '2379',
  ETCD_PEER_PORT: '2380',
  ETCD_DIR: '/var/lib/etcd/petitions',
  ETCD_CLUSTER:
    'node1=http://10.0.0.11:2380,node2=http://10.0.0.12:2380,node3=http://10.0.0.13:2380',
  ETCD_HOSTS: '10.0.0.11:2379,10.0.0.12:2379,10.0.0.13:2379',
  REST_PORT: '8008',
  POSTGRES_PORT: '5432',
  POSTGRES_DIR: '/var/lib/postgresql/15/petitions',
  PASSWORD_FILE: '/var/lib/postgresql/patroni.pgpass',
  SOCKET_DIR: '/var/run/postgresql',
  SUPERUSER_PASSWORD: 'SUPERUSER_PASSWORD',
  REPLICATION_PASSWORD: 'REPLICATION_PASSWORD',
  REWIND_PASSWORD: 'REWIND_PASSWORD',
  WATCHDOG: 'off',
  USER: 'haproxy',
  GROUP: 'haproxy',
  WRITABLE_ADDRESS: '127.0.0.1:5000',
  READABLE_ADDRESS: '127.0.0.1:5001',
  SERVERS: [1, 2, 3].map((n) => `    server node${n} 10.0.0.1${n}:5432 check port 8008`).join('\n'),
  HBA_FILE: '/etc/postgresql/15/petitions/pg_hba.conf',
  IDENT_FILE: '/etc/postgresql/15/petitions/pg_ident.conf',
  PRIMARY_FILE: '/etc/postgresql/15/petitions/primary.conf',
};
const standby = { ...values, NAME: 'node2', PRIMARY_HOST: '10.0.0.11', PRIMARY_PORT: '5432' };

for (const file of [
  'etcd.env',
  'patroni.yml',
  'haproxy.cfg',
  'postgresql.conf',
  'pg_hba.conf',
  'primary.conf',
]) {
  it(`docs/high-availability.md has the ${file} of the failover tests`, async () => {
    const text = await render(file, file === 'primary.conf' ? standby : values);
    // Blocks inside a list are indented.
    const forms = [text, text.replaceAll(/^(?=.)/gm, '   ')];
    assert.ok(
      forms.some((form) => page.includes(`\n${form}`)),
      `it should have:\n${text}`,
    );
  });
}
