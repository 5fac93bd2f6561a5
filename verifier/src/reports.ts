// What the command prints.
import type { AuditReport, AuditSignature } from './audit.ts';
import type { SignatureKind } from './notes.js';
import type { VerifiedReceipt } from './receipts.js';

/** Replaces what moves the cursor of a terminal or hides text: the service and receipts choose some of the words. */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\uFFFD');

const number = new Intl.NumberFormat('en');
const count = (value: number) => number.format(value);

const kindNames: Record<SignatureKind, string> = {
  ed25519: 'Ed25519',
  'ed25519-cosignature': 'Ed25519',
  'ml-dsa-44-cosignature': 'ML-DSA-44',
};

const keySources: Record<AuditReport['keySource'], string> = {
  given: 'the keys that you gave',
  remembered: 'the keys that an earlier audit knew',
  service: 'keys that the service itself named; give --key from a source that you trust',
};

export function describeAudit(report: AuditReport): string {
  const { problems, problemCount, petitions, earlier, receipt } = report;
  const rows: [string, string][] = [
    ['checkpoint', `${count(report.size)} entries, root ${report.root}`],
    ...report.signatures.map((one): [string, string] => ['signed by', describeSignature(one)]),
    ['keys', keySources[report.keySource]],
    ...(report.keySource === 'remembered' ? report.newKeys : []).map((key): [string, string] => [
      'new key',
      `${key.split('+', 2).join('+')} signs, too; give it by --key if a source that you trust names it`,
    ]),
  ];
  if (earlier) {
    rows.push([
      'history',
      `goes on from ${count(earlier.size)} entries, audited at ${earlier.auditedAt}`,
    ]);
  }
  rows.push(['entries', `${count(report.entriesRead)} read now`]);
  rows.push([
    'petitions',
    `${count(petitions.logged)} with ${count(petitions.counted)} counted and ${count(petitions.imported)} imported signatures; ${count(petitions.totals)} totals`,
  ]);
  if (petitions.shown !== null)
    rows.push(['counts', `${count(petitions.shown)} compared with what the service shows`]);
  if (petitions.vanished > 0)
    rows.push([
      'not shown',
      `${count(petitions.vanished)} with another count were left out when they were read again`,
    ]);
  if (receipt) {
    const state = receipt.isUndone ? 'counted, and undone since' : 'counted';
    rows.push(['receipt', `entry ${receipt.index}: ${state}`]);
  }
  const lines = rows.map(([name, text]) => `  ${name.padEnd(11)} ${text}`);
  const verdict =
    problemCount === 0
      ? ['OK: everything holds.']
      : [
          `DOES NOT HOLD: ${count(problemCount)} ${problemCount === 1 ? 'problem' : 'problems'}`,
          ...problems.map(({ kind, message }) => `  ${kind}: ${message}`),
          ...(problems.length < problemCount ? ['  …'] : []),
        ];
  return `${[report.origin, ...lines, ...verdict].map(printable).join('\n')}\n`;
}

function describeSignature({ name, kind, cosignedAt, isVerified }: AuditSignature): string {
  const time = cosignedAt ? `, at ${cosignedAt}` : '';
  const doubt = isVerified ? '' : ', not checked: this platform does not know the algorithm';
  return `${name} (${kindNames[kind]}${time}${doubt})`;
}

export function describeReceipt(receipt: VerifiedReceipt, isJson: boolean): string {
  const { opening, index, checkpoint, signatures, unsupported } = receipt;
  if (isJson) {
    const report = {
      holds: true,
      origin: checkpoint.origin,
      size: checkpoint.size,
      index,
      petition: opening.petition,
      version: opening.version,
      signature: opening.signature,
      signatures: signatures.map(({ key: { name, kind }, timestamp }) => ({
        name,
        kind,
        timestamp,
      })),
      unsupported: unsupported.map(({ name, kind }) => ({ name, kind })),
    };
    return `${JSON.stringify(report)}\n`;
  }
  const signers = signatures.map(({ key }) => `  signed by   ${key.name} (${kindNames[key.kind]})`);
  const doubts = unsupported.map(({ name, kind }) => `  not checked ${name} (${kindNames[kind]})`);
  return `${[
    `OK: counted as entry ${index} of ${checkpoint.origin}, at a size of ${count(checkpoint.size)}.`,
    `  petition    ${opening.petition}, version ${opening.version} of its text`,
    `  signature   ${opening.signature}`,
    ...signers,
    ...doubts,
    'Whether it was undone since, only the log shows: audit URL --receipt FILE',
  ].join('\n')}\n`;
}

/** Shows on a terminal how far an audit came. */
export class Progress {
  readonly #isShown: boolean;
  #shownAtMs = Number.NEGATIVE_INFINITY;
  #width = 0;

  constructor(isJson: boolean) {
    this.#isShown = !isJson && process.stderr.isTTY;
  }

  show({ entries, of }: { entries: number; of: number }): void {
    if (!this.#isShown || performance.now() - this.#shownAtMs < 200) return;
    this.#shownAtMs = performance.now();
    const text = `${count(entries)} of ${count(of)} entries`;
    process.stderr.write(`\r${text.padEnd(this.#width)}`);
    this.#width = text.length;
  }

  end(): void {
    if (this.#width > 0) process.stderr.write(`\r${' '.repeat(this.#width)}\r`);
  }
}
