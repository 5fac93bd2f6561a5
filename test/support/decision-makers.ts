import assert from 'node:assert/strict';
import { readMail, type ReadMail } from './mail.ts';
import { eventually } from './eventually.ts';
import { verifyAddress, type Person } from './people.ts';
import type { Service } from './service.ts';

let count = 0;

/** Adds a decision maker to the person's petition. Returns the path of the record. */
export async function addDecisionMaker(
  creator: Person,
  petition: { id: string },
  more: object = {},
): Promise<{ path: string; id: string; email: string }> {
  const email = `maker-${++count}-${process.pid}@example.org`;
  const input = { name: 'Grace', title: 'City Council', email, ...more };
  const path = `/v1/petitions/${petition.id}/decision-makers`;
  const { status, body } = await creator.api.post(path, input);
  assert.equal(status, 201, JSON.stringify(body));
  return { path: `${path}/${body.data.id}`, id: body.data.id, email: body.data.email };
}

/** Reads the mails sent to an address so far, oldest first. */
export const mailsTo = async (service: Service, address: string): Promise<ReadMail[]> =>
  (await service.mails()).map(readMail).filter(({ to }) => to === address);

/** Delivers the petition. Returns the mail to the decision maker and the token in it. */
export async function deliver(
  service: Service,
  creator: Person,
  maker: { path: string; email: string },
  options?: object,
): Promise<{ mail: ReadMail; token: string }> {
  await verifyAddress(service, creator);
  const before = (await mailsTo(service, maker.email)).length;
  const { status, body } = await creator.api.post(`${maker.path}/deliver`, options);
  assert.equal(status, 200, JSON.stringify(body));
  let mails: ReadMail[] = [];
  await eventually(async () => {
    mails = await mailsTo(service, maker.email);
    return mails.length > before;
  }, 15_000);
  const mail = mails.at(-1)!;
  return { mail, token: tokenIn(mail.text) };
}

export const tokenIn = (text: string): string => {
  const [, token] = /http:\/\/[\w.:-]+\/respond\/([\w-]+)\n/.exec(text) ?? [];
  assert.ok(token, text);
  return token;
};

/** Reads the record of a decision maker as its creator. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function recordOf(creator: Person, maker: { path: string; id: string }): Promise<any> {
  const { body } = await creator.api.get(maker.path.slice(0, maker.path.lastIndexOf('/')));
  return body.data.find(({ id }: { id: string }) => id === maker.id);
}
