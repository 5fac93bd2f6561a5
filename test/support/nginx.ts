import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Agent } from 'undici';
import { installMissing } from './debian.ts';
import { eventually } from './eventually.ts';
import { freePort } from './process.ts';

const run = promisify(execFile);
const program = '/usr/sbin/nginx';

export const siteFile = new URL('../../deploy/nginx.conf', import.meta.url);

/** Finds nginx, or installs it from Debian. Returns the reason if it is missing. */
export const findNginx = (): string | undefined =>
  installMissing([program, 'openssl'], ['nginx', 'openssl']);

export interface Nginx extends StaticSite {
  /** Of its https port. */
  origin: string;
  /** Of its http port. */
  plainOrigin: string;
  /** The certificate that it shows. */
  certificate: string;
  /** Connects from this address, and trusts the certificate. */
  clientFrom(address: string): Agent;
  accessLog(): Promise<string>;
}

interface Options {
  /** Ports of one or two processes of the service. */
  upstreams: number[];
  cache?: boolean;
  /** The https port. */
  port?: number;
}

/** Starts Debian's nginx with deploy/nginx.conf. Only names, paths and ports are replaced. */
export async function startNginx({ upstreams, cache, port }: Options): Promise<Nginx> {
  const directory = await mkdtemp(join(tmpdir(), 'petitions-nginx-'));
  await chmod(directory, 0o755);
  await makeCertificate(directory);
  const [securePort, plainPort] = [port ?? (await freePort()), await freePort()];
  const replacements = [
    ['listen 443 ', `listen 127.0.0.1:${securePort} `],
    ['listen 80;', `listen 127.0.0.1:${plainPort};`],
    ['/etc/letsencrypt/live/petitions.example/', `${directory}/`],
    ['petitions.example', '127.0.0.1'],
    ['/var/log/nginx/', `${directory}/`],
    ['/var/cache/nginx-petitions', `${directory}/cache`],
    ['127.0.0.1:3000', `127.0.0.1:${upstreams[0]}`],
    ...(upstreams[1] ? [['#server 127.0.0.1:3001', `server 127.0.0.1:${upstreams[1]}`]] : []),
    ...(cache ? [['default off;', 'default petitions_cache;']] : []),
  ] as [string, string][];
  const site = (await readFile(siteFile, 'utf8')).replaceAll(/^ *listen \[::\].*\n/gm, '');
  const replaced = replacements.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`deploy/nginx.conf has no ${from}`);
    return text.replaceAll(from, to);
  }, site);
  const certificate = await readFile(join(directory, 'fullchain.pem'), 'utf8');
  const plainOrigin = `http://127.0.0.1:${plainPort}`;
  const running = await runSite(replaced, { directory, origin: plainOrigin });
  const agents: Agent[] = [];
  return {
    ...running,
    origin: `https://127.0.0.1:${securePort}`,
    plainOrigin,
    certificate,
    clientFrom(localAddress) {
      const agent = new Agent({ localAddress, connect: { ca: certificate } });
      agents.push(agent);
      return agent;
    },
    accessLog: () => readFile(join(directory, 'petitions.log'), 'utf8'),
    async [Symbol.asyncDispose]() {
      await Promise.all(agents.map((agent) => agent.destroy()));
      await running[Symbol.asyncDispose]();
    },
  };
}

export interface StaticSite extends AsyncDisposable {
  origin: string;
  /** Warnings and errors of `nginx -t`. */
  complaints: string[];
}

/** Starts Debian's nginx with a site that listens on port 80, and here on a free one. */
export async function startStaticSite(site: string): Promise<StaticSite> {
  const directory = await mkdtemp(join(tmpdir(), 'petitions-nginx-'));
  await chmod(directory, 0o755);
  const port = await freePort();
  if (!site.includes('listen 80;')) throw new Error('the site does not listen on port 80');
  const origin = `http://127.0.0.1:${port}`;
  const replaced = site.replace('listen 80;', `listen 127.0.0.1:${port};`);
  return { origin, ...(await runSite(replaced, { directory, origin })) };
}

/** Runs nginx with a site in a folder, which it deletes in the end. Waits until it answers at an http address. */
async function runSite(
  site: string,
  { directory, origin }: { directory: string; origin: string },
): Promise<Omit<StaticSite, 'origin'>> {
  await writeFile(join(directory, 'site.conf'), site);
  const mainFile = join(directory, 'nginx.conf');
  await writeFile(mainFile, mainConfig(directory));
  const parameters = ['-p', directory, '-c', mainFile, '-e', join(directory, 'error.log')];
  const { stderr } = await run(program, ['-t', ...parameters]);
  const child = spawn(program, parameters, { stdio: 'inherit' });
  const exited = once(child, 'exit');
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
    return fetch(origin, { redirect: 'manual' }).then(
      () => true,
      () => false,
    );
  });
  return {
    complaints: stderr.split('\n').filter((line) => /\[(warn|error|crit|emerg)\]/.test(line)),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** As Debian's nginx.conf, where it matters: it compresses pages unless a site says otherwise. */
const mainConfig = (directory: string) => `
daemon off;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log;
worker_processes 1;
events { worker_connections 512; }
http {
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  gzip on;
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${directory}/${name};`)
    .join('\n  ')}
  include ${directory}/site.conf;
}
`;

async function makeCertificate(directory: string): Promise<void> {
  const kind = '-x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1'.split(' ');
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1'];
  const [key, certificate] = [join(directory, 'privkey.pem'), join(directory, 'fullchain.pem')];
  await run('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', certificate]);
}
