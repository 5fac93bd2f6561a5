import type { Tx } from './db.ts';

interface Rows {
  table: string;
  /** Names the account. */
  column: string;
  /** Columns that are unique together with `column`: rows that `to` has already stay with `from`. */
  once?: readonly string[];
}

/** Gives the rows of one account to another. */
export async function giveRows(
  tx: Tx,
  { table, column, once }: Rows,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const same = (name: string) => tx`and theirs.${tx(name)} = mine.${tx(name)}`;
  const twice = once?.reduce((all, name) => tx`${all} ${same(name)}`, tx``);
  await tx`
    update ${tx(table)} mine set ${tx(column)} = ${to}
    where ${tx(column)} = ${from}
      ${twice ? tx`and not exists (select from ${tx(table)} theirs where theirs.${tx(column)} = ${to} ${twice})` : tx``}`;
}
