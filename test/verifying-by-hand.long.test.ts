import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { installMissing } from './support/debian.ts';
import { eventually } from './support/eventually.ts';
import { blocksBelow } from './support/page-blocks.ts';
import { createPublished, signUp, type Person, type TestUser } from './support/people.ts';
import { countedLog } from './support/public-log.ts';
import { startService, type Service } from './support/service.ts';
import { startShell, type Shell } from './support/shell.ts';
import { signByMany } from './support/signing.ts';

const page = 'docs/verifying.md';
const missing = installMissing(['curl', 'jq', 'openssl'], ['curl', 'jq', 'openssl']);

describe('an audit by hand, as docs/verifying.md has it', { skip: missing ?? false }, () => {
  const stack = new AsyncDisposableStack();
  let service: Service;
  let creator: Person;
  let petition: { id: string; slug: string; log_id: string };
  let signers: TestUser[];
  let shell: Shell;
  let folder: string;
  /** What each block printed, by its first line. */
  const run = async (block: string): Promise<string[]> => {
    const replaced = [
      [
        'npx open-petitions-verifier',
        `${process.execPath} --disable-warning=ExperimentalWarning ${resolve('verifier/src/cli.ts')}`,
      ],
      ['https://petitions.example.org', service.origin],
      ['a-bench-at-every-bus-stop', petition.slug],
    ].reduce((text, [from, to]) => text.replaceAll(from!, to!), block);
    return (await shell.run(replaced)).trimEnd().split('\n');
  };
  const section = (heading: string): string[] =>
    blocksBelow(page, heading).map(({ language, code }) => {
      assert.equal(language, 'sh', code);
      return code;
    });
  const withdraw = async ({ api }: TestUser) => {
    const { status } = await api.delete(`/v1/petitions/${petition.id}/signatures/me`);
    assert.equal(status, 204);
  };
  /** What the shell downloaded. */
  const checkpoint = async () => {
    const [origin, size, root] = (await readFile(join(folder, 'checkpoint'), 'utf8')).split('\n');
    return { origin: origin!, size: size!, root: root! };
  };

  before(async () => {
    service = stack.use(await startService({ worker: true }));
    creator = await signUp(service);
    const other = await createPublished(creator);
    petition = await createPublished(creator, { title: 'A bench at every bus stop' });
    signers = await signByMany(service, petition, 290);
    await signByMany(service, other, 30);
    await countedLog(service, petition, 290);
    await withdraw(signers[0]!);
    await settled(289);
    folder = await mkdtemp(join(tmpdir(), 'by-hand-'));
    stack.defer(() => rm(folder, { recursive: true }));
    shell = stack.use(startShell(folder));
  });
  after(() => stack.disposeAsync());

  /** Waits for the total of the last change. */
  const settled = async (counted: number) => {
    await eventually(async () => {
      const { entries } = await countedLog(service, petition, counted);
      const total = entries.findLast(
        (one) => one.type === 'total' && one.petition === petition.log_id,
      );
      return total?.type === 'total' && total.counted === counted;
    }, 30_000);
  };

  it('checks signature, entries and root', async () => {
    const [audit, download, signature, entries, functions, roots, ...others] = section(
      'Read the log of an instance',
    );
    assert.deepEqual(others, []);
    assert.equal((await run(audit!)).at(-1), 'OK: everything holds.');
    const shown = await run(download!);
    const { origin, size, root } = await checkpoint();
    assert.deepEqual(shown, ['petitions.test/log', size, root]);
    assert.equal(origin, 'petitions.test/log');
    assert.ok(Number(size) > 320, size);
    assert.deepEqual(await run(signature!), ['Signature Verified Successfully']);
    assert.deepEqual(await run(entries!), [size]);
    assert.deepEqual(await run(functions!), ['']);
    assert.deepEqual(await run(roots!), [root, root]);
  });

  it('recounts a petition', async () => {
    const [count, total, list, ...others] = section('Recount a petition');
    assert.deepEqual(others, []);
    assert.deepEqual(await run(count!), ['{"counted":289,"imported":0}', '289']);
    const sum = '{"counted":289,"imported":0}';
    assert.deepEqual(await run(total!), [sum, sum]);
    await run(list!);
    const listed = (await readFile(join(folder, 'entries.jsonl'), 'utf8')).trimEnd().split('\n');
    const logged = (await readFile(join(folder, 'log.jsonl'), 'utf8')).split('\n');
    assert.deepEqual(
      listed,
      logged.filter((line) => line.includes(petition.log_id)),
    );
  });

  it('compares two visits', async () => {
    const [keep, compare, ...others] = section('Compare two visits');
    assert.deepEqual(others, []);
    const first = await checkpoint();
    await run(keep!);
    await withdraw(signers[1]!);
    await settled(288);
    const roots = await run(compare!);
    const second = await checkpoint();
    assert.ok(Number(second.size) > Number(first.size));
    assert.deepEqual(roots, [first.root, first.root, second.root, second.root]);
  });

  it('finds an entry that was changed', async () => {
    const file = join(folder, 'log.jsonl');
    const log = await readFile(file, 'utf8');
    const place = log.indexOf('"commitment":"') + '"commitment":"'.length;
    const other = log[place] === 'A' ? 'B' : 'A';
    await writeFile(file, `${log.slice(0, place)}${other}${log.slice(place + 1)}`);
    const [computed, signed] = await run(section('Read the log of an instance').at(-1)!);
    assert.equal(signed, (await checkpoint()).root);
    assert.notEqual(computed, signed);
  });
});
