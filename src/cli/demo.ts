import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { CommandError, runCommand, withContext } from './command.ts';
import { makeDemoWorld, type DemoWorld } from './demo/fill.ts';
import { demoPassword, emailOf } from './demo/people.ts';
import { addPictures } from './demo/pictures.ts';

const help = `Fills the service with a made-up world to look around in: people, petitions, signatures.

  npm run demo

It does so once; run again, it does nothing. It does not run with NODE_ENV=production, since everybody
knows the password of these people. Settings are the service's environment variables.
`;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const config = readConfig(process.env);
  if (config.production) {
    throw new CommandError('The demo world has known passwords: it is not made in production.');
  }
  const made = await withContext(async (ctx) => {
    const world = await makeDemoWorld(ctx);
    if (world) await addPictures(ctx, world.pictures);
    return world && report(world, ctx.config.baseUrl);
  }, config);
  process.stdout.write(made ?? 'The demo world is there already.\n');
}

function report(made: DemoWorld, baseUrl: string): string {
  const login = (name: string, what: string) => `  ${emailOf({ name }).padEnd(36)} ${what}`;
  return [
    `The demo world has ${made.people} people, ${made.petitions} petitions and ${made.signatures} signatures.`,
    '',
    `Look around at ${baseUrl} (npm start, unless it runs). Log in with the password '${demoPassword}' as:`,
    login('Ngozi Adeyemi-Clarke', 'started two petitions'),
    login('Callum Dunsmore', 'has a draft'),
    login('Sam Kettleborough', 'moderator'),
    login('Robin Aldersey', 'administrator'),
    '',
  ].join('\n');
}

if (import.meta.main) await runCommand(main);
