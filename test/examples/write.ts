import { spawn } from 'node:child_process';
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stableExample } from './stable.ts';

const examplesFile = 'src/answer-examples.json';

interface Example {
  status: number;
  body: unknown;
}

/**
 * Runs test files, all quick ones by default, and writes an answer of each operation that they call into
 * src/answer-examples.json. Examples of other operations stay. With `--from FILE`, takes answers that were recorded
 * with ANSWERS_FILE.
 */
async function main(args: string[]): Promise<void> {
  if (args[0] === '--from') {
    await writeExamples(args[1]!);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'petitions-examples-'));
  const file = join(folder, 'answers');
  try {
    const env = { ...process.env, ANSWERS_FILE: file };
    await once(
      spawn(process.execPath, ['test/run.ts', ...args], { env, stdio: 'inherit' }),
      'close',
    );
    await writeExamples(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function writeExamples(answersFile: string): Promise<void> {
  const best = new Map<string, Example & { worth: number }>();
  for await (const line of createInterface(createReadStream(answersFile))) {
    const { operationId, status, body } = JSON.parse(line) as Example & { operationId: string };
    const example = { status, body: stableExample(body) };
    const worth = worthOf(example.body);
    const known = best.get(operationId);
    if (!known || worth > known.worth) best.set(operationId, { ...example, worth });
  }
  const kept = existsSync(examplesFile)
    ? Object.entries(JSON.parse(readFileSync(examplesFile, 'utf8')) as Record<string, Example>)
    : [];
  const all = new Map<string, Example>(kept);
  for (const [id, { status, body }] of best) all.set(id, { status, body });
  const sorted = [...all].toSorted(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(examplesFile, `${JSON.stringify(Object.fromEntries(sorted), undefined, 1)}\n`);
}

const maxLength = 3000;

/** How many values an example shows. Prefers short examples to those above the length. */
function worthOf(body: unknown): number {
  const { length } = JSON.stringify(body);
  return length > maxLength ? maxLength / length : countValues(body);
}

function countValues(value: unknown): number {
  if (value === null || value === '') return 0;
  if (typeof value !== 'object') return 1;
  return Object.values(value).reduce((sum: number, member) => sum + countValues(member), 0);
}

await main(process.argv.slice(2));
