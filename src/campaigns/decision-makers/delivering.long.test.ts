import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import {
  addDecisionMaker,
  deliver,
  mailsTo,
  recordOf,
  tokenIn,
} from '../../../test/support/decision-makers.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startMailServer, type MailServer } from '../../../test/support/mail-server.ts';
import { readMail } from '../../../test/support/mail.ts';
import { textOfPdf } from '../../../test/support/pdf.ts';
import {
  createPublished,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

describe('deliveries', () => {
  let service: Service;
  let creator: Person;
  let signers: Person[];
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
    await verifyAddress(service, creator);
    signers = [];
    for (const name of ['Ada', '=HYPERLINK("evil")', 'Ольга', 'Hidden']) {
      signers.push(await signUp(service, name));
    }
  });
  after(() => service[Symbol.asyncDispose]());

  /** Creates a petition that all sign: the last one anonymously, the first three from Leeds. */
  const signed = async (fields: object = {}) => {
    const petition = await createPublished(creator, { signatureGoal: 1000, ...fields });
    const query = petition.visibility === 'private' ? `?access_code=${petition.access_code}` : '';
    for (const signer of signers) {
      const is_anonymous = signer === signers.at(-1);
      const input = { is_anonymous, display_location: is_anonymous ? 'Rome' : 'Leeds' };
      const path = `/v1/petitions/${petition.id}/signatures${query}`;
      assert.equal((await signer.api.post(path, input)).status, 201);
    }
    return petition;
  };

  const attachmentOf = async (petition: { id: string }, summary: string) => {
    const maker = await addDecisionMaker(creator, petition);
    const { mail } = await deliver(service, creator, maker, { summary });
    assert.equal(mail.attachments.length, 1);
    return mail.attachments[0]!;
  };

  it('mail the petition, the count and the link, and record the time', async () => {
    const petition = await signed({ title: 'Öffnet den Uferweg – jetzt' });
    const maker = await addDecisionMaker(creator, petition, { title: 'Mayor' });
    const message = 'We meet on Monday.\nPlease read it.';
    const { mail, token } = await deliver(service, creator, maker, { summary: 'none', message });
    assert.equal(mail.subject, 'A petition is addressed to you');
    for (const part of [
      'To Grace, Mayor',
      'Creator asks for your response',
      'Öffnet den Uferweg – jetzt',
      '4 signatures',
      'of a goal of 1,000',
      '> We meet on Monday.\n> Please read it.',
      `> ${petition.description}`,
      'You need no account.',
    ]) {
      assert.ok(mail.text.includes(part), part);
    }
    assert.deepEqual(mail.attachments, []);
    const opened = await service.api.get(`/respond/${token}`);
    assert.equal(opened.body.data.petition.id, petition.id);
    await eventually(async () => (await recordOf(creator, maker)).delivered_at !== null);
    const record = await recordOf(creator, maker);
    const days =
      (Date.parse(record.link_expires_at) - Date.parse(record.delivered_at)) / 86_400_000;
    assert.ok(Math.abs(days - 30) < 0.01, `${days}`);
  });

  it('attach a PDF with the text, the places and the public signers', async () => {
    const petition = await signed();
    const { filename, type, content } = await attachmentOf(petition, 'pdf');
    assert.deepEqual([filename, type], [`${petition.slug}.pdf`, 'application/pdf']);
    assert.equal(content.subarray(0, 5).toString(), '%PDF-');
    assert.match(content.subarray(-8).toString(), /%%EOF/);
    const text = textOfPdf(content);
    for (const part of [
      petition.title,
      '4 signatures',
      'of a goal of 1,000',
      'Leeds: 3',
      'Ada, Leeds',
      // The fonts have no Cyrillic letters.
      "Ol'ga, Leeds",
      'Others are transcribed here',
      petition.share_url,
    ]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    assert.match(text.replaceAll('\n', ' '), /the safest way home for many of us/);
    assert.doesNotMatch(text, /Hidden|Rome/);
  });

  it('attach a CSV that is safe to open in a spreadsheet', async () => {
    const petition = await signed({ title: '+1 for "our" path, at night' });
    const { filename, type, content } = await attachmentOf(petition, 'csv');
    assert.deepEqual([filename, type], [`${petition.slug}.csv`, 'text/csv']);
    const rows = parse<Record<string, string>>(content, {
      bom: true,
      columns: true,
      record_delimiter: '\r\n',
    });
    const ofKind = (kind: string) => rows.filter((row) => row.kind === kind);
    assert.equal(ofKind('petition')[0]!.name, `'${petition.title}`);
    assert.equal(ofKind('petition')[0]!.signatures, '4');
    assert.equal(ofKind('goal')[0]!.signatures, '1000');
    assert.deepEqual(
      ofKind('place').map(({ place, signatures }) => [place, signatures]),
      [['Leeds', '3']],
    );
    assert.deepEqual(
      ofKind('signer').map(({ name }) => name),
      ['Ольга', `'=HYPERLINK("evil")`, 'Ada'],
    );
  });

  it('omit signers unless the list of signatures is public', async () => {
    for (const fields of [
      { signaturePrivacy: 'count_only' },
      { signaturePrivacy: 'creator_only' },
      { visibility: 'private' },
    ]) {
      const petition = await signed(fields);
      const csv = (await attachmentOf(petition, 'csv')).content.toString();
      assert.match(csv, /place,,3,,Leeds/);
      assert.doesNotMatch(csv, /signer|Ada/);
      assert.doesNotMatch(textOfPdf((await attachmentOf(petition, 'pdf')).content), /Ada/);
    }
  });

  it('invalidate the link of the previous delivery', async () => {
    const maker = await addDecisionMaker(creator, await createPublished(creator));
    const first = await deliver(service, creator, maker);
    await service.api.post(`/respond/${first.token}/opened`);
    const second = await deliver(service, creator, maker);
    assert.notEqual(first.token, second.token);
    assert.equal((await service.api.get(`/respond/${first.token}`)).status, 410);
    const late = await service.api.post(`/respond/${first.token}`, { body: 'Too late.' });
    assert.equal(late.status, 410);
    await eventually(async () => (await recordOf(creator, maker)).state === 'sent');
    assert.equal((await service.api.get(`/respond/${second.token}`)).status, 200);
    assert.equal((await recordOf(creator, maker)).state, 'sent');
    await service.api.post(`/respond/${second.token}/opened`);
    assert.equal((await recordOf(creator, maker)).state, 'opened');
  });

  it('leave one valid link after concurrent requests', async () => {
    const maker = await addDecisionMaker(creator, await createPublished(creator));
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => creator.api.post(`${maker.path}/deliver`)),
    );
    assert.ok(answers.every(({ status }) => status === 200));
    await eventually(async () => (await recordOf(creator, maker)).state === 'sent', 15_000);
    const mails = await mailsTo(service, maker.email);
    const statuses = [];
    for (const { text } of mails) {
      const [, token] = /respond\/([\w-]+)/.exec(text)!;
      statuses.push((await service.api.get(`/respond/${token}`)).status);
    }
    assert.equal(statuses.filter((status) => status === 200).length, 1);
  });

  it('never store the token in the database', async () => {
    await using web = await startService();
    const author = await signUp(web, 'Author');
    await verifyAddress(web, author);
    const maker = await addDecisionMaker(author, await createPublished(author));
    await author.api.post(`${maker.path}/deliver`);
    const beforeMail = await allText(web.ctx.pools.main);
    assert.match(beforeMail, /"link_id"/);
    await using worker = await startService({ beside: web, worker: true });
    await eventually(async () => (await mailsTo(worker, maker.email)).length === 1, 15_000);
    const token = tokenIn((await mailsTo(worker, maker.email))[0]!.text);
    const { body } = await web.api.post(`/respond/${token}`, { body: 'An answer.' });
    const afterResponse = await allText(web.ctx.pools.main);
    assert.ok(afterResponse.includes(body.data.id));
    for (const text of [beforeMail, afterResponse]) {
      assert.ok(!text.includes(token));
      assert.ok(!text.includes(Buffer.from(token, 'base64url').toString('hex')));
    }
  });
});

