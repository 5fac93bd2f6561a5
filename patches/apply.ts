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

await Promise.all(changes.map(apply));
