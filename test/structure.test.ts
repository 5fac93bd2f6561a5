import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';

/** Lower tiers never know of higher ones. */
const tiers = ['platform', 'identity', 'campaigns', 'reach', 'oversight', 'web'];
/** Public modules of slices that were split, instead of `<slice>.ts`. */
const splitSlices: Record<string, string[]> = {
  petitions: [
    'cache.ts',
    'closing-dates.ts',
    'export.ts',
    'list.ts',
    'manage.ts',
    'policy.ts',
    'read.ts',
    'state.ts',
    'transition.ts',
    'write.ts',
  ],
};
const publicModules = (slice: string) => ['schema.ts', ...(splitSlices[slice] ?? [`${slice}.ts`])];

interface Import {
  from: string;
  to: string;
}

const files = globSync('src/**/*.ts').filter((path) => !path.endsWith('.test.ts'));
const imports: Import[] = files.flatMap((from) =>
  [...readFileSync(from, 'utf8').matchAll(/^(?:import|export)\b[^;]*?from '(\.[^']+)'/gms)].map(
    (match) => ({ from, to: join(dirname(from), match[1]!) }),
  ),
);

const tierOf = (path: string) => tiers.indexOf(path.split('/')[1]!);
const sliceOf = (path: string) => path.split('/').slice(1, 3).join('/');

it('tiers look one way', () => {
  const wrong = imports.filter(({ from, to }) => {
    // The command line and the few files at the top put everything together.
    if (tierOf(from) < 0) return false;
    if (tierOf(to) < 0) return to !== 'src/config.ts' && !to.startsWith('locales/');
    return tierOf(to) > tierOf(from);
  });
  assert.deepEqual(wrong, []);
});

it('slices import only public modules of other slices', () => {
  const wrong = imports.filter(({ from, to }) => {
    if (tierOf(to) <= 0 || sliceOf(from) === sliceOf(to) || tierOf(from) < 0) return false;
    const [, , slice, file] = to.split('/');
    return !publicModules(slice!).includes(file!);
  });
  assert.deepEqual(wrong, []);
});

it('no two files need each other', () => {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    assert.ok(!path.includes(file), `a circle: ${[...path, file].join(' -> ')}`);
    if (done.has(file)) return;
    for (const { to } of targets.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
});

it('the environment is read where the service starts, and nowhere else', () => {
  const readers = files.filter((path) => /process\.env\b/.test(readFileSync(path, 'utf8')));
  // The last hands PATH and the like on to PostgreSQL's tools.
  const known = ['src/main.ts', 'src/cli/', 'src/platform/embedded-postgres/binaries.ts'];
  assert.deepEqual(
    readers.filter((path) => !known.some((one) => path.startsWith(one))),
    [],
  );
});

/** Tables that more than one slice writes, with the reason. */
const sharedTables: Record<string, { slices: string[]; reason: string }> = {
  petitions: {
    slices: ['campaigns/petitions', 'campaigns/signatures'],
    reason: 'the count changes in the statement that stores signatures',
  },
  events: {
    slices: ['platform', 'campaigns/signatures'],
    reason: 'a group of signatures and its events are one statement',
  },
};

it('only its owner writes a table', () => {
  const schema = readFileSync('migrations/schema.sql', 'utf8');
  const tables = new Set(
    [...schema.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+)/gm)].map((match) => match[1]!),
  );
  assert.ok(tables.size > 50);
  const writers = new Map<string, Set<string>>();
  // Commands may write any table: they fill and check whole databases.
  for (const path of files.filter((one) => tierOf(one) >= 0)) {
    const slice = tierOf(path) === 0 ? 'platform' : sliceOf(path);
    const statements = /\b(?:insert into|update|delete from|truncate) (\w+)\b/g;
    for (const [, table] of readFileSync(path, 'utf8').matchAll(statements)) {
      if (tables.has(table!)) writers.getOrInsertComputed(table!, () => new Set()).add(slice);
    }
  }
  const several = [...writers]
    .filter(([table, slices]) => slices.size > 1 && !sharedTables[table])
    .map(([table, slices]) => `${table}: ${[...slices].join(', ')}`);
  assert.deepEqual(several, []);
  for (const [table, { slices }] of Object.entries(sharedTables)) {
    assert.deepEqual([...(writers.get(table) ?? [])].toSorted(), slices.toSorted(), table);
  }
});
