import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, logInBrowser } from '../../../test/support/browser.ts';
import type { Answer } from '../../../test/support/client.ts';
import { mailsTo } from '../../../test/support/decision-makers.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { ReadMail } from '../../../test/support/mail.ts';
import {
  createPublished,
  logIn,
  logInAsAdmin,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const reason = 'Es nennt die Anschrift eines Nachbarn.';
const note = 'Rita has written to us twice.';
const day = 24 * 3_600_000;
const byNumber = (a: number, b: number) => a - b;

describe('decisions of moderators', () => {
  let service: Service;
  let admin: Person;
  let moderator: Person;
  let other: Person;
  let reporter: Person;
  before(async () => {
    service = await startService({ worker: true });
    admin = await logInAsAdmin(service);
    moderator = await signUp(service, 'Moritz Moderator');
    other = await signUp(service, 'Olga Moderator');
    reporter = await signUp(service, 'Rita Reporter');
    await verifyAddress(service, reporter);
    for (const { id } of [moderator, other]) {
      await admin.api.patch(`/v1/admin/users/${id}`, { role: 'moderator' });
    }
  });
  after(() => service[Symbol.asyncDispose]());

  const ok = (answer: Answer) => {
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body?.data;
  };
  /** A person with a verified address who reads German. */
  const german = async () => {
    const person = await signUp(service, 'Greta');
    await verifyAddress(service, person);
    ok(await person.api.patch('/v1/users/me', { language: 'de' }));
    return person;
  };
  const commentOf = async (person: Person) => {
    const { id } = await createPublished(await signUp(service, 'Creator'));
    return ok(await person.api.post(`/v1/petitions/${id}/comments`, { body: 'Er wohnt dort.' }))
      .id as string;
  };
  const report = async (type: string, id: string) =>
    ok(
      await reporter.api.post('/v1/reports', {
        target_type: type,
        target_id: id,
        reason: 'harassment',
      }),
    ).id as string;
  const act = async (type: string, id: string, action: string) =>
    ok(
      await moderator.api.post(`/v1/admin/reports/${await report(type, id)}/action`, {
        action,
        note,
        reason,
      }),
    );
  /** Waits for a mail whose subject matches, and returns it. */
  const mailOf = async ({ email }: { email: string }, subject: RegExp): Promise<ReadMail> => {
    let found: ReadMail[] = [];
    await eventually(async () => {
      found = (await mailsTo(service, email)).filter((mail) => subject.test(mail.subject));
      return found.length > 0;
    }, 20_000);
    assert.equal(found.length, 1);
    return found[0]!;
  };
  const linkIn = ({ text }: ReadMail): string => {
    const [, path] = /http:\/\/[\w.:-]+(\/complaints\/\S+)/.exec(text) ?? [];
    assert.ok(path, text);
    return path;
  };
  const noticesOf = async ({ id }: { id: string }, type: string) =>
    service.ctx.db<{ data: Record<string, string>; detail: string | null }[]>`
      select n.data, n.detail from notifications t join notices n on n.id = t.notice_id
      where t.user_id = ${id} and n.type = ${type} order by t.notice_id`;
  const assertNamesNobody = (text: string) => {
    for (const secret of [reporter.id, reporter.email, moderator.id, note, /Rita/, /Moritz/]) {
      if (secret instanceof RegExp) assert.doesNotMatch(text, secret);
      else assert.ok(!text.includes(secret), text);
    }
  };

  /** How each act is done to a person by API; whether it was reported; what the German mail is about. */
  const cases: {
    act: string;
    run: (person: Person) => Promise<unknown>;
    subject: RegExp;
    reported?: RegExp;
    silent?: true;
    final?: true;
    isMailOnly?: true;
  }[] = [
    {
      act: 'hide_comment',
      run: async (person) => act('comment', await commentOf(person), 'hide_content'),
      subject: /^Die Moderation hat Ihren Kommentar zu .* verborgen$/,
      reported: /can no longer be seen/,
    },
    {
      act: 'hide_comment',
      run: async (person) =>
        ok(
          await moderator.api.post(`/v1/admin/comments/${await commentOf(person)}/hide`, {
            reason,
          }),
        ),
      subject: /^Die Moderation hat Ihren Kommentar zu .* verborgen$/,
    },
    {
      act: 'unhide_comment',
      run: async (person) => {
        const id = await commentOf(person);
        await service.ctx.db`update comments set is_hidden = true where id = ${id}`;
        ok(await moderator.api.post(`/v1/admin/comments/${id}/unhide`, { reason }));
      },
      subject: /^Ihr Kommentar zu .* ist wieder zu sehen$/,
      final: true,
    },
    {
      act: 'delete_comment',
      run: async (person) =>
        ok(await moderator.api.delete(`/v1/comments/${await commentOf(person)}`)),
      subject: /^Die Moderation hat Ihren Kommentar zu .* gelöscht$/,
      silent: true,
    },
    {
      act: 'delete_comment',
      run: async (person) =>
        ok(await moderator.api.delete(`/v1/comments/${await commentOf(person)}`, { reason })),
      subject: /^Die Moderation hat Ihren Kommentar zu .* gelöscht$/,
    },
    {
      act: 'empty_reason',
      run: async (person) => {
        const { id } = await createPublished(await signUp(service, 'Creator'));
        const input = { comment: 'Er wohnt dort.' };
        const signature = ok(await person.api.post(`/v1/petitions/${id}/signatures`, input));
        await act('signature', signature.id, 'hide_content');
      },
      subject: /^Die Moderation hat die Begründung Ihrer Unterschrift unter .* entfernt$/,
      reported: /was removed/,
    },
    {
      act: 'delete_update',
      run: async (person) => {
        const { id } = await createPublished(person);
        const input = { title: 'Neues', body: 'Es geht voran.' };
        const update = ok(await person.api.post(`/v1/petitions/${id}/updates`, input));
        ok(await moderator.api.delete(`/v1/updates/${update.id}`, { reason }));
      },
      subject: /^Die Moderation hat eine Neuigkeit/,
    },
    {
      act: 'hide_petition',
      run: async (person) => act('petition', (await createPublished(person)).id, 'hide_content'),
      subject: /^Die Moderation prüft Ihre Petition/,
      reported: /can no longer be seen/,
    },
    {
      act: 'remove_petition',
      run: async (person) => act('petition', (await createPublished(person)).id, 'remove_petition'),
      subject: /^Die Moderation hat Ihre Petition .* entfernt$/,
      reported: /was removed/,
    },
    {
      act: 'reject_petition',
      run: async (person) => {
        const { id } = await createPublished(person);
        await service.ctx.db`update petitions set status = 'under_review' where id = ${id}`;
        ok(await moderator.api.post(`/v1/admin/petitions/${id}/reject`, { reason }));
      },
      subject: /^Die Moderation hat Ihre Petition .* nicht freigegeben$/,
    },
    {
      act: 'close_petition',
      run: async (person) => {
        const { id } = await createPublished(person);
        ok(await moderator.api.post(`/v1/admin/petitions/${id}/close`, { reason }));
      },
      subject: /^Die Moderation hat Ihre Petition .* geschlossen$/,
    },
    {
      act: 'redact_petition',
      run: async (person) => {
        const { id } = await createPublished(person);
        const input = { title: 'Ein anderer Titel', reason };
        ok(await moderator.api.post(`/v1/admin/petitions/${id}/redact`, input));
      },
      subject: /^Die Moderation hat den Text Ihrer Petition .* geändert$/,
    },
    {
      act: 'suspend_user',
      run: (person) => act('user', person.id, 'suspend_user'),
      subject: /^Die Moderation hat Ihr Konto gesperrt$/,
      reported: /has acted on/,
      isMailOnly: true,
    },
    {
      act: 'suspend_user',
      run: async (person) =>
        ok(await admin.api.post(`/v1/admin/users/${person.id}/suspend`, { reason })),
      subject: /^Die Moderation hat Ihr Konto gesperrt$/,
      isMailOnly: true,
    },
    {
      act: 'unsuspend_user',
      run: async (person) => {
        await service.ctx.db`update users set suspended_at = now() where id = ${person.id}`;
        ok(await admin.api.post(`/v1/admin/users/${person.id}/unsuspend`, { reason }));
      },
      subject: /^Ihr Konto ist nicht mehr gesperrt$/,
      final: true,
    },
    {
      act: 'remove_signature',
      run: async (person) => {
        const { id } = await createPublished(await signUp(service, 'Creator'));
        const signature = ok(await person.api.post(`/v1/petitions/${id}/signatures`));
        const path = `/v1/admin/signatures/${signature.id}`;
        ok(await admin.api.send('DELETE', path, { reason }));
      },
      subject: /^Die Moderation hat entschieden, dass Ihre Unterschrift/,
    },
  ];

  for (const [index, one] of cases.entries()) {
    it(`are told: ${one.act} (${index + 1})`, async () => {
      const person = await german();
      const reportedBefore = (await noticesOf(reporter, 'report_decided')).length;
      await one.run(person);
      const mail = await mailOf(person, one.subject);
      if (one.silent) assert.match(mail.text, /keinen weiteren Grund genannt/);
      else assert.ok(mail.text.includes(reason), mail.text);
      if (one.reported) assert.match(mail.text, /gemeldet.*nicht, von wem/);
      if (one.final) assert.doesNotMatch(mail.text, /\/complaints\//);
      else {
        assert.match(mail.text, /Ein Mensch hat das entschieden/);
        assert.match(mail.text, /bis .* beschweren/);
        assert.match((await service.api.get(linkIn(mail))).body, /name="text"/);
      }
      assertNamesNobody(mail.text);
      if (!one.isMailOnly) {
        await eventually(async () => (await noticesOf(person, 'moderation_decision')).length > 0);
        const [notice] = await noticesOf(person, 'moderation_decision');
        assert.equal(notice!.data.act, one.act);
        assert.equal(notice!.detail, one.silent ? null : reason);
        const { body } = await person.api.get('/v1/notifications');
        assertNamesNobody(JSON.stringify(body.data));
      }
      if (one.reported) {
        await eventually(
          async () => (await noticesOf(reporter, 'report_decided')).length > reportedBefore,
        );
        const { body } = await reporter.api.get('/v1/notifications');
        const told = body.data.find(({ type }: { type: string }) => type === 'report_decided');
        assert.match(told.body, one.reported);
        assert.ok(!JSON.stringify(told).includes(person.id));
      }
    });
  }

  it('are told once for each signature that a rule invalidates', async () => {
    const signer = await german();
    const unproven = await signUp(service, 'Unproven');
    const { id } = await createPublished(await signUp(service, 'Creator'));
    for (const { api } of [signer, unproven]) ok(await api.post(`/v1/petitions/${id}/signatures`));
    const input = { rule: { domain: 'example.org' }, reason: note };
    ok(await moderator.api.post(`/v1/admin/petitions/${id}/invalidations`, input));
    // The job waits for an hour, in which the rule can be undone.
    await eventually(
      () => service.ctx.db.changed`
        update graphile_worker._private_jobs set run_at = now()
        where key like 'tell-invalidated:%'`,
      10_000,
    );
    for (const person of [signer, unproven]) {
      await eventually(
        async () => (await noticesOf(person, 'moderation_decision')).length === 1,
        20_000,
      );
    }
    const mail = await mailOf(signer, /^Die Moderation hat entschieden, dass Ihre Unterschrift/);
    assertNamesNobody(mail.text);
    const sent = await mailsTo(service, unproven.email);
    assert.deepEqual(
      sent.map(({ subject }) => subject),
      ['Confirm your email address'],
    );
    const countOf = async () =>
      (await signer.api.get(`/v1/petitions/${id}`)).body.data.signature_count;
    assert.equal(await countOf(), 0);
    const complaint = await complainAbout(linkIn(mail));
    ok(await decide(other, complaint, 'reverse'));
    assert.equal(await countOf(), 1);
  });

  const text = 'Der Kommentar nennt nur, was im Amtsblatt steht.';
  const complain = async (link: string, words = text) => {
    const browser = new Browser(service.api);
    return browser.submit(await browser.open(link), { text: words });
  };
  type ListedComplaint = { id: string; side: string; text: string; decision: Decided };
  type Decided = { act: string; target_id: string };
  const listed = async (status = 'open') =>
    ok(await other.api.get(`/v1/admin/complaints?status=${status}&limit=100`)) as ListedComplaint[];
  const complainAbout = async (link: string): Promise<string> => {
    const { status, body } = await complain(link);
    assert.equal(status, 200, body);
    return (await listed()).at(-1)!.id;
  };
  const decide = (person: Person, id: string, decision: string) =>
    person.api.post(`/v1/admin/complaints/${id}/decision`, { decision, reason: 'Geprüft.' });
  /** Hides a comment of a person. Returns its id and the link of the mail. */
  const hidden = async (person: Person) => {
    const id = await commentOf(person);
    ok(await moderator.api.post(`/v1/admin/comments/${id}/hide`, { reason }));
    const mail = await mailOf(person, /Kommentar .* verborgen$/);
    return { id, link: linkIn(mail) };
  };

  it('take one complaint without a login, and nothing by opening the link', async () => {
    const { id, link } = await hidden(await german());
    const count = (await listed()).length;
    for (let n = 0; n < 2; n += 1) assert.equal((await service.api.get(link)).status, 200);
    assert.equal((await listed()).length, count);
    assert.equal((await complain(link, 'Zu kurz.')).status, 422);
    const browsers = [new Browser(service.api), new Browser(service.api)];
    const pages = await Promise.all(browsers.map((browser) => browser.open(link)));
    const answers = await Promise.all(
      browsers.map((browser, index) => browser.submit(pages[index]!, { text })),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(byNumber), [200, 409]);
    const complaints = (await listed()).filter(({ decision }) => decision.target_id === id);
    assert.equal(complaints.length, 1);
    assert.deepEqual(
      [complaints[0]!.side, complaints[0]!.text, complaints[0]!.decision.act],
      ['author', text, 'hide_comment'],
    );
    const page = await service.api.get(link);
    assert.match(page.body, /Your complaint is here/);
    assert.doesNotMatch(page.body, /name="text"/);
  });

  it('refuse a wrong link, and one after six months', async () => {
    const { link } = await hidden(await german());
    assert.equal((await service.api.get(`${link}x`)).status, 404);
    assert.equal((await service.api.get('/complaints/a.b.c')).status, 404);
    const browser = new Browser(service.api);
    const page = await browser.open(link);
    service.advanceClock(190 * day);
    try {
      assert.match((await browser.open(link)).body, /no longer taken/);
      assert.equal((await browser.submit(page, { text })).status, 410);
    } finally {
      service.advanceClock(-190 * day);
    }
  });

  it('are judged by another moderator, who can undo them', async () => {
    const person = await german();
    const { id, link } = await hidden(person);
    const complaint = await complainAbout(link);
    const early = await decide(moderator, complaint, 'reverse');
    assert.deepEqual([early.status, early.body.code], [403, 'another_moderator']);
    const decided = ok(await decide(other, complaint, 'reverse'));
    assert.deepEqual([decided.status, decided.same_moderator], ['reversed', false]);
    const shown = ok(await service.api.get(`/v1/comments/${id}`));
    assert.equal(shown.body, 'Er wohnt dort.');
    const again = await decide(other, complaint, 'uphold');
    assert.deepEqual([again.status, again.body.code], [409, 'complaint_decided']);
    const mail = await mailOf(person, /^Ihre Beschwerde war berechtigt/);
    assert.match(mail.text, /Geprüft\./);
    assert.match((await service.api.get(link)).body, /the decision is undone/);
    const [, notice] = await noticesOf(person, 'moderation_decision');
    assert.deepEqual([notice!.data.outcome, notice!.detail], ['reversed', 'Geprüft.']);
    const log = await admin.api.get('/v1/admin/audit-logs?action=complaint.reverse');
    assert.equal(log.body.data[0].target_id, complaint);
  });

  it('are judged by the same moderator after 24 hours, which is marked', async () => {
    const person = await german();
    const { id, link } = await hidden(person);
    const complaint = await complainAbout(link);
    service.advanceClock(day - 60_000);
    try {
      // The tokens of before have expired.
      const sameModerator = await logIn(service, moderator);
      assert.equal((await decide(sameModerator, complaint, 'uphold')).status, 403);
      service.advanceClock(60_000);
      const decided = ok(await decide(sameModerator, complaint, 'uphold'));
      assert.deepEqual([decided.status, decided.same_moderator], ['upheld', true]);
    } finally {
      service.advanceClock(-day);
    }
    assert.equal((await service.api.get(`/v1/comments/${id}`)).status, 404);
    await mailOf(person, /^Ihre Beschwerde wurde geprüft/);
  });

  it('that took petitions and accounts away can be undone', async () => {
    const acts: [string, (person: Person, id: string) => Promise<unknown>, RegExp][] = [
      ['petition', (_, id) => act('petition', id, 'hide_content'), /prüft Ihre Petition/],
      ['petition', (_, id) => act('petition', id, 'remove_petition'), /entfernt$/],
      [
        'petition',
        (_, id) => moderator.api.post(`/v1/admin/petitions/${id}/close`, { reason }),
        /geschlossen$/,
      ],
      ['user', ({ id }) => act('user', id, 'suspend_user'), /Konto gesperrt$/],
    ];
    for (const [type, run, subject] of acts) {
      const person = await german();
      const { id } = await createPublished(person);
      await run(person, id);
      const complaint = await complainAbout(linkIn(await mailOf(person, subject)));
      ok(await decide(other, complaint, 'reverse'));
      const petition = ok(await service.api.get(`/v1/petitions/${id}`));
      assert.deepEqual([petition.status, petition.closed_at], ['active', null], String(subject));
      if (type === 'user') {
        const { email, password } = person;
        assert.equal((await service.api.post('/v1/auth/login', { email, password })).status, 200);
      }
    }
  });

  it('that cannot be undone answer so, and can be upheld', async () => {
    const person = await german();
    const { id } = await createPublished(person);
    const input = { title: 'Ein anderer Titel', reason };
    ok(await moderator.api.post(`/v1/admin/petitions/${id}/redact`, input));
    const mail = await mailOf(person, /^Die Moderation hat den Text Ihrer Petition/);
    const complaint = await complainAbout(linkIn(mail));
    const refused = await decide(other, complaint, 'reverse');
    assert.deepEqual([refused.status, refused.body.code], [409, 'not_reversible']);
    ok(await decide(other, complaint, 'uphold'));
  });

  it('that dismiss a report can be complained about by its reporter', async () => {
    const id = await commentOf(await german());
    const someone = await signUp(service, 'Someone');
    await verifyAddress(service, someone);
    const input = { target_type: 'comment', target_id: id, reason: 'spam' };
    const { id: reportId } = ok(await someone.api.post('/v1/reports', input));
    const action = { action: 'dismiss', note, reason };
    ok(await moderator.api.post(`/v1/admin/reports/${reportId}/action`, action));
    const mail = await mailOf(someone, /^Your report was decided$/);
    assert.match(mail.text, /within the rules/);
    assert.ok(!mail.text.includes(note) && !mail.text.includes(reason), mail.text);
    const complaint = await complainAbout(linkIn(mail));
    assert.equal((await listed()).at(-1)!.side, 'reporter');
    ok(await decide(other, complaint, 'reverse'));
    const open = ok(await other.api.get('/v1/admin/reports?status=open&limit=100')) as {
      id: string;
    }[];
    assert.ok(open.some((one) => one.id === reportId));
  });

  it('are decided about on a page', async () => {
    const { link } = await hidden(await german());
    const complaint = await complainAbout(link);
    const browser = await logInBrowser(service, other);
    const queue = await browser.open('/moderation/complaints');
    assert.match(queue.body, new RegExp(`/moderation/complaints/${complaint}`));
    const page = await browser.open(`/moderation/complaints/${complaint}`);
    assert.match(page.body, /Amtsblatt/);
    assert.equal((await browser.submit(page, { decision: 'uphold', reason: '' })).status, 422);
    const done = await browser.submit(page, { decision: 'uphold', reason: 'It stays.' });
    assert.match(done.body, /role="status"/);
    const upheld = await browser.open('/moderation/complaints?status=upheld');
    assert.match(upheld.body, new RegExp(complaint));
  });

  it('lead from the notification to their page', async () => {
    const person = await german();
    await hidden(person);
    await eventually(async () => (await noticesOf(person, 'moderation_decision')).length > 0);
    const browser = await logInBrowser(service, person);
    const list = await browser.open('/notifications');
    const [, path] = /href="(\/notifications\/[0-9a-f-]{36})"/.exec(list.body) ?? [];
    assert.match((await browser.open(path!)).body, /name="text"/);
  });

  it('keep neither words nor account when somebody is erased', async () => {
    const person = await german();
    const { id, link } = await hidden(person);
    await complainAbout(link);
    const exported = await person.api.get('/v1/users/me/export');
    assert.equal(exported.body.moderation_decisions.decisions[0].reason, reason);
    assert.equal(exported.body.moderation_decisions.complaints[0].text, text);
    const { password } = person;
    assert.equal((await person.api.send('DELETE', '/v1/users/me', { password })).status, 204);
    const rows = await service.ctx.db`
      select d.user_id, d.reason, c.user_id as complainant, c.text
      from moderation_decisions d join complaints c on c.decision_id = d.id
      where d.target_id = ${id}`;
    assert.deepEqual(rows[0], { user_id: null, reason: null, complainant: null, text: null });
  });

  it('are for moderators to read', async () => {
    assert.equal((await reporter.api.get('/v1/admin/complaints')).status, 403);
    assert.equal((await service.api.get('/v1/admin/complaints')).status, 401);
    const first = await other.api.get('/v1/admin/complaints?status=upheld&limit=1');
    const cursor = first.body.pagination.next_cursor;
    const second = await other.api.get(
      `/v1/admin/complaints?status=upheld&limit=1&cursor=${cursor}`,
    );
    assert.ok(first.body.data[0].id < second.body.data[0].id);
  });
});
