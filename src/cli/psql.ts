import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readConfig } from '../config.ts';
import { CommandError, reachExisting, runCommand } from './command.ts';

const help = `Opens psql, PostgreSQL's terminal, on the service's database: the embedded one too, whether the service runs or not.

  npm run psql [-- ARGUMENT …]     such as -- --command 'select count(*) from petitions'

psql itself must be installed: on Debian, the package postgresql-client. Settings are the service's environment variables, such
as DATABASE_URL or DATA_DIR.
`;

async function main(args: string[]): Promise<void> {
  if (args.includes('--help')) {
    process.stdout.write(help);
    return;
  }
  const config = readConfig(process.env, { makesSecrets: false });
  await using database = await reachExisting(config);
  const { address, env } = forLibpq(database.directUrl);
  // Ctrl-C cancels a statement there, and does not end this process.
  process.on('SIGINT', () => {});
  const psql = spawn('psql', ['--dbname', address, ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const [code] = await once(psql, 'exit').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new CommandError(
      'psql is not installed: install it (on Debian: apt install postgresql-client).',
    );
  });
  process.exitCode = (code as number | null) ?? 1;
}

/** Where Debian keeps the certificates of authorities. Node has its own, psql none. */
const authorities = '/etc/ssl/certs/ca-certificates.crt';

/**
 * Translates an address of the service for psql. Its password goes into the environment, since other users of the machine can
 * see arguments.
 * @throws {CommandError} if the password stands elsewhere
 */
function forLibpq(url: string): { address: string; env: Record<string, string> } {
  const [, start, password, rest] = /^([a-z]+:\/\/[^:@/?]*):(.*)(@[^@]*)$/.exec(url) ?? [];
  const known = password === undefined ? url : `${start}${rest}`;
  if (/[?&]password=/.test(known)) {
    throw new CommandError(
      'DATABASE_URL has its password as a parameter: write it before the host.',
    );
  }
  const address = known
    .replace('sslmode=no-verify', 'sslmode=require')
    .replace(/[?&]uselibpqcompat=\w+/, '');
  const isVerified = /sslmode=verify-/.test(address) && !address.includes('sslrootcert=');
  return {
    address,
    env: {
      ...(password !== undefined && { PGPASSWORD: decoded(password) }),
      ...(isVerified && !process.env.PGSSLROOTCERT && { PGSSLROOTCERT: authorities }),
    },
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

if (import.meta.main) await runCommand(main);
