import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addDecisionMaker, deliver, recordOf } from '../../../test/support/decision-makers.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  createPublished,
  signUp,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

const day = 86_400_000;

describe('the portal of decision makers', () => {
  let service: Service;
  let creator: Person;
  let other: Person;
  before(async () => {
    service = await startService({ worker: true });
    creator = await signUp(service, 'Creator');
    other = await signUp(service, 'Other');
  });
  after(() => service[Symbol.asyncDispose]());

  /** Delivers a new petition and returns the path of its link. */
  const delivered = async (fields: object = {}) => {
    const petition = await createPublished(creator, fields);
    const maker = await addDecisionMaker(creator, petition);
    const { token } = await deliver(service, creator, maker, { summary: 'none' });
    await eventually(async () => (await recordOf(creator, maker)).state === 'sent');
    return { petition, maker, path: `/respond/${token}` };
  };

  const eventsOf = (petition: { id: string }, type: string) => service.ctx.db`
    select actor_type, actor_id, data from events
    where petition_id = ${petition.id} and type = ${type}`;

  describe('as JSON', () => {
    it('returns the public petition', async () => {
      const { petition, path } = await delivered();
      await other.api.post(`/v1/petitions/${petition.id}/signatures`);
      const { status, body, headers } = await service.api.get(path);
      assert.equal(status, 200);
      const { petition: shown, link_expires_at, ...rest } = body.data;
      const { body: open } = await service.api.get(`/v1/petitions/${petition.id}`);
      assert.deepEqual(shown, open.data);
      assert.ok(Date.parse(link_expires_at) > Date.now() + 29 * day);
      assert.deepEqual(rest, {
        signature_count: 1,
        decision_maker: { name: 'Grace', title: 'City Council' },
        responded: false,
        response: null,
        earlier_responses: [],
        summary: 'none',
      });
      assert.equal(headers.get('cache-control'), 'no-store');
    });

    it('is marked as opened by a report of its page, once, and never by reading it', async () => {
      const { maker, path } = await delivered();
      for (const method of ['GET', 'HEAD']) {
        for (const accept of ['application/json', 'text/html']) {
          await service.api.send(method, path, undefined, { headers: { accept } });
        }
      }
      const unopened = await recordOf(creator, maker);
      assert.deepEqual([unopened.state, unopened.opened_at], ['sent', null]);
      assert.equal((await service.api.get(`${path}/opened`)).status, 405);
      assert.equal((await service.api.post(`${path}/opened`)).status, 204);
      const opened = await recordOf(creator, maker);
      assert.equal(opened.state, 'opened');
      assert.equal((await service.api.post(`${path}/opened`)).status, 204);
      assert.equal((await recordOf(creator, maker)).opened_at, opened.opened_at);
    });

    it('is marked as opened by a response', async () => {
      const { maker, path } = await delivered();
      assert.equal((await service.api.post(path, { body: 'Yes' })).status, 201);
      assert.ok((await recordOf(creator, maker)).opened_at);
    });

    it('accepts one response, which the creator can read', async () => {
      const { petition, maker, path } = await delivered();
      for (const input of [
        undefined,
        {},
        { body: '' },
        { body: ' \n' },
        { body: 'x'.repeat(10_001) },
        { body: 'Yes', status: 'angry' },
        { body: 'Yes', status: '' },
      ]) {
        assert.equal((await service.api.post(path, input)).status, 422);
      }
      const input = { body: 'We will light it.\n\nFrom May on.', status: 'supportive' };
      const { status, body } = await service.api.post(path, input);
      assert.equal(status, 201);
      const { id, created_at, ...rest } = body.data;
      assert.ok(id && created_at);
      assert.deepEqual(rest, {
        petition_id: petition.id,
        decision_maker: { id: maker.id, name: 'Grace', title: 'City Council', verified: false },
        answered_from: 'example.org',
        vouched_by: null,
        opinions: null,
        ...input,
        not_responsible: false,
        responsible: null,
        body_html: '<p>We will light it.</p>\n<p>From May on.</p>\n',
        state: 'submitted',
        published_at: null,
      });
      const again = await service.api.post(path, { body: 'And more' });
      assert.equal(again.status, 409);
      assert.equal(again.body.code, 'already_responded');
      assert.deepEqual((await service.api.get(path)).body.data.response, body.data);
      const record = await recordOf(creator, maker);
      assert.deepEqual([record.state, record.responded_at], ['responded', created_at]);
      assert.deepEqual(
        [...(await eventsOf(petition, 'response.submitted'))],
        [
          {
            actor_type: 'decision_maker',
            actor_id: maker.id,
            data: { response_id: id, decision_maker_id: maker.id },
          },
        ],
      );
    });

    it('stores one of many concurrent responses, on two processes', async () => {
      await using beside = await startService({ beside: service });
      for (let round = 0; round < 5; round++) {
        const { petition, path } = await delivered();
        const answers = await Promise.all(
          Array.from({ length: 8 }, (_, n) =>
            (n % 2 ? service : beside).api.post(path, { body: `Answer ${n}` }),
          ),
        );
        const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
        assert.deepEqual(statuses, [201, ...Array(7).fill(409)]);
        assert.equal((await eventsOf(petition, 'response.submitted')).length, 1);
        const { body } = await service.api.get(path);
        const stored = answers.find(({ status }) => status === 201)!;
        assert.equal(body.data.response.body, stored.body.data.body);
      }
    });

    it('rejects links that are unknown, expired or of removed decision makers', async () => {
      for (const token of ['no-such', 'A'.repeat(22), '%00', 'x'.repeat(400)]) {
        assert.equal((await service.api.get(`/respond/${token}`)).status, 404);
        assert.equal((await service.api.post(`/respond/${token}`, { body: 'Yes' })).status, 404);
        assert.equal((await service.api.post(`/respond/${token}/opened`)).status, 404);
      }
      const { maker, path } = await delivered();
      assert.equal((await creator.api.delete(maker.path)).status, 204);
      assert.equal((await service.api.get(path)).status, 410);
      assert.equal((await service.api.post(path, { body: 'Yes' })).status, 410);
      assert.equal((await service.api.post(`${path}/opened`)).status, 410);

      const old = await delivered();
      service.advanceClock(30 * day + 1000);
      try {
        assert.equal((await service.api.get(old.path)).status, 410);
        assert.equal((await service.api.post(old.path, { body: 'Yes' })).status, 410);
      } finally {
        service.advanceClock(-30 * day - 1000);
      }
    });

    it('works for closed and private petitions until they are deleted', async () => {
      const { petition, path } = await delivered({ visibility: 'private' });
      const { body } = await service.api.get(path);
      assert.equal(body.data.petition.id, petition.id);
      assert.ok(!('access_code' in body.data.petition));
      await creator.api.post(`/v1/petitions/${petition.id}/close`);
      assert.equal((await service.api.get(path)).body.data.petition.status, 'closed');
      await creator.api.delete(`/v1/petitions/${petition.id}`);
      assert.equal((await service.api.get(path)).status, 404);
      assert.equal((await service.api.post(path, { body: 'Yes' })).status, 404);
    });

    it('rejects removal after a response with 409', async () => {
      const { maker, path } = await delivered();
      await service.api.post(path, { body: 'Yes' });
      const removal = await creator.api.delete(maker.path);
      assert.equal(removal.status, 409);
      assert.equal(removal.body.code, 'already_responded');
    });

    it('takes another response by the link of another delivery, and shows the earlier ones', async () => {
      const { petition, maker, path } = await delivered();
      const first = (await service.api.post(path, { body: 'We will see' })).body.data;
      const { token } = await deliver(service, creator, maker, { summary: 'none' });
      await eventually(async () => (await recordOf(creator, maker)).state === 'sent');
      const asked = await recordOf(creator, maker);
      assert.equal(asked.responded_at, first.created_at);
      assert.equal((await service.api.get(path)).status, 410);
      assert.equal((await service.api.post(path, { body: 'Old link' })).status, 410);

      const next = `/respond/${token}`;
      const open = (await service.api.get(next)).body.data;
      assert.deepEqual(
        [open.responded, open.response, open.earlier_responses],
        [false, null, [first]],
      );
      await service.api.post(`${next}/opened`);
      assert.equal((await recordOf(creator, maker)).state, 'opened');
      const second = (await service.api.post(next, { body: 'It is lit' })).body.data;
      const answered = (await service.api.get(next)).body.data;
      assert.deepEqual(
        [answered.responded, answered.response, answered.earlier_responses],
        [true, second, [first]],
      );
      assert.equal((await service.api.post(next, { body: 'Again' })).status, 409);
      const record = await recordOf(creator, maker);
      assert.deepEqual([record.state, record.responded_at], ['responded', second.created_at]);
      const list = (await creator.api.get(`/v1/petitions/${petition.id}/responses`)).body.data;
      assert.deepEqual(
        list.map(({ id }: { id: string }) => id),
        [first.id, second.id],
      );
      assert.equal((await eventsOf(petition, 'response.submitted')).length, 2);
    });

    it('keeps the response of a time in which links were not stored with it', async () => {
      const { maker, path } = await delivered();
      const response = (await service.api.post(path, { body: 'Yes' })).body.data;
      await service.ctx.db`
        update decision_maker_responses set link_id = null where id = ${response.id}`;
      assert.equal((await recordOf(creator, maker)).state, 'responded');
      assert.deepEqual((await service.api.get(path)).body.data.response, response);
      assert.equal((await service.api.post(path, { body: 'Again' })).status, 409);
      const { token } = await deliver(service, creator, maker, { summary: 'none' });
      await eventually(async () => (await recordOf(creator, maker)).state === 'sent');
      const { body } = await service.api.get(`/respond/${token}`);
      assert.deepEqual([body.data.response, body.data.earlier_responses], [null, [response]]);
      assert.equal((await service.api.post(`/respond/${token}`, { body: 'No' })).status, 201);
    });

    it('gives the summary that was attached to the mail, and no other', async () => {
      const { petition, maker, path } = await delivered({ visibility: 'private' });
      assert.equal((await service.api.get(`${path}/summary`)).status, 404);
      const { token } = await deliver(service, creator, maker, { summary: 'csv' });
      const page = await service.api.get(`/respond/${token}`, { headers: { accept: 'text/html' } });
      assert.ok(page.body.includes(`href="/respond/${token}/summary"`));
      const { status, headers, body } = await service.api.get(`/respond/${token}/summary`);
      assert.equal(status, 200);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.match(headers.get('content-disposition')!, new RegExp(`${petition.slug}\\.csv`));
      assert.match(body, /petition,Keep the river path/);
      assert.equal((await service.api.get(`${path}/summary`)).status, 410);
    });

    it('previews a response, and stores nothing of it', async () => {
      const { petition, maker, path } = await delivered();
      for (const input of [{}, { body: ' ' }, { body: 'No', responsible: 'The province' }]) {
        assert.equal((await service.api.post(`${path}/preview`, input)).status, 422);
      }
      assert.equal((await recordOf(creator, maker)).state, 'sent');
      const input = { body: 'It is **lit**.', status: 'supportive' };
      const { status, body } = await service.api.post(`${path}/preview`, input);
      assert.equal(status, 200);
      assert.deepEqual(body.data, {
        decision_maker: { id: maker.id, name: 'Grace', title: 'City Council', verified: false },
        answered_from: 'example.org',
        vouched_by: null,
        ...input,
        not_responsible: false,
        responsible: null,
        body_html: '<p>It is <strong>lit</strong>.</p>\n',
      });
      assert.equal((await recordOf(creator, maker)).state, 'opened');
      assert.equal((await service.api.get(path)).body.data.responded, false);
      assert.equal((await eventsOf(petition, 'response.submitted')).length, 0);
      assert.equal((await service.api.post(path, input)).status, 201);
      const late = await service.api.post(`${path}/preview`, input);
      assert.deepEqual([late.status, late.body.code], [409, 'already_responded']);
      assert.equal((await service.api.post('/respond/no-such/preview', input)).status, 404);
    });

    it('says that somebody else is responsible', async () => {
      const { petition, path } = await delivered();
      for (const input of [
        { body: 'No', responsible: 'The province' },
        { body: 'No', not_responsible: false, responsible: 'The province' },
        { body: 'No', not_responsible: true, responsible: 'x'.repeat(301) },
        { body: 'No', not_responsible: 'yes' },
        { not_responsible: true, responsible: 'The province' },
      ]) {
        assert.equal((await service.api.post(path, input)).status, 422, JSON.stringify(input));
      }
      const claim = { not_responsible: true, responsible: 'The province of Utrecht' };
      const answer = await service.api.post(path, { body: 'The road is not ours.', ...claim });
      assert.equal(answer.status, 201);
      const { not_responsible, responsible, id } = answer.body.data;
      assert.deepEqual({ not_responsible, responsible }, claim);
      assert.equal((await creator.api.post(`/v1/responses/${id}/publish`)).status, 200);
      const page = await service.api.get(`/p/${petition.slug}`);
      assert.match(page.body, /<bdi>The province of Utrecht<\/bdi> is responsible/);
      const makersPath = `/v1/petitions/${petition.id}/responses`;
      const [listed] = (await service.api.get(makersPath)).body.data;
      assert.equal(listed.responsible, claim.responsible);

      const unclaimed = await delivered();
      const unnamed = await service.api.post(unclaimed.path, {
        body: 'Not ours.',
        not_responsible: true,
        responsible: ' ',
      });
      assert.deepEqual(
        [unnamed.body.data.not_responsible, unnamed.body.data.responsible],
        [true, null],
      );
    });

    it('never loses a response to a concurrent removal or delivery', async () => {
      for (let round = 0; round < 4; round++) {
        const { maker, path } = await delivered();
        const [answer, removal, delivery] = await Promise.all([
          service.api.post(path, { body: 'Yes' }),
          creator.api.delete(maker.path),
          creator.api.post(`${maker.path}/deliver`),
        ]);
        if (answer.status === 201) {
          assert.equal(removal.status, 409);
          assert.equal(delivery.status, 200);
          assert.ok((await recordOf(creator, maker)).responded_at);
        } else assert.equal(answer.status, 410);
        if (removal.status === 204) assert.equal(answer.status, 410);
      }
    });
  });

  describe('as a page without JavaScript', () => {
    const html = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
    /** Submits the form as browsers do. */
    const send = (path: string, fields: Record<string, string>) =>
      service.api.post(path, new URLSearchParams(fields).toString().replaceAll('%0A', '%0D%0A'), {
        headers: { ...html, 'content-type': 'application/x-www-form-urlencoded' },
      });
    const read = (path: string) => service.api.get(path, { headers: html });

    it('has a form, and headers against caching, indexing and framing', async () => {
      const title = 'A <b>bold</b> & "quoted" petition';
      const { maker, path } = await delivered({ title });
      const { status, headers, body } = await read(path);
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-robots-tag'), 'noindex');
      assert.equal(headers.get('referrer-policy'), 'same-origin');
      const policy = headers.get('content-security-policy')!;
      assert.match(policy, /default-src 'none'/);
      assert.match(policy, /form-action 'self'/);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.match(body, /<script type="module" src="\/assets\/portal\.[\w-]+\.js"><\/script>/);
      assert.doesNotMatch(body, /<script>|<b>/);
      assert.match(body, /A &lt;b&gt;bold&lt;\/b&gt; &amp; &quot;quoted&quot; petition/);
      assert.match(body, /<dt>Signatures<\/dt><dd><span class="figure">0<\/span>/);
      assert.ok(body.includes(`<form method="post" action="${path}/preview">`));
      assert.match(body, /<textarea id="body" name="body"/);
      for (const position of ['acknowledged', 'supportive', 'opposed', 'neutral']) {
        assert.ok(body.includes(`<input type="radio" name="status" value="${position}">`));
      }
      assert.equal((await recordOf(creator, maker)).state, 'sent');
      // HTML by default, JSON if it is preferred.
      const byDefault = await service.api.get(path, { headers: { accept: '*/*' } });
      assert.match(byDefault.headers.get('content-type')!, /^text\/html/);
      const json = { accept: 'text/html;q=0.5, application/json' };
      const preferred = await service.api.get(path, { headers: json });
      assert.match(preferred.headers.get('content-type')!, /^application\/json/);
    });

    it('accepts the form, and shows the response from then on', async () => {
      const { petition, path } = await delivered();
      const text = '\nWe <will> light it.\nFrom May on.';
      const thanks = await send(path, { body: text, status: 'supportive' });
      assert.equal(thanks.status, 201);
      assert.match(thanks.body, /Thank you for your response/);
      const { body } = await creator.api.get(`/v1/petitions/${petition.id}/responses`);
      assert.deepEqual([body.data[0].body, body.data[0].status], [text, 'supportive']);
      const later = await read(path);
      assert.match(later.body, /You have responded/);
      assert.match(later.body, /We &lt;will&gt; light it\./);
      assert.doesNotMatch(later.body, /<form/);
      const again = await send(path, { body: 'Once more' });
      assert.equal(again.status, 409);
      assert.match(again.body, /role="alert">You have already responded/);
      assert.match(again.body, /We &lt;will&gt; light it\./);
    });

    it('previews the response, which it keeps for sending and for changing', async () => {
      const { petition, maker, path } = await delivered();
      const fields = {
        body: 'The road <is> not ours.\nAsk them.',
        status: 'neutral',
        not_responsible: 'true',
        responsible: 'The "province"',
      };
      const preview = await send(`${path}/preview`, fields);
      assert.equal(preview.status, 200);
      assert.equal(preview.headers.get('cache-control'), 'no-store');
      assert.match(preview.body, /<h1[^>]*>Check your response<\/h1>/);
      assert.match(preview.body, /The road &lt;is&gt; not ours\./);
      assert.match(preview.body, /<bdi>The &quot;province&quot;<\/bdi> is responsible/);
      // The form that sends it, and the one that changes it.
      assert.ok(preview.body.includes(`<form method="post" action="${path}">`));
      assert.match(
        preview.body,
        /<input type="hidden" name="body" value="The road &lt;is&gt; not ours\.\nAsk them\.">/,
      );
      assert.match(preview.body, />\nThe road &lt;is&gt; not ours\.\nAsk them\.<\/textarea>/);
      assert.match(preview.body, /value="neutral" checked/);
      assert.match(preview.body, /name="not_responsible" value="true" checked/);
      assert.equal((await recordOf(creator, maker)).state, 'opened');
      assert.deepEqual(
        (await creator.api.get(`/v1/petitions/${petition.id}/responses`)).body.data,
        [],
      );
      const sent = await send(path, fields);
      assert.equal(sent.status, 201);
      const late = await send(`${path}/preview`, fields);
      assert.equal(late.status, 409);
      assert.match(late.body, /role="alert">You have already responded/);
    });

    it('keeps who is responsible where it was not said that it is somebody else', async () => {
      const { path } = await delivered();
      const refused = await send(`${path}/preview`, { body: 'No', responsible: 'The province' });
      assert.equal(refused.status, 422);
      assert.match(refused.body, /role="alert">Who is responsible: /);
      assert.match(refused.body, /class="elsewhere shown"/);
      assert.match(refused.body, /value="The province"/);
    });

    it('keeps the submitted text after a validation error', async () => {
      const { maker, path } = await delivered();
      const tooLong = `First\n<line>${'x'.repeat(10_000)}`;
      const long = await send(path, { body: tooLong, status: 'opposed' });
      assert.equal(long.status, 422);
      assert.equal(long.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(long.body, /role="alert">Your response: /);
      // A person has sent the form, so the link was opened.
      assert.equal((await recordOf(creator, maker)).state, 'opened');
      assert.ok(long.body.includes('>\nFirst\n&lt;line&gt;xxx'));
      assert.match(long.body, /value="opposed" checked/);
      const invalid = await send(path, { body: 'Kept', status: 'angry' });
      assert.equal(invalid.status, 422);
      assert.match(invalid.body, /role="alert">Your position: /);
      assert.match(invalid.body, />\nKept<\/textarea>/);
      assert.equal((await send(path, {})).status, 422);
      // A line break counts as one character, as in browsers.
      assert.equal((await send(path, { body: 'a\n'.repeat(5000) })).status, 201);
    });

    it('shows failures as pages', async () => {
      const unknown = await read('/respond/no-such');
      assert.equal(unknown.status, 404);
      assert.match(unknown.body, /<h1[^>]*>This page is not here<\/h1>/);
      assert.equal((await send('/respond/no-such', { body: 'Yes' })).status, 404);
      assert.equal((await send('/respond/no-such', {})).status, 422);
      const { maker, path } = await delivered();
      await creator.api.post(`${maker.path}/deliver`);
      const ended = await send(path, { body: 'Yes' });
      assert.equal(ended.status, 410);
      assert.match(ended.body, /role="alert">This link has ended/);
    });
  });

  describe('the briefing', () => {
    const html = { accept: 'text/html' };
    const read = async (path: string): Promise<string> => {
      const { status, body } = await service.api.get(path, { headers: html });
      assert.equal(status, 200);
      return body;
    };

    it('shows what the page of the petition shows, and earlier answers', async () => {
      const { petition, maker, path } = await delivered({ signatureGoal: 500 });
      await service.api.post(path, { body: 'We will see' });
      const peer = await addDecisionMaker(creator, petition, { name: 'Ada' });
      const { token: peers } = await deliver(service, creator, peer, { summary: 'none' });
      const hidden = await service.api.post(`/respond/${peers}`, { body: 'A draft of Ada' });
      await other.api.post(`/v1/petitions/${petition.id}/comments`, { body: 'I fell <there>.' });
      const { token } = await deliver(service, creator, maker, { summary: 'none' });
      const first = await read(`/respond/${token}`);
      assert.match(first, /What you answered before[\s\S]*We will see/);
      assert.match(first, /I fell &lt;there&gt;\./);
      assert.match(first, /of a goal of 500/);
      assert.match(first, new RegExp(`href="/p/${petition.slug}"`));
      assert.match(first, /<section id="answer"><h2>Your response/);
      // It is not published yet.
      assert.doesNotMatch(first, /A draft of Ada|other decision makers/);
      await creator.api.post(`/v1/responses/${hidden.body.data.id}/publish`);
      const later = await read(`/respond/${token}`);
      assert.match(later, /What other decision makers answered[\s\S]*A draft of Ada/);
      assert.equal(later.match(/We will see/g)!.length, 1);
    });

    it('shows how many signed each version of the text', async () => {
      const { petition, path } = await delivered();
      assert.doesNotMatch(await read(path), /Which text people signed/);
      await other.api.post(`/v1/petitions/${petition.id}/signatures`);
      const changed = { description: `${petition.description} And at the school, too.` };
      const { status } = await creator.api.patch(`/v1/petitions/${petition.id}`, changed);
      assert.equal(status, 200);
      const page = await read(path);
      const [table] = /<tbody>[\s\S]*?<\/tbody>/.exec(page)!;
      assert.match(table, /Version 1<\/td>.*>1<\/td>[\s\S]*Version 2<\/td>.*>0<\/td>/);
    });

    it('shows of a private petition what the mail gave, and no more', async () => {
      const { petition, path } = await delivered({ visibility: 'private' });
      await creator.api.post(`/v1/petitions/${petition.id}/comments`, { body: 'Among us' });
      const page = await read(path);
      assert.match(page, /<section id="answer">/);
      assert.ok(!page.includes('Among us'));
      assert.ok(!page.includes(`/p/${petition.slug}`));
      assert.ok(!page.includes(petition.access_code));
    });
  });

  it('judges 100 unknown links of a network an hour, and known ones without limit', async () => {
    await using limited = await startService({
      worker: true,
      env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' },
    });
    const owner = await signUp(limited);
    await verifyAddress(limited, owner);
    const maker = await addDecisionMaker(owner, await createPublished(owner));
    const { token } = await deliver(limited, owner, maker, { summary: 'none' });
    await eventually(async () => (await recordOf(owner, maker)).state === 'sent');
    const from = (ip: string, link: string) =>
      limited.api.get(`/respond/${link}`, { headers: { 'x-forwarded-for': ip } });
    const known = async (ip: string) => (await from(ip, token)).status;
    for (let n = 0; n < 5; n += 1) assert.equal(await known('192.0.2.1'), 200);
    const guesses = Array.from({ length: 130 }, (_, n) =>
      n % 2 === 0
        ? from('192.0.2.1', `guess-${n}`)
        : limited.api.post(
            `/respond/guess-${n}/opened`,
            {},
            { headers: { 'x-forwarded-for': '192.0.2.1' } },
          ),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 404).length, 100);
    assert.equal(statuses.filter((status) => status === 429).length, 30);
    assert.equal(await known('192.0.2.1'), 429);
    assert.equal(await known('192.0.2.2'), 200);
  });
});
