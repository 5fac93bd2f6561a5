import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isReachable, type ServerUser } from '../src/platform/embedded-postgres/directories.ts';
import { createTestDatabase, type TestDatabase } from './support/database.ts';
import { eventually } from './support/eventually.ts';
import { freePort } from './support/process.ts';

/** A process without rights, if the tests run as root. */
const ordinaryUser: ServerUser | undefined =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
/** A process that is told to stop while it starts ends within this time. */
const maxStopMs = 2000;

type Settings = Record<string, string>;

interface Refusal {
  name: string;
  settings: (folder: string) => Settings | Promise<Settings>;
  says: RegExp;
  /** Root may do it. */
  isOrdinaryUser?: boolean;
  /** Why it cannot be tried here. */
  reasonToSkip?: () => Promise<string | undefined>;
}

const refusals: Refusal[] = [
  {
    name: 'no SMTP_URL',
    settings: () => ({ SMTP_URL: '' }),
    says: /SMTP_URL is needed with NODE_ENV=production: nobody could confirm a signature\. MAIL=files writes/,
  },
  {
    name: 'a DATA_DIR that cannot be written',
    settings: async (folder) => {
      await chmod(folder, 0o555);
      return { DATA_DIR: folder };
    },
    says: /DATA_DIR is '.*', and it cannot be written \(EACCES\)\. Name a folder that this user can write\./,
    isOrdinaryUser: true,
  },
  {
    name: 'a DATA_DIR that is a file',
    settings: async (folder) => {
      const path = join(folder, 'file');
      await writeFile(path, '');
      return { DATA_DIR: path };
    },
    says: /DATA_DIR is '.*', and there is a file in its place\. Name a folder/,
  },
  {
    name: 'a PORT that only root may listen on',
    settings: () => ({ PORT: '80' }),
    says: /PORT: this user may not listen there \(.*EACCES.*\)\. Take one above 1023, behind a proxy\./,
    isOrdinaryUser: true,
    reasonToSkip: whyAnybodyListens,
  },
  {
    name: 'a HOST of another machine',
    // RFC 5737: an address for documentation.
    settings: () => ({ HOST: '192.0.2.1' }),
    says: /HOST is no address of this machine, or DATABASE_URL names none: .*EADDRNOTAVAIL/,
  },
];

const warnings: { name: string; settings: Settings; says: RegExp }[] = [
  {
    name: 'RATE_LIMITS=off',
    settings: { RATE_LIMITS: 'off' },
    says: /^RATE_LIMITS=off: anybody can sign and log in as often .* \(docs\/operating\.md, Production\)/,
  },
  {
    name: 'SIGNATURE_POLICY=verified, and mails are files',
    settings: { SIGNATURE_POLICY: 'verified', MAIL: 'files', SMTP_URL: '' },
    says: /^MAIL=files: .* Nobody can confirm an address, which signing needs here\. Set SMTP_URL/,
  },
  {
    name: 'MAIL=files',
    settings: { SIGNATURE_POLICY: 'open', MAIL: 'files', SMTP_URL: '' },
    says: /^MAIL=files: mails are written into files and reach nobody\. Set SMTP_URL \(docs\/mail\.md\)/,
  },
];

