import {
  fillMailboxes,
  findAliases,
  findWithoutMailbox,
} from '../../identity/accounts/accounts.ts';
import { isBackfillComplete, type Backfill } from '../../platform/backfills.ts';
import type { Context } from '../../platform/context.ts';
import { transaction, withDeadline, type Db, type Tx } from '../../platform/db.ts';
import type { Keys } from '../../platform/keys.ts';
import {
  amongKeys,
  estimateSignatures,
  fillSignatures,
  nextSignatures,
  ofSigners,
  petitionsToFill,
} from './mailbox-queries.ts';
import { lockPetitions, type SignatureRequest } from './signing-queries.ts';
import { storeWithdrawnByMailbox } from './queries.ts';

const lowestId = '00000000-0000-0000-0000-000000000000';
const batchSize = 500;

/** Fills in the mailboxes of accounts of earlier versions. */
const accountMailboxes = (keys: Keys): Backfill => ({
  name: 'account-mailboxes',
  total: (db) => db.value<number>`select count(*)::integer from users where mailbox is null`,
  async step(db, cursor) {
    const ids = await findWithoutMailbox(db, cursor ?? lowestId, batchSize);
    if (ids.length === 0) return null;
    // In one transaction: a step that is done again skips accounts that are filled in.
    await transaction(db, async (tx) => {
      await fillMailboxes(tx, keys, ids);
      await storeWithdrawnByMailbox(tx, ids);
    });
    return { cursor: ids.at(-1)!, rows: ids.length };
  },
});

/** Fills in the mailboxes of signatures of earlier versions whose accounts exist. */
const signatureMailboxes = (keys: Keys): Backfill => ({
  name: 'signature-mailboxes',
  total: estimateSignatures,
  async step(db, cursor) {
    const [petitionId = lowestId, id = lowestId] = cursor?.split(' ') ?? [];
    const rows = await nextSignatures(db, { petition_id: petitionId, id }, batchSize);
    const last = rows.at(-1);
    if (!last) return null;
    await transaction(db, async (tx) => {
      await lockPetitions(tx, [...new Set(rows.map((row) => row.petition_id))]);
      await fillMailboxes(tx, keys, [...new Set(rows.flatMap((row) => row.user_id ?? []))]);
      await fillSignatures(tx, amongKeys(tx, rows));
    });
    return { cursor: `${last.petition_id} ${last.id}`, rows: rows.length };
  },
});

export const mailboxBackfills = (keys: Keys): Backfill[] => [
  accountMailboxes(keys),
  signatureMailboxes(keys),
];

/**
 * Fills in the mailboxes of signers, and of what other accounts of the same mailboxes signed on these petitions. The
 * caller has locked the petitions.
 */
export async function fillMailboxesOfSigners(
  tx: Tx,
  keys: Keys,
  requests: SignatureRequest[],
): Promise<void> {
  const signers = [...new Set(requests.map(({ userId }) => userId))];
  const aliases = await findAliases(tx, signers);
  await fillMailboxes(tx, keys, aliases);
  await storeWithdrawnByMailbox(tx, aliases);
  const petitionIds = [...new Set(requests.map(({ petitionId }) => petitionId))];
  await fillSignatures(tx, ofSigners(tx, petitionIds, aliases));
}

/**
 * Fills in accounts and all that they signed: those that a process of an earlier version created after the backfills, and
 * those that are erased before.
 */
export async function fillAccounts(db: Db, keys: Keys, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  await transaction(db, async (tx) => {
    const petitionIds = await petitionsToFill(tx, userIds);
    await lockPetitions(tx, petitionIds);
    await fillMailboxes(tx, keys, userIds);
    await storeWithdrawnByMailbox(tx, userIds);
    await fillSignatures(tx, ofSigners(tx, petitionIds, userIds));
  });
}

const recheckMs = 5000;
const askTimeoutMs = 3000;

/** Whether all accounts and signatures of earlier versions are filled in. Asks the database until they are. */
export class MailboxesFilled {
  #ctx: Context;
  #isFilled = false;
  #asked: Promise<boolean> | undefined;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  async check(): Promise<boolean> {
    if (this.#isFilled) return true;
    if (!this.#asked) {
      // Its own deadline, since groups share it.
      this.#asked = withDeadline(askTimeoutMs, () => this.#ask());
      const forget = () => (this.#asked = undefined);
      this.#asked.catch(forget);
      setTimeout(forget, recheckMs).unref();
    }
    return this.#asked;
  }

  async #ask(): Promise<boolean> {
    const { keys } = this.#ctx;
    const { main: db } = this.#ctx.pools;
    const completed = await Promise.all(
      mailboxBackfills(keys).map(({ name }) => isBackfillComplete(db, name)),
    );
    if (!completed.every(Boolean)) return false;
    const rest = await findWithoutMailbox(db, lowestId, batchSize);
    await fillAccounts(db, keys, rest);
    return (this.#isFilled = rest.length === 0);
  }
}
