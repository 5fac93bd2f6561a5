import { AwsClient } from 'aws4fetch';
import { execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/process.ts';

const run = promisify(execFile);

export interface Store extends AsyncDisposable {
  /** Settings of a service that uses the store. */
  env: Record<string, string>;
}

/** Timeout of every step of the start, on a busy machine. */
const stepTimeoutMs = 120_000;

/**
 * Starts Ceph with one monitor, one OSD in memory, an S3 gateway and an empty bucket. It listens on this machine only
 * and takes ten seconds to start.
 */
export async function startStore(): Promise<Store> {
  const directory = await mkdtemp(join(tmpdir(), 'petitions-s3-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const port = await freePort();
  const config = await configure(directory, { monitor: await freePort(), gateway: port });
  const daemon = (name: string, ...args: string[]) =>
    stack.use(startDaemon(directory, name, ['--conf', config, '--foreground', ...args]));
  const ask = (program: string, ...args: string[]) =>
    run(program, ['--conf', config, ...args], { timeout: stepTimeoutMs, cwd: directory });

  const keyring = join(directory, 'keyring');
  await ask('ceph-mon', '--mkfs', '--id', 'a', '--monmap', 'monmap', '--keyring', keyring);
  daemon('ceph-mon', '--id', 'a');
  // The monitor accepts an OSD only by the id registered here.
  const id = randomUUID();
  await ask('ceph', 'osd', 'new', id, '0');
  await ask('ceph', 'auth', 'import', '-i', keyring);
  await ask('ceph-osd', '--id', '0', '--mkfs', '--osd-uuid', id);
  daemon('ceph-osd', '--id', '0');
  daemon('radosgw', '--name', 'client.admin');

  const accessKeyId = randomBytes(10).toString('hex');
  const secretAccessKey = randomBytes(20).toString('hex');
  const user = ['--uid=test', '--display-name=test', '--access-key', accessKeyId];
  await ask('radosgw-admin', 'user', 'create', ...user, '--secret-key', secretAccessKey);
  const endpoint = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(endpoint).then(
      ({ ok }) => ok,
      () => false,
    );
  await eventually(answers, stepTimeoutMs);
  const bucket = 'petitions';
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'default' });
  const made = await client.fetch(`${endpoint}/${bucket}`, { method: 'PUT' });
  if (!made.ok) throw new Error(`no bucket: ${made.status} ${await made.text()}`);
  const running = stack.move();
  return {
    env: {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_REGION: 'default',
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Writes the settings, the keys and the monitor map. Returns the path of the settings. */
async function configure(
  directory: string,
  ports: { monitor: number; gateway: number },
): Promise<string> {
  const id = randomUUID();
  const address = `[v2:127.0.0.1:${ports.monitor}]`;
  const settings = {
    fsid: id,
    mon_host: address,
    public_addr: '127.0.0.1',
    keyring: join(directory, 'keyring'),
    mon_data: join(directory, 'mon'),
    osd_data: join(directory, 'osd'),
    rgw_data: join(directory, 'rgw'),
    run_dir: directory,
    log_file: join(directory, '$name.log'),
    admin_socket: '',
    pid_file: '',
    osd_objectstore: 'memstore',
    // One replica and one placement group suffice.
    osd_pool_default_size: 1,
    osd_pool_default_min_size: 1,
    osd_pool_default_pg_num: 1,
    osd_pool_default_pgp_num: 1,
    osd_pool_default_pg_autoscale_mode: 'off',
    osd_crush_chooseleaf_type: 0,
    mon_allow_pool_size_one: true,
    rgw_frontends: `beast endpoint=127.0.0.1:${ports.gateway}`,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const path = join(directory, 'ceph.conf');
  await writeFile(path, ['[global]', ...lines, ''].join('\n'));
  for (const name of ['mon', 'osd', 'rgw']) await mkdir(join(directory, name));
  const everything = [
    '--cap',
    'mon',
    'allow *',
    '--cap',
    'osd',
    'allow *',
    '--cap',
    'mgr',
    'allow *',
  ];
  const keyring = join(directory, 'keyring');
  await run('ceph-authtool', ['--create-keyring', keyring]);
  for (const name of ['mon.', 'client.admin', 'osd.0']) {
    await run('ceph-authtool', [keyring, '--gen-key', '--name', name, ...everything]);
  }
  const map = join(directory, 'monmap');
  await run('monmaptool', ['--create', '--fsid', id, '--addv', 'a', address, map]);
  return path;
}

/** Starts a daemon; disposing of it kills it. */
function startDaemon(directory: string, name: string, args: string[]): AsyncDisposable {
  const child = spawn(name, args, { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (text) => (output += text));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let ending = false;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      if (!ending) process.stderr.write(`${name} ended by itself: ${code ?? signal}\n${output}`);
      resolve();
    });
  });
  return {
    async [Symbol.asyncDispose]() {
      ending = true;
      kill();
      await exited;
      process.off('exit', kill);
    },
  };
}
