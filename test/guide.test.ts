import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readFollowerLags } from '../src/platform/followers.ts';
import { fieldErrorCodes, problemKinds } from '../src/platform/problems.ts';
import { eventually } from './support/eventually.ts';
import { follow, isAsShown, isFile, readSteps, type Step } from './support/guide.ts';
import { freePort } from './support/process.ts';
import { startService, type Service } from './support/service.ts';

const index = readFileSync('docs/api/README.md', 'utf8');
/** The pages in the order of the index. */
const [first = '', ...others] = [...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name]) => name!);

const has = (program: string) => spawnSync('bash', ['-c', `type ${program}`]).status === 0;
const missing = ['curl', 'jq', 'openssl'].filter((program) => !has(program));
const hasPython = has('python3');

describe('the guide to the API', () => {
  it('has every page in its index', async () => {
    const pages = await readdir('docs/api');
    assert.deepEqual(
      [first, ...others].toSorted(),
      pages.filter((one) => one.endsWith('.md') && one !== 'README.md'),
    );
  });

  it('explains every kind of failure and every code', () => {
    const explained = readFileSync('docs/api/errors.md', 'utf8');
    const codes = globSync('src/**/*.ts', { exclude: ['**/*.test.ts', 'src/web/**'] }).flatMap(
      (file) => [...readFileSync(file, 'utf8').matchAll(namedCode)].map((match) => match[1]!),
    );
    assert.ok(codes.includes('duplicate_signature') && codes.includes('account_suspended'));
    const all = [...Object.keys(problemKinds), ...fieldErrorCodes, ...codes];
    assert.deepEqual(
      all.filter((one) => !explained.includes(`\`${one}\``)),
      [],
    );
  });
});

/** Codes in calls of conflict, forbidden and unauthorized, and in options of Problem. */
const namedCode =
  /(?:\bconflict\(\s*|\bcode: |\b(?:forbidden|unauthorized)\([^;]*?, )'([a-z]+_[a-z_]+)'/g;

const skip = missing.length > 0 && `the guide needs ${missing.join(', ')}: install them`;

describe('the commands of the guide', { skip }, () => {
  let service: Service;
  let folder: string;
  /** Addresses in the pages and their replacements. */
  let replacements: [string, string][];
  before(async () => {
    const port = await freePort();
    // Like `npm start`, with a shorter delay before retries of deliveries.
    const env = { RATE_LIMITS: 'on', WEBHOOK_RETRY_BASE_MS: '200' };
    service = await startService({ port, worker: true, env });
    replacements = [
      ['localhost:3000', `127.0.0.1:${port}`],
      ['localhost%3A3000', `127.0.0.1%3A${port}`],
      ['8787', String(await freePort())],
    ];
    folder = join(service.ctx.config.dataDir, 'guide');
    await mkdir(folder);
  });
  after(() => service[Symbol.asyncDispose]());

  const stepsOf = (page: string): Step[] =>
    readSteps(
      replacements.reduce(
        (text, [from, to]) => text.replaceAll(from, to),
        readFileSync(page, 'utf8'),
      ),
    );
  let isFirstDone = false;
  const check = async (page: string, isContinued: boolean) => {
    assert.ok(isFirstDone || !isContinued, `${first}, which this page continues, has failed`);
    const steps = stepsOf(join('docs/api', page)).filter(
      (step) => isFile(step) || hasPython || !step.code.includes('python'),
    );
    for (const [{ line, code, answer }, output] of await follow(steps, { folder, isContinued })) {
      const message = `line ${line}: ${code}\nanswers:\n\n${output}\ninstead of:\n\n${answer}`;
      assert.ok(answer === undefined || isAsShown(output, answer), message);
    }
  };

  it(`${first} creates a petition`, async () => {
    await check(first, false);
    // Readers are slower than this test: waits for the search index and sums.
    const { get } = service.api;
    await eventually(async () => (await get('/v1/search/petitions?q=bench')).body.total === 1);
    const history = '/v1/petitions/a-bench-at-every-bus-stop/history';
    await eventually(async () => (await get(history)).body.data.length === 1);
    // The reader opens the link in the mail.
    await service.ctx.db`update users set email_verified_at = now()`;
    isFirstDone = true;
  });

  for (const page of others) {
    it(`${page} has the answers of the service`, async () => {
      // All events of the previous page must have been handled.
      const { db } = service.ctx;
      await eventually(async () =>
        (await readFollowerLags(db)).every(({ seconds }) => seconds === 0),
      );
      await check(page, true);
    });
  }

  const noPython = !hasPython && 'python3 is not installed: the Python examples are left out';
  it('runs the Python examples', { skip: noPython }, () => {});

  it('README.md creates a petition in five calls', async () => {
    const readmeFolder = join(folder, 'readme');
    await mkdir(readmeFolder);
    const calls = stepsOf('README.md').filter(
      (step) => !isFile(step) && step.code.includes('curl'),
    );
    assert.equal(calls.length, 1);
    await follow(calls, { folder: readmeFolder, isContinued: false });
    const { body } = await service.api.get('/v1/petitions/keep-the-river-path-open-at-night');
    assert.deepEqual([body.data.status, body.data.creator.slug], ['active', 'ada']);
  });
});
