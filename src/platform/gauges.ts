import { Gauge, type Registry } from 'prom-client';
import { isDatabaseUnavailable, withDeadline } from './db.ts';

/** Other figures must not wait for those of the database. */
const readTimeoutMs = 1000;

interface DatabaseGauge<Row> {
  name: string;
  help: string;
  /** Name of the label that each value has. */
  label: string;
  read: () => Promise<Row[]>;
  valueOf: (row: Row) => { label: string; value: number };
}

/** Adds a gauge whose values are read from the database at each request. It has none while that is unavailable. */
export function registerDatabaseGauge<Row>(
  metrics: Registry,
  { name, help, label, read, valueOf }: DatabaseGauge<Row>,
): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [metrics],
    collect: async () => {
      const rows = await readIfAvailable(read);
      gauge.reset();
      for (const row of rows ?? []) {
        const { label: is, value } = valueOf(row);
        gauge.set({ [label]: is }, value);
      }
    },
  });
}

/** Reads figures of the database in time for the others; returns undefined while it is unavailable. */
export async function readIfAvailable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await withDeadline(readTimeoutMs, read);
  } catch (error) {
    if (isDatabaseUnavailable(error)) return undefined;
    throw error;
  }
}
