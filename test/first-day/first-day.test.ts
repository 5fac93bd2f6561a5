import assert from 'node:assert/strict';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Browser } from '../support/browser.ts';
import { Client } from '../support/client.ts';
import { runCli, type CommandResult } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { openTestPool } from '../support/load.ts';
import { startProcess, type ServiceProcess } from '../support/process.ts';
import { installRevision, lastRelease, missingRevision } from '../support/revisions.ts';
import { assertVerified } from '../support/verify.ts';
import { findPrograms, openSite, productionSettings, startMachine, type Site } from './machine.ts';
import { countOf, publishPetition, startSigning } from './people.ts';

const signatures = 50;
/** In each part of the upgrade: before it, beside the old version, and without it. */
const signaturesInEachPart = 25;
/** Of requests during an upgrade. docs/operating.md: one that was under way may fail. */
const maxRefusedShare = 0.01;
const timeout = 170_000;
const administrator = {
  display_name: 'Olga',
  email: 'olga@city.example',
  password: 'nine green kettles',
};

/** Before there is a release: the version before the settings and the set-up of a site. */
const release = (await lastRelease()) ?? 'bd64f26ae350060e526dafa69796659c31c5555c';

const missing = findPrograms();
const missingRelease = await missingRevision(release);

describe("an operator's first day", { skip: missing ?? false }, () => {
  it('leads from an empty database to a verified copy of a site', { timeout }, async (t) => {
    const step = stepsOf(t);
    await using machine = await startMachine();
    t.diagnostic(`PostgreSQL ${machine.postgresVersion}`);
    await using site = await openSite(machine, 1);
    const databaseUrl = await machine.createDatabase('petitions');
    const settings = await productionSettings(machine, { site, databaseUrl });
    await using service = await step('start', () => startProcess(settings, site.ports[0]));
    await step('set-up', async () => {
      await setUp(service, site);
      const { subject } = await machine.mailTo(administrator.email);
      assert.equal(subject, 'A test mail of Our City');
    });
    await step('check-setup', async () => {
      const trusting = { ...settings, NODE_EXTRA_CA_CERTS: site.certificateFile };
      const { stdout } = assertDone(await runCli('check-setup', [], trusting));
      assert.match(stdout, /^ok {5}settings +are valid$/m);
      assert.match(stdout, /^Nothing is wrong\.$/m);
    });
    const petition = await publishPetition({ machine, site }, 'ada@mail.example');
    await step(`${signatures} signatures by mail`, async () => {
      const crowd = startSigning({ machine, site, petition }, signatures);
      await crowd.waitForMore(signatures);
      await crowd.end();
      assert.equal(crowd.refused, 0);
    });
    assert.equal(await countOf(petition, site.visitor()), signatures);

    const file = join(await machine.createFolder(), 'petitions.backup');
    const withKey = { ...settings, BACKUP_KEY: 'a passphrase of the operator' };
    await step('backup', async () => assertDone(await runCli('backup', [file], withKey)));
    t.diagnostic(`the backup has ${Math.round((await stat(file)).size / 1024)} kB`);
    const copy = {
      ...withKey,
      DATABASE_URL: await machine.createDatabase('elsewhere'),
      DATA_DIR: await machine.createFolder(),
      // Mails of a copy must not go out.
      MAIL: 'files',
    };
    await step('restore', async () => {
      const { stdout } = assertDone(await runCli('restore', [file], copy));
      assert.match(stdout, /^All \d+ checks hold\.$/m);
    });
    await step('verify', async () => {
      await assertVerified(databaseUrl);
      await assertVerified(copy.DATABASE_URL);
    });
    await using restored = await startProcess(copy);
    const api = new Client(restored.origin);
    assert.equal(await countOf(petition, api), signatures);
    assert.equal((await api.get('/v1/site')).body.data.name, 'Our City');
    assert.equal((await api.post('/v1/auth/login', administrator)).status, 200);
    await endWithoutErrors(restored);
    await endWithoutErrors(service);
  });

  it(
    'goes on with an upgrade from the last release while people sign',
    { skip: missingRelease ?? false, timeout },
    async (t) => {
      const step = stepsOf(t);
      await using stack = new AsyncDisposableStack();
      const folder = await step(`install ${release.slice(0, 12)}`, () => installRevision(release));
      stack.defer(() => rm(folder, { recursive: true, force: true }));
      const machine = stack.use(await startMachine());
      const site = stack.use(await openSite(machine, 2));
      const [oldPort, newPort] = site.ports as [number, number];
      const databaseUrl = await machine.createDatabase('petitions');
      const settings = {
        ...(await productionSettings(machine, { site, databaseUrl })),
        ADMIN_EMAIL: administrator.email,
        ADMIN_PASSWORD: administrator.password,
      };
      const old = stack.use(
        await step('start of the release', () => startProcess(settings, oldPort, folder)),
      );
      const petition = await publishPetition({ machine, site }, 'ada@mail.example');
      const crowd = startSigning({ machine, site, petition });
      const moreSign = () => crowd.waitForMore(signaturesInEachPart);

      await step('signatures on the release', moreSign);
      await step('migrate', async () => {
        const { stdout } = assertDone(await runCli('migrate', [], settings));
        t.diagnostic(`${stdout.match(/^applied /gm)?.length ?? 0} migrations`);
      });
      const upgraded = stack.use(
        await step('start of this version', () => startProcess(settings, newPort)),
      );
      await step('signatures on both', async () => {
        await moreSign();
        for (const port of site.ports) await eventually(() => site.wasServedBy(port));
      });
      await step('stop of the release', () => endWithoutErrors(old));
      await step('signatures on this version', moreSign);
      await crowd.end();
      const { signed, requests, refused } = crowd;
      t.diagnostic(`${signed} signatures, ${refused} of ${requests} requests answered by 503`);
      assert.ok(refused <= requests * maxRefusedShare, `${refused} of ${requests} were refused`);

      assert.equal(await countOf(petition, site.visitor()), signed);
      await using connected = openTestPool(databaseUrl);
      const { db } = connected;
      await eventually(
        async () => !(await db.exists`select from backfills where completed_at is null`),
        60_000,
      );
      await assertVerified(databaseUrl);
      await endWithoutErrors(upgraded);

      // What this version will be for the next one. The release itself may be from before the check.
      await db`insert into migrations (name) values ('9999_of_the_next_version.sql')`;
      await db`update instance set version = '9.8.7'`;
      await assert.rejects(
        startProcess(settings, newPort),
        /migrated by version 9\.8\.7 \(up to 9999_of_the_next_version\.sql\), and this is version/,
      );
    },
  );
});

/** Sets a new site up by the link that its process has printed. */
async function setUp(service: ServiceProcess, site: Site): Promise<void> {
  const { baseUrl } = site;
  const linkLine = /^Set this site up within a day: (\S+)$/m;
  await eventually(() => linkLine.test(service.output()));
  const link = linkLine.exec(service.output())![1]!;
  assert.ok(link.startsWith(`${baseUrl}/setup?`), link);
  const browser = new Browser(site.visitor(), { origin: baseUrl });
  const page = await browser.open(link.slice(baseUrl.length));
  const done = await browser.submit(page, { ...administrator, name: 'Our City' });
  assert.match(String(done.body), /Your site is set up/);
}

/** Ends a process, which must have logged no error: its log has errors alone. */
async function endWithoutErrors(service: ServiceProcess): Promise<void> {
  assert.equal(await service.end('SIGTERM'), 0, service.output());
  const errors = service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  assert.deepEqual(errors, []);
}

function assertDone(result: CommandResult): CommandResult {
  assert.equal(result.code, 0, result.stderr + result.stdout);
  return result;
}

/** Returns a function that does a step, and notes how long it took. */
const stepsOf =
  (t: TestContext) =>
  async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const result = await work();
    t.diagnostic(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    return result;
  };