/** Returns all rows of all tables, jobs included, as text. */
async function allText(db: Service['ctx']['pools']['main']): Promise<string> {
  const tables = await db`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;
  const texts = [];
  for (const { schema, name } of tables) {
    const rows = await db`select t::text as row from ${db(schema)}.${db(name)} t`;
    texts.push(...rows.map(({ row }) => row as string));
  }
  return texts.join('\n');
}

describe('deliveries that the mail server rejects', () => {
  const isFor = (address: string) => (mail: string) => readMail(mail).to === address;

  const start = async (server: MailServer) => {
    const service = await startService({ worker: true, env: { SMTP_URL: server.url } });
    const creator = await signUp(service, 'Creator');
    await eventually(() => server.mails.length === 1, 15_000);
    await verifyAddress(service, creator);
    const maker = await addDecisionMaker(creator, await createPublished(creator));
    const stateOf = async () => (await recordOf(creator, maker)).state;
    return {
      service,
      creator,
      maker,
      stateOf,
      [Symbol.asyncDispose]: service[Symbol.asyncDispose],
    };
  };

  it('fail after a permanent error, and can be repeated once their address is confirmed', async () => {
    await using server = await startMailServer();
    await using started = await start(server);
    const { service, creator, maker, stateOf } = started;
    server.answer({ rcpt: ['550 5.1.1 no such user'] });
    await creator.api.post(`${maker.path}/deliver`, { message: 'Gone with the mail' });
    await eventually(async () => (await stateOf()) === 'failed', 15_000);
    const record = await recordOf(creator, maker);
    assert.deepEqual([record.delivered_at, record.link_expires_at], [null, null]);
    assert.ok(!server.mails.some(isFor(maker.email)));
    await service.ctx.db`delete from mail_suppressions`;
    await creator.api.post(`${maker.path}/deliver`);
    await eventually(async () => (await stateOf()) === 'sent', 15_000);
    assert.equal(server.mails.filter(isFor(maker.email)).length, 1);
  });

  it('are retried after any other error', async () => {
    await using server = await startMailServer();
    await using started = await start(server);
    const { service, creator, maker, stateOf } = started;
    server.answer({ rcpt: ['451 4.3.0 busy', '554 5.7.1 not this sender'] });
    await creator.api.post(`${maker.path}/deliver`);
    await eventually(async () => (await stateOf()) === 'sent', 20_000);
    const [mail] = server.mails.filter(isFor(maker.email)).map(readMail);
    const [, token] = /respond\/([\w-]+)/.exec(mail!.text)!;
    assert.equal((await service.api.get(`/respond/${token}`)).status, 200);
  });
});
