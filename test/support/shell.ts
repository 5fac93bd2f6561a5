import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A bash that runs one block of commands after the other, as a reader does. */
export interface Shell extends AsyncDisposable {
  /** Runs commands. Returns what they print. @throws {Error} if the last of them fails */
  run(commands: string): Promise<string>;
}

/** Starts a shell in a folder, which is its home, too. */
export function startShell(folder: string, env: Record<string, string> = {}): Shell {
  const child = spawn('bash', ['--noprofile', '--norc'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stdin.write('exec 2>&1\n');
  return {
    async run(commands) {
      const end = randomUUID();
      child.stdin.write(`${commands}\necho "${end} $?"\n`);
      let output = '';
      for (;;) {
        const { value: line, done } = await lines.next();
        if (done) throw new Error(`the shell ended after:\n${commands}\n${output}`);
        const at = line.indexOf(end);
        output += at < 0 ? `${line}\n` : line.slice(0, at);
        if (at < 0) continue;
        if (line.endsWith(' 0')) return output;
        throw new Error(`this failed:\n${commands}\n${output}`);
      }
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await exited;
    },
  };
}
