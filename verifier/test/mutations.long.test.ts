import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { LogEntry } from '../../src/platform/transparency/entries.ts';
import { encodeEntryBundle } from '../../src/platform/transparency/tiles.ts';
import { audit } from '../src/audit.ts';
import { policyOf } from '../src/policies.js';
import { parseBundle } from '../src/bundles.ts';
import { logKeys, makeLog, serveLog, witnessKeys, type LogServer } from './log-server.ts';
import { encodeAll, Random, randomEntries } from './random-log.ts';

const random = new Random(20_261_126);
const entries = randomEntries(random, 900);
const whole = makeLog(encodeAll(entries));

/** What was changed, the files that are served then, and what the verifier must say. */
interface Mutation {
  what: string;
  files: Map<string, Buffer>;
  named: RegExp;
}

/** Files that the last checkpoint refers to: all of this log. */
const paths = [...whole.keys()];
const tiles = paths.filter((path) => /^tile\/\d/.test(path));
const bundles = paths.filter((path) => path.startsWith('tile/entries/'));
const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
const widthOf = (path: string) => Number(/\.p\/(\d+)$/.exec(path)?.[1] ?? 256);
const firstOf = (path: string) => Number(/(\d{3})(\.p|$)/.exec(path)![1]) * 256;

function replaced(path: string, content: Buffer): Map<string, Buffer> {
  return new Map(whole).set(path, content);
}

/** Another log, which the service has built and signed anew, and which its witness has cosigned. */
const rebuilt = (changed: readonly LogEntry[]) => makeLog(encodeAll(changed));

const mutations: (() => Mutation)[] = [
  function byteOfTile() {
    const path = random.of(tiles);
    const content = Buffer.from(whole.get(path)!);
    const at = random.below(content.length);
    content[at]! ^= 1 << random.below(8);
    return {
      what: `byte ${at} of ${path}`,
      files: replaced(path, content),
      named: new RegExp(`^tile: hash ${Math.floor(at / 32)} of ${escaped(path)} `, 'm'),
    };
  },
  function lengthOfTile() {
    const path = random.of(tiles);
    const content = whole.get(path)!.subarray(1 + random.below(31));
    return {
      what: `length of ${path}`,
      files: replaced(path, content),
      named: new RegExp(`^tile: ${escaped(path)} has ${content.length} bytes`, 'm'),
    };
  },
  function byteOfBundle() {
    const path = random.of(bundles);
    const content = Buffer.from(whole.get(path)!);
    const at = random.below(content.length);
    content[at]! ^= 1 << random.below(8);
    return { what: `byte ${at} of ${path}`, files: replaced(path, content), named: named(path) };
  },
  function droppedEntry() {
    const path = random.of(bundles);
    const all = entriesOf(path);
    const files = replaced(path, encodeEntryBundle(all.toSpliced(random.below(all.length), 1)));
    return { what: `an entry dropped from ${path}`, files, named: named(path) };
  },
  function addedEntry() {
    const path = random.of(bundles);
    const all = entriesOf(path);
    const added = all.toSpliced(random.below(all.length), 0, random.of(all));
    const files = replaced(path, encodeEntryBundle(added));
    return { what: `an entry added to ${path}`, files, named: named(path) };
  },
  function reorderedEntries() {
    const path = random.of(bundles);
    const all = entriesOf(path);
    const at = random.below(all.length - 1);
    const changed = all.with(at, all[at + 1]!).with(at + 1, all[at]!);
    const index = firstOf(path) + at;
    return {
      what: `entries ${index} and ${index + 1} reordered`,
      files: replaced(path, encodeEntryBundle(changed)),
      named: new RegExp(`entry ${index}\\b`),
    };
  },
  function alteredTotal() {
    const { index, entry } = pick('total');
    const part = random.of(['counted', 'imported', 'through'] as const);
    const by = random.of([-1, 1]);
    if (entry[part] + by < 0) return alteredImport();
    const changed = entries.with(index, { ...entry, [part]: entry[part] + by });
    // One more is the total before it, which changes nothing.
    if (part === 'through' && by > 0 && entry.through + 1 < index) return alteredImport();
    return {
      what: `${part} of the total ${index}`,
      files: rebuilt(changed),
      named: new RegExp(`^sum: entry ${index} `, 'm'),
    };
  },
  alteredImport,
  function droppedSignature() {
    const { index } = pick('sign', isTotalledLater);
    const changed = entries.toSpliced(index, 1).map((entry) => shifted(entry, index, -1));
    return {
      what: `signature ${index} dropped`,
      files: rebuilt(changed),
      named: /^sum: entry \d+ .*total/m,
    };
  },
  function addedSignature() {
    const { index, entry } = pick('sign', isTotalledLater);
    const added: LogEntry = { ...entry, commitment: random.hash() };
    const changed = entries.toSpliced(index, 0, added).map((one) => shifted(one, index, 1));
    return {
      what: `a signature added at ${index}`,
      files: rebuilt(changed),
      named: /^sum: entry \d+ .*total/m,
    };
  },
  function rewrittenEntry() {
    // No sum can show this: only the history, or a receipt.
    const { index, entry } = pick('sign');
    const changed = entries.with(index, { ...entry, commitment: random.hash() });
    return { what: `signature ${index} replaced`, files: rebuilt(changed), named: /^history: /m };
  },
  function undoneTwice() {
    const { index, entry } = pick('undo');
    const changed = entries.toSpliced(index + 1, 0, entry).map((one) => shifted(one, index + 1, 1));
    return {
      what: `undo ${index} doubled`,
      files: rebuilt(changed),
      named: new RegExp(`^sum: entry ${index + 1} .*undone already`, 'm'),
    };
  },
  function signatureOfCheckpoint() {
    const lines = whole.get('checkpoint')!.toString().split('\n');
    const at = 4 + random.below(4);
    const [dash, name, encoded] = lines[at]!.split(' ');
    const bytes = Buffer.from(encoded!, 'base64');
    // The id names the key.
    bytes[4 + random.below(bytes.length - 4)]! ^= 1 << random.below(8);
    const changed = lines.with(at, `${dash} ${name} ${bytes.toString('base64')}`);
    return {
      what: `signature ${at - 4}`,
      files: replaced('checkpoint', Buffer.from(changed.join('\n'))),
      named: new RegExp(`^checkpoint: .*signature of ${escaped(name!)} .*does not verify`, 'm'),
    };
  },
  function droppedCosignature() {
    const lines = whole.get('checkpoint')!.toString().split('\n');
    const changed = lines.toSpliced(6 + random.below(2), 1);
    return {
      what: 'a cosignature dropped',
      files: replaced('checkpoint', Buffer.from(changed.join('\n'))),
      named: /^checkpoint: .*too few witnesses/m,
    };
  },
  function textOfCheckpoint() {
    const note = Buffer.from(whole.get('checkpoint')!);
    const end = note.indexOf('\n\n');
    note[random.below(end)]! ^= 1 << random.below(7);
    return {
      what: 'text of the checkpoint',
      files: replaced('checkpoint', note),
      named: /^checkpoint: /m,
    };
  },
];

