import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { runCli } from '../../test/support/command.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { startProcess } from '../../test/support/process.ts';

it('prints the address of the service, though it is run without its settings', async () => {
  await using database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'petitions-setup-link-'));
  const settings = { DATABASE_URL: database.url, DATA_DIR: dataDir };
  await using _ = await startProcess({ ...settings, BASE_URL: 'https://petitions.example' });
  const { stdout } = await runCli('setup-link', [], settings);
  assert.match(stdout, /^https:\/\/petitions\.example\/setup\?token=/);
  const other = await runCli('setup-link', [], { ...settings, PORT: '4321' });
  assert.match(other.stdout, /^http:\/\/localhost:4321\/setup\?token=/);
  await rm(dataDir, { recursive: true });
});
