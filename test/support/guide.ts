import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A block of commands, and what the page shows as their answer. */
export interface Commands {
  line: number;
  code: string;
  answer: string | undefined;
}

/** A file that the reader saves: its first line, a comment, names it. */
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
 * What a page has its reader do, in order. An answer stands right behind the commands that it is of.
 * @throws {Error} for a block that nothing would run or check
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

/** Runs the steps in one shell, as a reader does, and gives what each block of commands wrote. */
export async function follow(
  steps: Step[],
  { folder, goesOn }: { folder: string; goesOn: boolean },
): Promise<Map<Commands, string>> {
  const files = steps.filter(isFile);
  await Promise.all(files.map(({ name, text }) => writeFile(join(folder, name), text)));
  const blocks = steps.filter((step): step is Commands => !isFile(step));
  await writeFile(join(folder, 'page.sh'), script(blocks, goesOn));
  // A call that fails ends the block, unless the page shows how it does.
  await writeFile(join(folder, '.curlrc'), 'fail-with-body\n');
  const shell = spawn('bash', ['page.sh'], {
    cwd: folder,
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder },
    stdio: 'ignore',
    // What a page waits for comes at once, or never.
    timeout: 30_000,
  });
  await once(shell, 'exit');
  return readOutputs(folder, blocks);
}

/**
 * Each block writes into a file of its own and has to succeed; where the page shows an answer, the answer
 * is what counts. Variables are kept for the pages that go on from there, and nothing goes on running.
 */
function script(blocks: Commands[], goesOn: boolean): string {
  const body = blocks.map(
    ({ line, code, answer }) =>
      `set ${answer === undefined ? '-e' : '+e'}\n{\n${code}} > ${line}.out 2>&1\necho > ${line}.done\n`,
  );
  return [
    'set -o pipefail',
    'rm -f *.out *.done',
    goesOn && 'source ./variables',
    `trap 'kill $(jobs -p) 2> /dev/null' EXIT`,
    ...body,
    goesOn || `declare -p $(compgen -v | grep '^[a-z]') > variables`,
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
 * Whether an answer is as the page shows it: … stands for anything on the line, or for any number of lines;
 * an id or a time for any other.
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
