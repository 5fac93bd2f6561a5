import { shareSignatureSums } from '../../campaigns/shares/signature-sums.ts';
import type { Db, Tx } from '../../platform/db.ts';
import type { Batch } from './batch.ts';
import type { Finding, PetitionCheck } from './check.ts';
import { isSignatureIn, type IdRange, type SignatureRange } from './pages.ts';

/** Signatures per link, shares per user, ranks of sharers and shares per day match signatures and links. */
export const shares: PetitionCheck = {
  name: 'shares',
  subject: 'links',

  async compare(tx, batch) {
    const signatures = await compareSignatures(tx, batch);
    const sharing = await compareSharing(tx, batch.range);
    return {
      checked: signatures.checked + sharing.checked,
      wrong: [...signatures.wrong, ...sharing.wrong],
    };
  },
};

/** Compares the signatures of links with valid ones, without what the follower has not seen yet. */
async function compareSignatures(tx: Tx, batch: Batch): Promise<Finding> {
  if (!batch.followers.has(shareSignatureSums.name)) return { checked: 0, wrong: [] };
  const expected = new Map<string, number>();
  const add = (id: string, count: number) => expected.set(id, (expected.get(id) ?? 0) + count);
  for (const page of batch.signaturePages) {
    for (const { share_id, signatures } of await validSignatures(tx, page)) {
      add(share_id, signatures);
    }
  }
  for (const [id, count] of batch.unseen.signaturesByShare) add(id, -count);
  // Shares of erased accounts are deleted with their sums, so only the stored ones are compared.
  const stored = await storedSignatures(tx, batch.range);
  const wrong = stored.filter(
    ({ share_id, signatures }) => signatures !== (expected.get(share_id) ?? 0),
  );
  return {
    checked: stored.length,
    wrong: wrong.map(({ share_id }) => `share ${share_id}: signatures`),
  };
}

interface ShareSignatures {
  share_id: string;
  signatures: number;
}

/** Counts valid signatures in the range by share. */
async function validSignatures(db: Db, page: SignatureRange): Promise<ShareSignatures[]> {
  return db<ShareSignatures[]>`
    select s.share_id, count(*)::integer as signatures from signatures s
    where s.state = 'counted' and s.share_id is not null and ${isSignatureIn(db, page)}
    group by s.share_id`;
}

/** Reads the stored counts of shares of petitions in the range. */
async function storedSignatures(db: Db, { after, to }: IdRange): Promise<ShareSignatures[]> {
  return db<ShareSignatures[]>`
    select id as share_id, signatures from shares
    where petition_id > ${after} and petition_id <= ${to}`;
}

/**
 * Compares sharers with their links, levels with sharers, and days with all links. Days still count the links of erased
 * accounts.
 */
async function compareSharing(db: Db, { after, to }: IdRange): Promise<Finding> {
  const within = db`petition_id > ${after} and petition_id <= ${to}`;
  return db.one<Finding>`
    with link as materialized (
      select petition_id, user_id, sum(share_count) as times from shares where ${within}
      group by petition_id, user_id
    ),
    sharer as materialized (
      select petition_id, user_id, share_count, hidden from sharers where ${within}
    ),
    wrong as (
      select 'petition ' || petition_id || ': sharers' as example
      from (select * from link where user_id is not null) l
      full join sharer s using (petition_id, user_id)
      where l.times is distinct from s.share_count
      union all
      select 'petition ' || petition_id || ': sharer_levels'
      from (select petition_id, share_count, sharers from sharer_levels where ${within} and sharers <> 0) stored
      full join (
        select petition_id, share_count, count(*) as sharers from sharer where not hidden
        group by petition_id, share_count
      ) counted using (petition_id, share_count)
      where stored.sharers is distinct from counted.sharers
      union all
      select 'petition ' || petition_id || ': share_days'
      from (
        select petition_id, sum(by_users) as by_users, sum(by_others) as by_others from share_days
        where ${within} group by petition_id
      ) day
      full join (
        select petition_id, sum(times) filter (where user_id is not null) as by_users,
          sum(times) filter (where user_id is null) as by_others
        from link group by petition_id
      ) shared using (petition_id)
      where coalesce(day.by_others, 0) <> coalesce(shared.by_others, 0)
        or coalesce(day.by_users, 0) < coalesce(shared.by_users, 0)
    )
    select (select count(*)::integer from link) as checked,
      (select coalesce(jsonb_agg(example), '[]') from wrong) as wrong`;
}
