import type { Figures } from './round.ts';

/** How often to kill the primary: FAILOVER_ROUNDS, default 20. */
export function roundCount(): number {
  const text = process.env.FAILOVER_ROUNDS || '20';
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) {
    throw new Error(`FAILOVER_ROUNDS is '${text}'; it must be a whole number, 1 or more.`);
  }
  return count;
}

const columns: (keyof Figures)[] = [
  'killed',
  'sent',
  'signed',
  'refused',
  'storedUnconfirmed',
  'outageMs',
  'maxSigningMs',
  'maxReadMs',
  'refusedReads',
  'maxReadinessMs',
  'restoreMs',
];

/** Prints the figures of all rounds as a Markdown table. */
export function printTable(title: string, rounds: Figures[], delivered: number): void {
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
  const lines = [
    `${title}: ${rounds.length} rounds, ${delivered} webhooks delivered`,
    line(['round', ...columns]),
    line(['---', ...columns.map(() => '---')]),
    ...rounds.map((figures, n) => line([n + 1, ...columns.map((column) => figures[column])])),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
