import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installMissing } from './debian.ts';

const libraries = '/usr/share/gocode';

/** Why Go, or the code of its checksum database, is missing. Installs them where that is possible. */
export const missingGo = installMissing(
  ['go', join(libraries, 'src/golang.org/x/mod/sumdb/tlog')],
  ['golang-go', 'golang-golang-x-mod-dev'],
);

/** The program of test/transparency/go, and the folder that it reads. */
export interface GoVerifier extends AsyncDisposable {
  folder: string;
  /** Writes a file into the folder. */
  write: (path: string, content: string | Buffer) => Promise<void>;
  /**
   * Verifies a log at these sizes. Returns the output. `logUrl`: where its tiles are, if not in the folder.
   * @throws {Error} if something does not hold
   */
  verify(sizes: readonly number[], logUrl?: string): Promise<string>;
}

/** Builds the program. */
export async function buildGoVerifier(): Promise<GoVerifier> {
  const folder = await mkdtemp(join(tmpdir(), 'log-'));
  const program = join(folder, 'verifier');
  await promisify(execFile)('go', ['build', '-o', program, 'test/transparency/go/main.go'], {
    env: {
      ...process.env,
      GO111MODULE: 'off',
      GOPATH: libraries,
      GOFLAGS: '',
      GOCACHE: join(folder, 'go-cache'),
    },
  });
  return {
    folder,
    write: async (path, content) => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    },
    verify: async (sizes, logUrl) => {
      const options = logUrl === undefined ? [] : [`-log=${logUrl}`];
      const args = [...options, folder, ...sizes.map(String)];
      return (await promisify(execFile)(program, args)).stdout;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