describe('a start in production', () => {
  let database: TestDatabase;
  let settings: Settings;
  let root: string;
  before(async () => {
    database = await createTestDatabase();
    root = await mkdtemp(join(tmpdir(), 'wrong-settings-'));
    await chmod(root, 0o755);
    settings = {
      NODE_ENV: 'production',
      BASE_URL: 'https://petitions.test',
      DATABASE_URL: database.url,
      SECRET: 'a secret of more than 32 bytes, for tests only',
      SMTP_URL: 'smtp://127.0.0.1:9',
      METRICS_TOKEN: 'a token of metrics',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
    };
  });
  after(async () => {
    await rm(root, { recursive: true });
    await database[Symbol.asyncDispose]();
  });

  /** A folder that every user can write. */
  const newFolder = async () => {
    const folder = await mkdtemp(join(root, 'data-'));
    await chmod(folder, 0o777);
    return folder;
  };
  const startWith = async (changes: Settings, user?: ServerUser) => {
    const PORT = String(await freePort());
    return start({ ...settings, PORT, DATA_DIR: await newFolder(), ...changes }, user);
  };

  /** Reads as two visitors of whom a proxy speaks. */
  const askThroughProxy = async ({ origin }: Starting) => {
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      const headers = { 'x-forwarded-for': address };
      assert.equal((await fetch(`${origin}/v1/petitions`, { headers })).status, 200);
    }
  };

  it('warns of nothing where all is well', async () => {
    await using service = await startWith({ TRUST_PROXY: '127.0.0.1' });
    await service.ready;
    await askThroughProxy(service);
    assert.equal(await service.end('SIGINT'), 0);
    assert.deepEqual(service.warnings(), []);
  });

  for (const { name, settings: changes, says, isOrdinaryUser, reasonToSkip } of refusals) {
    it(`is refused in one sentence: ${name}`, async (t) => {
      const reason = (isOrdinaryUser && (await whyNoUser())) || (await reasonToSkip?.());
      if (reason) return t.skip(reason);
      const user = isOrdinaryUser ? ordinaryUser : undefined;
      await using service = await startWith(await changes(await newFolder()), user);
      assert.equal(await service.exited, 1, service.output());
      assert.match(service.output(), says);
      assert.match(service.output(), /^The service does not start\. .*\n$/, 'one line');
    });
  }

  for (const { name, settings: changes, says } of warnings) {
    it(`warns in one sentence, and serves: ${name}`, async () => {
      await using service = await startWith(changes);
      await service.ready;
      const written = service.warnings();
      assert.equal(written.length, 1, written.join('\n'));
      assert.match(written[0]!, says);
      assert.equal(await service.end('SIGINT'), 0);
    });
  }

  it('warns once that X-Forwarded-For arrives without TRUST_PROXY', async () => {
    await using service = await startWith({});
    await service.ready;
    await askThroughProxy(service);
    assert.equal(await service.end('SIGINT'), 0);
    const written = service.warnings();
    assert.equal(written.length, 1, written.join('\n'));
    assert.match(
      written[0]!,
      /^X-Forwarded-For arrives, and TRUST_PROXY is not set: .* \(docs\/operating\.md, Production\)/,
    );
  });

  it('waits for a database that is away with a line a minute, and ends at once', async () => {
    let tries = 0;
    await using away = createServer((socket) => {
      tries += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve));
    const { port } = away.address() as AddressInfo;
    await using service = await startWith({
      DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/none`,
    });
    await eventually(() => tries >= 3);
    const startedAt = performance.now();
    assert.equal(await service.end('SIGTERM'), 0, service.output());
    const stopMs = Math.round(performance.now() - startedAt);
    assert.ok(stopMs < maxStopMs, `it took ${stopMs} ms`);
    assert.deepEqual(service.warnings(), ['waiting for the database']);
    assert.doesNotMatch(service.output(), /Ready|^ +at /m);
  });
});

interface Starting extends AsyncDisposable {
  origin: string;
  /** Fails if it ends before it is ready. */
  ready: Promise<void>;
  /** Its exit code, or the signal that ended it. */
  exited: Promise<number | string | null>;
  output(): string;
  /** The messages of its log. */
  warnings(): string[];
  /** Sends a signal: only SIGTERM makes it serve on for a while. Returns its exit code. */
  end(signal: 'SIGINT' | 'SIGTERM'): Promise<number | string | null>;
}

/** Starts the service as a process with these settings alone. */
function start(env: Settings, user?: ServerUser): Starting {
  const child = spawn(process.execPath, ['src/main.ts'], {
    // The other processes reuse the code that the first one compiled.
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  let output = '';
  const { promise: ready, resolve: becomeReady, reject } = Promise.withResolvers<void>();
  // Most tests of what is refused do not wait for it.
  ready.catch(() => {});
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
      if (/^Ready/m.test(output)) becomeReady();
    });
  }
  // "close" comes once all output was read.
  const exited = new Promise<number | string | null>((resolve) =>
    child.once('close', (code, signal) => {
      reject(new Error(`it ended: ${output}`));
      resolve(signal ?? code);
    }),
  );
  return {
    origin: `http://127.0.0.1:${env.PORT}`,
    ready,
    exited,
    output: () => output,
    warnings: () =>
      output
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => (JSON.parse(line) as { msg: string }).msg),
    end(signal) {
      child.kill(signal);
      return exited;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Why no process of another user can be started. */
async function whyNoUser(): Promise<string | undefined> {
  for (const path of [process.execPath, 'src', 'node_modules']) {
    if (!(await isReachable(path, ordinaryUser))) return `other users cannot reach ${path}`;
  }
  return undefined;
}

/** Why a user without rights can listen on port 80. */
async function whyAnybodyListens(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'only Linux is known to refuse it';
  const first = await readFile('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8');
  return Number(first) > 80 ? undefined : 'this machine lets every user listen on port 80';
}
