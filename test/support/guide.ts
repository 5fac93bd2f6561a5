import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A block of commands, with the output that the page shows. */
export interface Commands {
  line: number;
  code: string;
  answer: string | undefined;
}

/** A file that the reader saves. The comment in its first line names it. */
export interface SavedFile {
  name: string;
  text: string;
}

export type Step = Commands | SavedFile;

export const isFile = (step: Step): step is SavedFile => 'name' in step;

const answers = new Set(['json', 'text', 'csv', 'xml']);
const programs = new Set(['js', 'python', 'html']);
const fence = /^```(\w+)\n(.*?)^```$/gms;
const fileName = /^(?:\/\/|#|<!--) ([\w.-]+)(?: -->)?\n/;

/**
 * Reads the steps of a page in order. An answer directly follows its commands.
 * @throws {Error} for a block that is neither
 */
export function readSteps(page: string): Step[] {
  const steps: Step[] = [];
  let end = 0;
  for (const { index, 0: whole, 1: language = '', 2: text = '' } of page.matchAll(fence)) {
    const line = page.slice(0, index).split('\n').length;
    const last = steps.at(-1);
    const follows = page.slice(end, index).trim() === '';
    end = index + whole.length;
    if (language === 'sh') steps.push({ line, code: text, answer: undefined });
    else if (answers.has(language) && last && !isFile(last) && follows) last.answer = text;
    else steps.push({ name: nameIn(language, text, line), text });
  }
  return steps;
}

function nameIn(language: string, text: string, line: number): string {
  const name = programs.has(language) ? fileName.exec(text)?.[1] : undefined;
  if (name) return name;
  throw new Error(
    `Line ${line}: a block is commands (sh), the answer right behind them, or a file whose first line names it.`,
  );
}

/** Runs the steps in one shell, like a reader. Returns the output of each block of commands. */
export async function follow(
  steps: Step[],
  { folder, isContinued }: { folder: string; isContinued: boolean },
): Promise<Map<Commands, string>> {
  const files = steps.filter(isFile);
  await Promise.all(files.map(({ name, text }) => writeFile(join(folder, name), text)));
  const blocks = steps.filter((step): step is Commands => !isFile(step));
  await writeFile(join(folder, 'page.sh'), script(blocks, isContinued));
  // A failed call ends the block, unless the page shows the failure.
  await writeFile(join(folder, '.curlrc'), 'fail-with-body\n');
  const shell = spawn('bash', ['page.sh'], {
    cwd: folder,
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder },
    stdio: 'ignore',
    // All steps of a page take a few seconds.
    timeout: 30_000,
  });
  await once(shell, 'exit');
  return readOutputs(folder, blocks);
}

/**
 * Creates the script. Each block writes to its own file and must succeed, unless the page shows its answer. Saves
 * variables for later pages, and stops background processes at the end.
 */
function script(blocks: Commands[], isContinued: boolean): string {
  const body = blocks.map(
    ({ line, code, answer }) =>
      `set ${answer === undefined ? '-e' : '+e'}\n{\n${code}} > ${line}.out 2>&1\necho > ${line}.done\n`,
  );
  return [
    'set -o pipefail',
    'rm -f *.out *.done',
    isContinued && 'source ./variables',
    `trap 'kill $(jobs -p) 2> /dev/null' EXIT`,
    ...body,
    isContinued || `declare -p $(compgen -v | grep '^[a-z]') > variables`,
  ]
    .filter((line) => typeof line === 'string')
    .join('\n');
}

async function readOutputs(folder: string, blocks: Commands[]): Promise<Map<Commands, string>> {
  const written = new Set(await readdir(folder));
  const outputs = new Map<Commands, string>();
  for (const block of blocks) {
    const output = await readFile(join(folder, `${block.line}.out`), 'utf8').catch(() => '');
    if (!written.has(`${block.line}.done`)) {
      throw new Error(`Line ${block.line}: this failed.\n${block.code}${output}`);
    }
    outputs.set(block, output);
  }
  return outputs;
}

/**
 * Whether the output matches the answer in the page. There, … matches the rest of a line or any number of lines, and
 * ids and times match any other.
 */
export function isAsShown(output: string, shown: string): boolean {
  const lines = shown.trim().split('\n');
  const pattern = lines.map((line) =>
    line.trim() === '…' ? '(?:.*\\n)*' : `${matching(line)}\\n`,
  );
  return new RegExp(`^${pattern.join('')}$`).test(`${output.replaceAll('\r', '').trim()}\n`);
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/;
const matching = (line: string) =>
  line
    .split(new RegExp(`(${uuid.source}|${time.source}|…)`))
    .map((part) => {
      if (part === '…') return '.*';
      const kind = [uuid, time].find((one) => one.test(part));
      return kind ? kind.source : RegExp.escape(part);
    })
    .join('');
