import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** What stands otherwise in a package until it does so by itself. */
interface Change {
  /** Within node_modules. */
  file: string;
  from: string;
  to: string;
}

const changes: Change[] = [
  // V8 puts a function that is written where a property is set among what is old at once, and what that refers to
  // stays until all memory is gone through: each statement, each fragment of one and all rows that came.
  {
    file: 'postgres/src/query.js',
    from: `
    this.resolve = x => (this.active = false, resolve(x))
    this.reject = x => (this.active = false, reject(x))
`,
    to: `
    const settle = x => (this.active = false, resolve(x))
    const fail = x => (this.active = false, reject(x))
    this.resolve = settle
    this.reject = fail
`,
  },
  // A write that waits for setImmediate can run after the connection was lost, when there is no socket: the
  // exception ends the process. Upstream issues #1154 and #1208, pull requests #1168 and #1209.
  {
    file: 'postgres/src/connection.js',
    from: `
  function nextWrite(fn) {
    const x = socket.write(chunk, fn)
`,
    to: `
  function nextWrite(fn) {
    if (!socket) {
      nextWriteTimer !== null && clearImmediate(nextWriteTimer)
      chunk = nextWriteTimer = null
      error(Errors.connection('CONNECTION_CLOSED', options))
      return false
    }
    const x = socket.write(chunk, fn)
`,
  },
  // The first statement of a connection has no caller: where the connection is lost meanwhile, its rejection is
  // unhandled and ends the process. Upstream issue #1192, pull request #1223.
  {
    file: 'postgres/src/connection.js',
    from: `
    types.forEach(({ oid, typarray }) => addArrayType(oid, typarray))
  }
`,
    to: `
    types.forEach(({ oid, typarray }) => addArrayType(oid, typarray))
  }

  function arrayTypesFailed(err) {
    errored(err)
    socket && socket.destroy()
  }
`,
  },
  {
    file: 'postgres/src/connection.js',
    from: `        return fetchArrayTypes()
`,
    to: `        return fetchArrayTypes().catch(arrayTypesFailed)
`,
  },
];

/** Makes the changes that are not made yet. */
async function apply({ file, from, to }: Change): Promise<void> {
  const path = fileURLToPath(new URL(`../node_modules/${file}`, import.meta.url));
  const text = await readFile(path, 'utf8');
  if (text.includes(to)) return;
  if (!text.includes(from)) {
    throw new Error(`${file} is another one than patches/apply.ts changes: is that still needed?`);
  }
  await writeFile(path, text.replace(from, to));
}

// One after the other: several change the same file.
for (const change of changes) await apply(change);
