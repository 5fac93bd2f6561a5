export type CsvValue = string | number | null;

/**
 * Rows as CSV by RFC 4180. Texts that a spreadsheet would take for a formula begin with an apostrophe,
 * which makes it take them for what they are.
 */
export const toCsv = (rows: readonly CsvValue[][]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');

/** What formulas begin with, in the wide forms of East Asian keyboards too. */
const formula = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r]/;

function cell(value: CsvValue): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
