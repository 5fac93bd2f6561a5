// Verifies a receipt, or the opening in the fragment of the address, in the browser. Nothing of it is sent to the service,
// but for the index of its entry: once the receipt holds, whether the entry was undone since is looked up.
import { FormatError, VerificationError } from '../../../verifier/src/errors.js';
import { policyOf } from '../../../verifier/src/policies.js';
import {
  openedEntry,
  parseOpeningCode,
  verifyOpening,
  verifyReceipt,
} from '../../../verifier/src/receipts.js';

const form = document.querySelector('[data-receipt-check]');
const output = form.querySelector('[role="status"]');
// Without names, so that a form which is sent without this script has no receipt in it.
const text = document.getElementById('receipt');
const file = document.getElementById('receipt-file');
const number = new Intl.NumberFormat(document.documentElement.lang);

/** Keys of the log, and of witnesses, of which none is demanded. */
const trust = JSON.parse(form.dataset.trust);
const policy = policyOf(trust.log, trust.witnesses).then((one) => ({
  ...one,
  isQuorum: () => true,
}));

/** A check that began later replaces the result of an earlier one. */
let newest = 0;

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (text.value.trim() !== '') void check(() => ofReceipt(text.value));
});

file.addEventListener('change', () => {
  const [chosen] = file.files;
  if (chosen) void check(async () => ofReceipt((text.value = await chosen.text())));
});

addEventListener('hashchange', checkFragment);
checkFragment();

function checkFragment() {
  const code = location.hash.slice(1);
  if (code.startsWith('v1.')) void check(() => ofCode(code));
}

const ofReceipt = async (receipt) => verifyReceipt(receipt.trimStart(), await policy);

async function ofCode(code) {
  const note = new TextDecoder().decode(await readFile('checkpoint', { cache: 'no-store' }));
  return verifyOpening(parseOpeningCode(code), note, await policy, (path) => readFile(path));
}

async function readFile(path, options) {
  const answer = await fetch(`/log/${path}`, options);
  if (!answer.ok) throw new TypeError(`${path}: ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

async function check(verify) {
  newest += 1;
  const run = newest;
  const isNewest = () => run === newest;
  show('bad', false);
  try {
    const receipt = await verify();
    if (!isNewest()) return;
    const { index, checkpoint, signatures, unsupported } = receipt;
    const witnesses = new Set(
      signatures.flatMap(({ key }) => (key.name === checkpoint.origin ? [] : [key.name])),
    );
    show('good', [
      say('counted', { index: number.format(index), size: number.format(checkpoint.size) }),
      ...(witnesses.size > 0 ? [say('witnessed', { names: [...witnesses].join(', ') })] : []),
      ...(unsupported.some(({ name }) => name === checkpoint.origin) ? [say('unsupported')] : []),
      say('looking_up'),
    ]);
    await lookUp(receipt, isNewest);
  } catch (error) {
    if (isNewest()) show('bad', [say(reasonOf(error))]);
  }
}

const reasons = {
  'bad-signature': 'bad_signature',
  'unknown-log': 'unknown_log',
  'not-signed': 'not_signed',
  unsupported: 'cannot_check',
  'not-included': 'not_included',
  'not-yet': 'not_yet',
};

function reasonOf(error) {
  if (error instanceof VerificationError) return reasons[error.reason] ?? 'not_included';
  if (error instanceof FormatError) return 'malformed';
  // Browsers have no cryptography on pages without HTTPS.
  if (!isSecureContext) return 'cannot_check';
  // The network is away, or has no such file. A receipt needs neither.
  return 'no_answer';
}

/** Says whether the signature still counts; once there is a connection, if there is none now. */
async function lookUp(receipt, isNewest) {
  const { index, opening } = receipt;
  let leaf;
  try {
    const answer = await fetch(`/v1/log/leaves/${index}`);
    if (!answer.ok) {
      if (isNewest()) replaceLast(say('not_looked_up'));
      return;
    }
    leaf = (await answer.json()).data;
  } catch {
    if (!isNewest()) return;
    replaceLast(say('offline'));
    addEventListener('online', () => isNewest() && void lookUp(receipt, isNewest), { once: true });
    return;
  }
  const opened = JSON.parse(await openedEntry(opening));
  if (!isNewest()) return;
  if (leaf.entry.commitment !== opened.commitment || leaf.entry.petition !== opened.petition) {
    show('bad', [say('not_included')]);
    return;
  }
  if (leaf.undone) output.dataset.result = 'undone';
  replaceLast(say(leaf.undone ? `undone_${leaf.undone.cause}` : 'still_counts'));
}

function show(result, lines) {
  output.dataset.result = lines ? result : '';
  output.replaceChildren(...(lines || []));
}

const replaceLast = (line) => output.lastElementChild.replaceWith(line);

/** A line from the page's texts, with its values. */
function say(name, values = {}) {
  const line = document.createElement('p');
  line.append(form.querySelector(`template[data-text="${name}"]`).content.cloneNode(true));
  for (const [key, value] of Object.entries(values)) {
    line.querySelector(`[data-value="${key}"]`).textContent = value;
  }
  return line;
}
