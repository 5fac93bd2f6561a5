import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { logInBrowser, type Browser } from '../../../test/support/browser.ts';
import type { Answer } from '../../../test/support/client.ts';
import { mailsTo } from '../../../test/support/decision-makers.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createPublished,
  logInAsAdmin,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { languages, type Language } from '../../platform/pages/language.ts';
import { textOf } from '../../reach/notifications/texts.ts';

const reason = 'It names a neighbour.';
const note = 'Rita has written to us twice.';

/** Whom a moderator's act on a page concerns, and what they are told. */
interface Case {
  name: string;
  act: string;
  run: (person: Person) => Promise<unknown>;
  reported?: true;
  /** Suspended people read no notifications. */
  isMailOnly?: true;
}

describe('acts on the pages of moderators', () => {
  let service: Service;
  let reporter: Person;
  let creator: Person;
  let admin: Person;
  let moderator: Browser;
  before(async () => {
    service = await startService({ worker: true });
    admin = await logInAsAdmin(service);
    reporter = await signUp(service, 'Rita Reporter');
    creator = await signUp(service, 'Creator');
    const moritz = await signUp(service, 'Moritz Moderator');
    await admin.api.patch(`/v1/admin/users/${moritz.id}`, { role: 'admin' });
    moderator = await logInBrowser(service, moritz);
  });
  after(() => service[Symbol.asyncDispose]());

  const ok = (answer: Answer) => {
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body?.data;
  };
  const speaker = async (language: Language) => {
    const person = await signUp(service, 'Person');
    await verifyAddress(service, person);
    ok(await person.api.patch('/v1/users/me', { language }));
    return person;
  };
  const commentOf = async (person: Person) => {
    const petition = await createPublished(creator);
    const path = `/v1/petitions/${petition.id}/comments`;
    const { id } = ok(await person.api.post(path, { body: 'He lives there.' }));
    return { id: String(id), slug: petition.slug };
  };
  const reasonOf = async (person: Person): Promise<string> => {
    const { id } = await createPublished(creator);
    const input = { comment: 'He lives there.' };
    return ok(await person.api.post(`/v1/petitions/${id}/signatures`, input)).id;
  };
  /** Fills in the form at `action` of a page of the moderator. */
  const press = async (path: string, action: string, fields: Record<string, string>) => {
    const answer = await moderator.submit(await moderator.open(path), fields, action);
    assert.equal(answer.status, 200, answer.body);
  };
  const decideReport = async (type: string, id: string, action: string) => {
    const input = { target_type: type, target_id: id, reason: 'harassment' };
    const report = ok(await reporter.api.post('/v1/reports', input));
    const path = `/moderation/reports/${report.id}`;
    await press(path, path, { action, reason, note });
  };
  const judge = async (id: string, fields: Record<string, string>, below = '') => {
    const path = `/moderation/petitions/${id}`;
    await press(path, path + below, fields);
  };
  const underReview = async (person: Person) => {
    const { id } = await createPublished(person);
    await service.ctx.db`update petitions set status = 'under_review' where id = ${id}`;
    return id;
  };

  const cases: Case[] = [
    {
      name: 'hides a reported comment',
      act: 'hide_comment',
      reported: true,
      run: async (person) => decideReport('comment', (await commentOf(person)).id, 'hide_content'),
    },
    {
      name: 'empties a reported reason',
      act: 'empty_reason',
      reported: true,
      run: async (person) => decideReport('signature', await reasonOf(person), 'hide_content'),
    },
    {
      name: 'puts a reported petition under review',
      act: 'hide_petition',
      reported: true,
      run: async (person) =>
        decideReport('petition', (await createPublished(person)).id, 'hide_content'),
    },
    {
      name: 'removes a reported petition',
      act: 'remove_petition',
      reported: true,
      run: async (person) =>
        decideReport('petition', (await createPublished(person)).id, 'remove_petition'),
    },
    {
      name: 'suspends a reported person',
      act: 'suspend_user',
      reported: true,
      isMailOnly: true,
      run: (person) => decideReport('user', person.id, 'suspend_user'),
    },
    {
      name: 'rejects a petition',
      act: 'reject_petition',
      run: async (person) => judge(await underReview(person), { decision: 'reject', reason }),
    },
    {
      name: 'closes a petition',
      act: 'close_petition',
      run: async (person) =>
        judge((await createPublished(person)).id, { decision: 'close', reason }),
    },
    {
      name: 'replaces text of a petition',
      act: 'redact_petition',
      run: async (person) =>
        judge((await createPublished(person)).id, { title: 'Another title', reason }, '/redact'),
    },
    {
      name: 'deletes a comment',
      act: 'delete_comment',
      async run(person) {
        const { id, slug } = await commentOf(person);
        await press(`/p/${slug}`, `/p/${slug}/comments/${id}/delete`, { reason });
      },
    },
    {
      name: 'suspends a person',
      act: 'suspend_user',
      isMailOnly: true,
      run: ({ id }) =>
        press(`/moderation/users/${id}`, `/moderation/users/${id}/suspend`, { reason }),
    },
    {
      name: 'ends a suspension',
      act: 'unsuspend_user',
      async run({ id }) {
        await service.ctx.db`update users set suspended_at = now() where id = ${id}`;
        await press(`/moderation/users/${id}`, `/moderation/users/${id}/unsuspend`, { reason });
      },
    },
    {
      name: 'rejects a held signature',
      act: 'reject_signature',
      async run(person) {
        const { id } = await createPublished(creator);
        const value = person.email.split('@')[1];
        const block = { petition_id: id, kind: 'domain', value, action: 'hold', reason };
        ok(await admin.api.post('/v1/admin/signing-blocks', block));
        const signature = ok(await person.api.post(`/v1/petitions/${id}/signatures`));
        assert.equal(signature.state, 'held');
        const path = `/moderation/petitions/${id}/held`;
        await press(path, `${path}/${signature.id}`, { decision: 'reject', reason });
      },
    },
  ];

  const mailWith = async ({ email }: Person, subject: string) => {
    const find = async () =>
      (await mailsTo(service, email)).find((mail) => mail.subject.startsWith(subject));
    await eventually(async () => (await find()) !== undefined, 20_000);
    return (await find())!;
  };
  const noticesOf = async ({ api }: Person, type: string) =>
    (ok(await api.get('/v1/notifications')) as { type: string; data: { act: string } }[]).filter(
      (one) => one.type === type,
    );
  const secrets = () => [reporter.id, reporter.email, 'Rita', 'Moritz', note];

  for (const [index, { name, act, run, ...expected }] of cases.entries()) {
    const language = languages[index % languages.length]!;
    it(`${name}: the person is told, in ${language}`, async () => {
      const person = await speaker(language);
      const toldBefore = (await noticesOf(reporter, 'report_decided')).length;
      await run(person);
      const notice = { type: 'moderation_decision', about: '…', detail: reason } as const;
      const { title } = textOf({ ...notice, data: { act }, count: 1 }, language);
      const mail = await mailWith(person, title.replaceAll(/\s+/g, ' ').split('…')[0]!);
      assert.ok(mail.text.includes(reason), mail.text);
      for (const secret of secrets()) assert.ok(!mail.text.includes(secret), mail.text);
      if (!expected.isMailOnly) {
        await eventually(async () => (await noticesOf(person, 'moderation_decision')).length > 0);
        const [told] = await noticesOf(person, 'moderation_decision');
        assert.equal(told!.data.act, act);
        for (const secret of secrets()) assert.ok(!JSON.stringify(told).includes(secret));
      }
      const tellsReporter = expected.reported ? 1 : 0;
      await eventually(
        async () =>
          (await noticesOf(reporter, 'report_decided')).length === toldBefore + tellsReporter,
      );
      const [last] = await noticesOf(reporter, 'report_decided');
      if (tellsReporter) assert.ok(!JSON.stringify(last).includes(person.id));
    });
  }

  it('removes a petition: its signers get one line, without its title', async () => {
    const petition = await createPublished(creator, { title: 'John Doe of 5 Mill Lane must go' });
    const signer = await speaker('en');
    ok(await signer.api.post(`/v1/petitions/${petition.id}/signatures`));
    await decideReport('petition', petition.id, 'remove_petition');
    await eventually(async () => (await noticesOf(signer, 'petition_closed')).length === 1);
    const [notice] = await noticesOf(signer, 'petition_closed');
    assert.match(JSON.stringify(notice), /A petition that you signed was removed/);
    assert.doesNotMatch(JSON.stringify(notice), /Mill Lane/);
  });

  it('warns a reported person, and dismisses a report: the reporter is told', async () => {
    const person = await speaker(languages.at(-1)!);
    for (const [action, count] of [
      ['warn_user', 1],
      ['dismiss', 2],
    ] as const) {
      await decideReport('comment', (await commentOf(person)).id, action);
      await eventually(
        async () =>
          (await noticesOf(reporter, 'report_decided')).filter(({ data }) =>
            ['warn_user', 'dismiss_report'].includes(data.act),
          ).length === count,
      );
    }
    await eventually(async () => (await noticesOf(person, 'moderation_warning')).length === 1);
    assert.deepEqual(await noticesOf(person, 'moderation_decision'), []);
  });
});