const entriesOf = (path: string) => parseBundle(whole.get(path)!, path, widthOf(path));

/** A message that names the bundle, or one of its entries. */
function named(path: string): RegExp {
  const first = firstOf(path);
  const indexes = Array.from({ length: widthOf(path) }, (_, n) => first + n).join('|');
  return new RegExp(`${escaped(path)}|entry (${indexes})\\b`);
}

function pick<T extends LogEntry['type']>(
  type: T,
  isWanted: (index: number) => boolean = () => true,
): { index: number; entry: Extract<LogEntry, { type: T }> } {
  const found = entries.flatMap((entry, index) =>
    entry.type === type && isWanted(index) ? [{ index, entry }] : [],
  );
  return random.of(found) as { index: number; entry: Extract<LogEntry, { type: T }> };
}

const isTotalledLater = (index: number) =>
  entries.some(
    ({ type, petition }, n) =>
      n > index && type === 'total' && petition === entries[index]!.petition,
  );

function alteredImport(): Mutation {
  const { index, entry } = pick('import', isTotalledLater);
  const changed = entries.with(index, { ...entry, count: entry.count + 1 + random.below(9) });
  return {
    what: `count of the import ${index}`,
    files: rebuilt(changed),
    named: /^sum: entry \d+ .*it is a total of/m,
  };
}

/** The entry after those from an index on were moved. */
function shifted(entry: LogEntry, from: number, by: number): LogEntry {
  if (entry.type === 'undo' || entry.type === 'restore') {
    return { ...entry, leaf: entry.leaf >= from ? entry.leaf + by : entry.leaf };
  }
  if (entry.type === 'total') {
    return { ...entry, through: entry.through >= from ? entry.through + by : entry.through };
  }
  return entry;
}

describe('1,000 changes of a log', () => {
  let server: LogServer;
  let folder: string;
  before(async () => {
    server = await serveLog(whole);
    folder = await mkdtemp(join(tmpdir(), 'verifier-'));
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it('are all named', async () => {
    const policy = await policyOf(logKeys, witnessKeys);
    const run = (stateFile: string | undefined) =>
      audit({ site: server.site, policy, stateFile, comparesCounts: false, witnessTimeoutMs: 0 });
    // Rewritten history is seen by those who have seen the log before.
    const stateFile = join(folder, 'state');
    assert.ok((await run(stateFile)).holds);
    for (let n = 0; n < 1000; n++) {
      const { what, files, named: expected } = mutations[n % mutations.length]!();
      server.files = files;
      const isRewritten = expected.source.startsWith('^history');
      const { holds, problems } = await run(isRewritten ? stateFile : undefined);
      const said = problems.map(({ kind, message }) => `${kind}: ${message}`).join('\n');
      assert.ok(!holds, `${n}, ${what}: nothing was found`);
      assert.match(said, expected, `${n}, ${what}`);
    }
    server.files = whole;
    assert.ok((await run(stateFile)).holds);
  });
});
