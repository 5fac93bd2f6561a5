import { parseArgs } from 'node:util';
import { startWitness } from '../witness/server.ts';
import { readWitnessSettings } from '../witness/settings.ts';
import { runCommand } from './command.ts';

const help = `Runs a witness: it cosigns the checkpoints of public logs, each only if it contains all that the witness has seen of that log.

  WITNESS_NAME=witness.example.org/w1 WITNESS_LOGS=KEY,KEY npm run witness

It needs no database. Settings are environment variables:

  WITNESS_NAME  its name in cosignatures: host and path
  WITNESS_LOGS  verifier keys of the logs to cosign, separated by commas: verifier_keys of their GET /v1/log
  WITNESS_DIR   folder of its key and its state (./witness)
  WITNESS_PORT  port (3080)
  WITNESS_HOST  address to listen on (127.0.0.1)

It prints its verifier keys, for LOG_WITNESSES of the logs, and writes them to verifier-keys.txt in its folder. Its key is made
at the first start. Never run two processes on one folder, and never go back to an earlier state of it.
`;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const settings = readWitnessSettings(process.env);
  const witness = await startWitness(settings);
  process.stdout.write(`${witness.verifierKeys.join('\n')}\n`);
  process.stdout.write(`Ready on http://${settings.host}:${witness.port}\n`);
  const stop = () => void witness.stop();
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

if (import.meta.main) await runCommand(main);
