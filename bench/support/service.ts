import type { AddressInfo } from 'node:net';
import { createApp } from '../../src/app.ts';
import { listGroup } from '../../src/campaigns/petitions/cache.ts';
import { createContext } from '../../src/context.ts';
import type { Cache } from '../../src/platform/cache.ts';
import type { Context } from '../../src/platform/context.ts';
import { answerParent } from './child.ts';
import { serviceConfig, type ConfigOptions } from './config.ts';

export interface ServiceOptions extends ConfigOptions {
  databaseUrl: string;
  /** Whether to run a worker in the same process. */
  worker?: boolean;
  /** Whether to read each list from the database. */
  lists?: 'not remembered';
}

/** A cache without lists, so that each page is read from the database. */
const withoutLists = (cache: Cache): Cache => ({
  read: (group, key, load) => (group === listGroup ? load() : cache.read(group, key, load)),
  drop: (group, key) => cache.drop(group, key),
});

/** Starts the service in this process, for loads of the parent. */
async function start(options: ServiceOptions): Promise<{ port: number }> {
  const { databaseUrl, worker, lists } = options;
  const ctx: Context = await createContext(serviceConfig(databaseUrl, options), databaseUrl);
  if (lists === 'not remembered') ctx.cache = withoutLists(ctx.cache);
  const app = createApp(ctx);
  await app.start();
  if (worker) await app.startWorker(databaseUrl);
  const server = await app.buildServer();
  await server.listen({ port: 0, host: '127.0.0.1' });
  return { port: (server.server.address() as AddressInfo).port };
}

const { gc } = globalThis;
let watch: { peak: number; timer: NodeJS.Timeout } | undefined;

/** Returns the resident memory after garbage collection, and starts watching its peak. */
function watchMemory(): number {
  gc?.();
  const before = process.memoryUsage.rss();
  const look = () => (watching.peak = Math.max(watching.peak, process.memoryUsage.rss()));
  const watching = { peak: before, timer: setInterval(look, 25) };
  watch = watching;
  return before;
}

/** Returns the peak since `watchMemory`, and the memory after garbage collection. */
async function memory(): Promise<{ peak: number; after: number; heap: number }> {
  const { peak, timer } = watch!;
  clearInterval(timer);
  gc?.();
  // Memory is returned to the system some time after the collection.
  await new Promise((resolve) => setTimeout(resolve, 500));
  gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { peak, after: rss, heap: heapUsed };
}

const handlers = { start, watchMemory, memory };
export type ServiceProcess = typeof handlers;
answerParent(handlers);
