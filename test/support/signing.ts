import assert from 'node:assert/strict';
import { eventually } from './eventually.ts';
import { createUsers, type Person, type TestUser } from './people.ts';
import type { Service } from './service.ts';

/** Address and browser of a signer. The service must trust 127.0.0.1 as a proxy. */
export interface SignerOrigin {
  ip: string;
  userAgent?: string;
}

export const phoneUserAgent =
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36';

/** Signs with a token from an address. */
export const signFrom = (
  service: Service,
  token: string,
  petition: { id: string },
  { ip, userAgent = phoneUserAgent }: SignerOrigin,
) =>
  service.api
    .as(token)
    .with({ 'x-forwarded-for': ip, 'user-agent': userAgent })
    .post(`/v1/petitions/${petition.id}/signatures`);

/** Signs a petition with new accounts, at the same time. Returns these. */
export async function signByMany(
  service: Service,
  petition: { id: string },
  howMany: number,
): Promise<TestUser[]> {
  const signers = await createUsers(service, howMany);
  const answers = await Promise.all(
    signers.map(({ api }) => api.post(`/v1/petitions/${petition.id}/signatures`)),
  );
  assert.ok(answers.every(({ status }) => status === 201));
  return signers;
}

/** Checks that the counts match the valid and invalid rows. */
export async function assertCounts(service: Service, petitionId: string): Promise<void> {
  const [row] = await service.ctx.pools.main`
    select p.signature_count - p.imported_signature_count as valid, p.invalid_signature_count as invalid,
      (select count(*) from signatures s
        where s.petition_id = p.id and s.state = 'counted')::int as valid_rows,
      (select count(*) from signatures s
        where s.petition_id = p.id and s.state = 'invalid')::int as invalid_rows
    from petitions p where id = ${petitionId}`;
  assert.deepEqual([row!.valid, row!.invalid], [row!.valid_rows, row!.invalid_rows]);
}

/** Invalidates signatures by a rule. Returns the record after its job has ended. */
export async function invalidateBy(moderator: Person, petition: { id: string }, rule: object) {
  const path = `/v1/admin/petitions/${petition.id}/invalidations`;
  const { status, body } = await moderator.api.post(path, { rule, reason: 'Bought signatures' });
  assert.equal(status, 202, JSON.stringify(body));
  return waitForJob(moderator, `${path}/${body.data.id}`);
}

/** Undoes a rule. Returns its record after the job has ended. */
export async function undo(moderator: Person, rule: { id: string; petition_id: string }) {
  const path = `/v1/admin/petitions/${rule.petition_id}/invalidations/${rule.id}`;
  const { status, body } = await moderator.api.post(`${path}/undo`);
  assert.equal(status, 202, JSON.stringify(body));
  return waitForJob(moderator, path);
}

// oxlint-disable-next-line typescript/no-explicit-any
async function waitForJob(moderator: Person, path: string): Promise<any> {
  let rule;
  await eventually(async () => {
    rule = (await moderator.api.get(path)).body.data;
    return ['applied', 'undone'].includes(rule.state);
  }, 60_000);
  return rule;
}

/** Asks for the receipt of a signature. */
export const receiptOf = ({ api }: Pick<TestUser, 'api'>, { id }: { id: string }) =>
  api.get(`/v1/petitions/${id}/signatures/me/receipt`);

/** Waits for the receipt of a signature. The service reads its log once a second. */
export async function eventualReceipt(
  signer: Pick<TestUser, 'api'>,
  petition: { id: string },
): Promise<string> {
  let receipt;
  await eventually(async () => {
    const { status, body } = await receiptOf(signer, petition);
    receipt = body;
    return status === 200;
  });
  return receipt!;
}
