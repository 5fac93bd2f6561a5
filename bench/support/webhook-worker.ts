import { createApp } from '../../src/app.ts';
import { createContext } from '../../src/context.ts';
import { answerParent } from './child.ts';
import { serviceConfig } from './config.ts';

/** Starts a worker in this process, which may send to the receiver on this machine. */
async function start(databaseUrl: string): Promise<void> {
  const config = { ...serviceConfig(databaseUrl), production: false };
  const app = createApp(await createContext(config, databaseUrl));
  await app.startWorker(databaseUrl);
}

const handlers = { start };
export type WebhookWorker = typeof handlers;
answerParent(handlers);
