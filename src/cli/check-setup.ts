import { parseArgs } from 'node:util';
import { ConfigError, readConfig, type Config } from '../config.ts';
import { settingAdvice } from '../platform/setting-advice.ts';
import { checkDatabase } from './check-setup/database.ts';
import { findingsOf, note, ok, wrong, type Finding } from './check-setup/finding.ts';
import { checkAddress, checkMail, checkRedis } from './check-setup/services.ts';
import { checkBucket, checkDataDir } from './check-setup/storage.ts';
import { runCommand } from './command.ts';

const help = `Checks the settings, and what they name: database, folder, bucket, Redis, mail relay, public address.

  npm run check-setup

Exit code 0: nothing is wrong. 1: something is. Nothing is changed, but that a small file is stored in the bucket and
deleted again. Settings are the service's environment variables.
`;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const findings = await findAll();
  process.stdout.write(tableOf(findings));
  if (findings.some(({ state }) => state === 'WRONG')) process.exitCode = 1;
}

async function findAll(): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(process.env, { makesSecrets: false });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [wrong('settings', error.message)];
  }
  const advice = settingAdvice(config).map(({ text }) => note('settings', text));
  const parts = await Promise.all([
    findingsOf('DATA_DIR', () => checkDataDir(config)),
    findingsOf('database', () => checkDatabase(config)),
    findingsOf('pictures', () => checkBucket(config)),
    findingsOf('Redis', () => checkRedis(config)),
    findingsOf('mail', () => checkMail(config)),
    findingsOf('BASE_URL', () => checkAddress(config)),
  ]);
  return [...(advice.length > 0 ? advice : [ok('settings', 'are valid')]), ...parts.flat()];
}

/** A line for each finding, in columns. */
function tableOf(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ about }) => about.length));
  const lines = findings.map(
    ({ about, state, text }) => `${state.padEnd(5)}  ${about.padEnd(width)}  ${text}`,
  );
  const count = findings.filter(({ state }) => state === 'WRONG').length;
  const sum = count === 0 ? 'Nothing is wrong.' : `${count} wrong: see docs/operating.md.`;
  return `${[...lines, '', sum].join('\n')}\n`;
}

if (import.meta.main) await runCommand(main);
