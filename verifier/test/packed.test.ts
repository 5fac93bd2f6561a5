import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { logKeys, makeLog, serveLog, witnessKeys, type LogServer } from './log-server.ts';
import { encodeAll, Random, randomEntries } from './random-log.ts';

const run = promisify(execFile);
const whole = makeLog(encodeAll(randomEntries(new Random(7), 600)));

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

describe('the packed verifier', () => {
  let server: LogServer;
  let folder: string;
  before(async () => {
    server = await serveLog(whole);
    folder = await mkdtemp(join(tmpdir(), 'verifier-'));
    await run('npm', ['pack', '--pack-destination', folder], { cwd: resolve('verifier') });
    const [tarball] = await readdir(folder);
    await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    const install = ['install', '--offline', '--no-audit', '--no-fund', `./${tarball!}`];
    await run('npm', install, { cwd: folder });
    await copyFile('docs/verifying/receipt.tlog-proof', join(folder, 'receipt.tlog-proof'));
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const verifier = (...args: string[]): Promise<Result> =>
    run(join(folder, 'node_modules/.bin/open-petitions-verifier'), args, {
      cwd: folder,
      env: { ...process.env, XDG_STATE_HOME: join(folder, 'state') },
    }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: Result) => ({ code: error.code, stdout: error.stdout, stderr: error.stderr }),
    );

  it('is JavaScript and types, with no dependencies', async () => {
    const installed = join(folder, 'node_modules/open-petitions-verifier');
    const files = await readdir(installed, { recursive: true });
    assert.ok(files.includes('dist/index.js') && files.includes('dist/index.d.ts'));
    assert.ok(files.includes('LICENSE') && files.includes('README.md'));
    assert.ok(!files.some((file) => /(?<!\.d)\.ts$|test/.test(file)), files.join());
    assert.deepEqual(
      (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.')),
      ['open-petitions-verifier'],
    );
  });

  it('audits, and says by its exit code whether all holds', async () => {
    const first = await verifier('audit', server.site, '--no-counts');
    assert.equal(first.code, 0, first.stdout + first.stderr);
    assert.match(
      first.stdout,
      /keys that the service itself named[\s\S]*OK: everything holds\.\n$/,
    );
    assert.equal(first.stderr, '');
    const again = await verifier('audit', server.site, '--no-counts', '--json');
    const report = JSON.parse(again.stdout) as { holds: boolean; entriesRead: number };
    assert.equal(again.code, 0);
    assert.ok(report.holds);
    assert.equal(report.entriesRead, 0);
    const witnesses = witnessKeys.flatMap((key) => ['--witness', key]);
    assert.equal((await verifier('audit', server.site, '--no-counts', ...witnesses)).code, 0);
    server.files = new Map(whole).set('tile/0/001', Buffer.from(whole.get('tile/0/000')!));
    const state = ['--state', join(folder, 'fresh')];
    const wrong = await verifier('audit', server.site, '--no-counts', ...state);
    server.files = whole;
    assert.equal(wrong.code, 1);
    assert.match(wrong.stdout, /DOES NOT HOLD[\s\S]*tile: hash 0 of tile\/0\/001/);
  });

  it('checks a receipt offline', async () => {
    const keyText = await readFile('docs/verifying/verifier-keys.txt', 'utf8');
    const [key] = keyText.split('\n');
    const good = await verifier('receipt', 'receipt.tlog-proof', '--key', key!);
    assert.equal(good.code, 0, good.stderr);
    assert.match(
      good.stdout,
      /^OK: counted as entry 2 of petitions\.example\.org\/log, at a size of 6\.$/m,
    );
    const receipt = await readFile('docs/verifying/receipt.tlog-proof', 'utf8');
    await writeFile(join(folder, 'wrong'), receipt.replace('index 2', 'index 3'));
    const wrong = await verifier('receipt', 'wrong', '--key', key!, '--json');
    assert.equal(wrong.code, 1);
    assert.equal((JSON.parse(wrong.stdout) as { holds: boolean }).holds, false);
    const lone = `log ${key!}\nwitness W ${witnessKeys[0]!}\nquorum W\n`;
    await writeFile(join(folder, 'policy'), lone);
    const unwitnessed = await verifier('receipt', 'receipt.tlog-proof', '--policy', 'policy');
    assert.equal(unwitnessed.code, 1);
    assert.match(unwitnessed.stdout, /too few witnesses/);
  });

  it('says what it cannot use', async () => {
    const cases: [RegExp, ...string[]][] = [
      [/a command and its target/],
      [/there is no command look/, 'look', 'here'],
      [/is no address/, 'audit', 'petitions'],
      [/--key KEY or --policy/, 'receipt', 'receipt.tlog-proof'],
      [/ENOENT/, 'receipt', 'absent', '--key', logKeys[0]!],
      [/NAME\+ID\+BASE64/, 'audit', server.site, '--key', 'nothing'],
      [/is no address/, 'audit', server.site, '--mirror', 'log'],
      [/Unknown option '--keys'/, 'audit', server.site, '--keys', 'nothing'],
    ];
    for (const [message, ...args] of cases) {
      const { code, stderr } = await verifier(...args);
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, message);
    }
    server.intercept = () => ({ status: 404 });
    const { code, stderr } = await verifier('audit', server.site);
    server.intercept = () => undefined;
    assert.equal(code, 3);
    assert.match(stderr, /\/v1\/log: 404/);
    const help = await verifier('--help');
    assert.equal(help.code, 0);
    assert.match(help.stdout, /Exit codes/);
  });

  it('is a library with types', async () => {
    const program = `
      import { audit, policyOf, verifyReceipt, type AuditReport } from 'open-petitions-verifier';
      import { parseReceipt } from 'open-petitions-verifier/receipts';
      import { parsePolicy } from 'open-petitions-verifier/policies';
      const report: AuditReport = await audit({ site: ${JSON.stringify(server.site)}, comparesCounts: false });
      const holds: boolean = report.holds;
      console.log(holds, typeof policyOf, typeof verifyReceipt, typeof parseReceipt, typeof parsePolicy);
    `;
    await writeFile(join(folder, 'program.ts'), program);
    const { stdout } = await run(process.execPath, ['program.ts'], { cwd: folder });
    assert.match(stdout, /^true function function function function$/m);
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'esnext'];
    const tsc = resolve('node_modules/.bin/tsc');
    await run(tsc, [...flags, '--lib', 'esnext,dom', '--types', '', 'program.ts'], {
      cwd: folder,
    }).catch((error: Result) => assert.fail(error.stdout));
  });
});
