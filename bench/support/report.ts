/** The quantile of sorted values. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return 0;
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}

export interface Target {
  atLeast?: number;
  atMost?: number;
}

/** Formats whether a figure reached its target. */
export function verdict(value: number, { atLeast = -Infinity, atMost = Infinity }: Target): string {
  const wanted = atLeast > -Infinity ? `≥ ${atLeast}` : `≤ ${atMost}`;
  return `${wanted}: ${value >= atLeast && value <= atMost ? 'met' : 'missed'}`;
}

/** Formats a figure with the appropriate number of digits. */
export function figure(value: number): string {
  if (Math.abs(value) >= 100 || Number.isInteger(value))
    return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

export const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`;

type Cell = string | number;

/** Formats a Markdown table with the columns of the first row. */
export function table(rows: Record<string, Cell>[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const text = (cell: Cell | undefined) => (typeof cell === 'number' ? figure(cell) : (cell ?? ''));
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns),
    line(columns.map((column) => (typeof rows[0]![column] === 'number' ? '---:' : '---'))),
    ...rows.map((row) => line(columns.map((column) => text(row[column])))),
  ].join('\n');
}

export function print(...texts: string[]): void {
  process.stdout.write(`${texts.join('\n\n')}\n\n`);
}
