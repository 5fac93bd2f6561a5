import { writeFile } from 'node:fs/promises';
import { findSchemaSource, readSchema, schemaFile } from './dump.ts';

/** Writes the schema after all migrations to migrations/schema.sql. */
async function main(): Promise<void> {
  const source = await findSchemaSource();
  if (typeof source === 'string') {
    process.stderr.write(`npm run schema ${source}.\n`);
    process.exitCode = 1;
    return;
  }
  await writeFile(schemaFile, await readSchema(source));
  process.stdout.write('Wrote migrations/schema.sql.\n');
}

await main();
