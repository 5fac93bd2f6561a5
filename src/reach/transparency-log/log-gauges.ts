import { Gauge } from 'prom-client';
import type { Context } from '../../platform/context.ts';
import { readIfAvailable, registerDatabaseGauge } from '../../platform/gauges.ts';
import { readState, type LogState } from './state.ts';
import { readLags } from './witness-queries.ts';

/** Adds gauges of the public log. They have no value while the database is unavailable, and before the log has begun. */
export function registerLogGauges({
  cache,
  config,
  metrics,
  pools,
}: Pick<Context, 'cache' | 'config' | 'metrics' | 'pools'>): void {
  const read = () => cache.read('transparency-log', 'state', () => readState(pools.main));
  const register = (name: string, help: string, valueOf: (state: LogState) => number) => {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [metrics],
      collect: async () => {
        const state = await readIfAvailable(read);
        if (state) gauge.set(valueOf(state));
        else gauge.remove();
      },
    });
  };
  register(
    'transparency_log_halted',
    '1 if nothing is added or published, since the files have another history; else 0',
    ({ haltedBecause }) => (haltedBecause === null ? 0 : 1),
  );
  register('transparency_log_entries', 'Entries of the public log', ({ edge }) => edge.size);
  register(
    'transparency_log_published_entries',
    'Entries of its published checkpoint',
    ({ published }) => published.edge.size,
  );
  const { logWitnesses } = config;
  if (logWitnesses.length === 0) return;
  const names = new Map(logWitnesses.map(({ url, keys }) => [url, keys[0]!.name]));
  registerDatabaseGauge(metrics, {
    name: 'transparency_log_witness_lag_seconds',
    help: 'Seconds for which there has been a published checkpoint that the witness has not cosigned',
    label: 'witness',
    read: () =>
      readLags(
        pools.main,
        logWitnesses.map(({ url }) => url),
      ),
    valueOf: ({ url, seconds }) => ({ label: names.get(url)!, value: seconds }),
  });
}
