import { startChild, type Child } from './child.ts';
import type { ServiceOptions, ServiceProcess } from './service.ts';
import { settings } from './settings.ts';

export interface Service extends AsyncDisposable {
  port: number;
  process: Child<ServiceProcess>;
}

/** Starts the service as a child process, with a CPU profile if BENCH_PROFILE names a folder. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const profile = settings.profileDir
    ? ['--cpu-prof', `--cpu-prof-dir=${settings.profileDir}`]
    : [];
  const process = startChild<ServiceProcess>('./service.ts', {
    // The size of the young generation in `npm start`.
    execArgv: ['--max-semi-space-size=16', '--expose-gc', ...profile],
  });
  const { port } = await process.call('start', options);
  return { port, process, [Symbol.asyncDispose]: () => process[Symbol.asyncDispose]() };
}
