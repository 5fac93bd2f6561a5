import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { readMail } from '../../../test/support/mail.ts';
import {
  createPublished,
  logIn,
  signUp,
  unproveAddress,
  verifyAddress,
  type Person,
} from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { assertVerified } from '../../../test/support/verify.ts';

describe('how one logs in', () => {
  let service: Service;
  let count = 0;
  before(async () => {
    service = await startService({ worker: true });
  });
  after(() => service[Symbol.asyncDispose]());

  const newAddress = () => `owner-${++count}@example.org`;
  const verified = async (name = 'Ada') => {
    const person = await signUp(service, name);
    await verifyAddress(service, person);
    return person;
  };
  /** As if the person had logged in an hour ago. */
  const ageSessions = ({ id }: { id: string }) =>
    service.ctx.db`
      update sessions set created_at = created_at - interval '1 hour' where user_id = ${id}`;
  const mailsTo = async (email: string, pattern: RegExp) =>
    (await service.mails())
      .map(readMail)
      .filter(({ to, text, subject }) => to === email && pattern.test(`${subject}\n${text}`));
  const newest = async (email: string, pattern: RegExp): Promise<string> => {
    await eventually(async () => (await mailsTo(email, pattern)).length > 0);
    const { subject, text } = (await mailsTo(email, pattern)).at(-1)!;
    return pattern.exec(`${subject}\n${text}`)![1]!;
  };
  const codeFor = async (email: string) => {
    const earlier = (await mailsTo(email, /^(\d{6}):/)).length;
    const { body } = await service.api.post('/v1/auth/magic-link', { email });
    await eventually(async () => (await mailsTo(email, /^(\d{6}):/)).length > earlier);
    return { challenge: body.data.challenge as string, code: await newest(email, /^(\d{6}):/) };
  };
  const canLogIn = async (email: string, password: string) =>
    (await service.api.post('/v1/auth/login', { email, password })).status === 200;

  describe('a password', () => {
    it('is set, changed and removed by its owner, who has just logged in or proves it', async () => {
      const person = await verified();
      const path = '/v1/users/me/password';
      const next = 'battery staple';
      assert.equal((await person.api.put(path, { new_password: next })).status, 204);
      assert.equal(await canLogIn(person.email, person.password), false);
      assert.equal(await canLogIn(person.email, next), true);
      await ageSessions(person);
      const late = await person.api.put(path, { new_password: 'another staple' });
      assert.deepEqual([late.status, late.body.code], [403, 'reauthentication_required']);
      const wrong = await person.api.put(path, { new_password: 'another staple', password: 'no' });
      assert.deepEqual([wrong.status, wrong.body.code], [403, 'wrong_password']);
      const common = await person.api.put(path, { new_password: 'password123', password: next });
      assert.equal(common.status, 422);
      assert.equal(common.body.errors[0].field, 'new_password');
      assert.equal((await person.api.delete(path, { password: next })).status, 204);
      assert.equal(await canLogIn(person.email, next), false);
      const byCode = { new_password: 'yet another', ...(await codeFor(person.email)) };
      assert.equal((await person.api.put(path, byCode)).status, 204);
      assert.equal((await person.api.put(path, byCode)).status, 410, 'a code works once');
      assert.equal(await canLogIn(person.email, 'yet another'), true);
    });

    it('ends all other sessions when it changes', async () => {
      const person = await verified();
      const other = await logIn(service, person);
      const change = { new_password: 'battery staple' };
      assert.equal((await person.api.put('/v1/users/me/password', change)).status, 204);
      assert.equal((await other.api.get('/v1/me')).status, 401);
      assert.equal((await person.api.get('/v1/me')).status, 200);
    });

    it('is not removed where the address was never proven, and not by the code of another', async () => {
      const unproven = await signUp(service);
      const removed = await unproven.api.delete('/v1/users/me/password', {});
      assert.deepEqual([removed.status, removed.body.code], [403, 'email_not_verified']);
      const [owner, attacker] = [await verified('Owner'), await verified('Attacker')];
      await ageSessions(owner);
      const foreign = await codeFor(attacker.email);
      const refused = await owner.api.put('/v1/users/me/password', {
        new_password: 'battery staple',
        ...foreign,
      });
      assert.deepEqual([refused.status, refused.body.code], [403, 'wrong_code']);
    });
  });

  describe('an account without a password', () => {
    it('is erased by a code', async () => {
      const person = await verified();
      await service.ctx.db`update users set password_hash = null where id = ${person.id}`;
      const erase = (input: object) => person.api.delete('/v1/users/me', input);
      const nothing = await erase({});
      assert.deepEqual(
        [nothing.status, nothing.body.errors[0].field, nothing.body.errors[0].code],
        [422, 'password', 'required'],
      );
      assert.equal((await erase({ password: 'anything' })).status, 403);
      const { challenge, code } = await codeFor(person.email);
      const wrong = code === '000000' ? '000001' : '000000';
      assert.equal((await erase({ challenge, code: wrong })).status, 403);
      assert.equal((await erase({ challenge, code })).status, 204);
      assert.equal((await person.api.get('/v1/me')).status, 401);
    });
  });

  describe('an address', () => {
    const ask = async (person: Person, email: string) => {
      const { status, body } = await person.api.post('/v1/users/me/email', { email });
      assert.equal(status, 202, JSON.stringify(body));
      return newest(email, /email\/confirm\?token=([\w-]+)/);
    };
    const confirm = (token: string) => service.api.post('/v1/auth/email/confirm', { token });
    const undo = (token: string) => service.api.post('/v1/auth/email/undo', { token });

    it('is changed by the new one, and undone by the old one', async () => {
      const person = await verified();
      const email = newAddress();
      const token = await ask(person, email);
      assert.equal((await person.api.get('/v1/me')).body.data.email, person.email);
      assert.equal((await confirm(token)).status, 204);
      assert.equal((await confirm(token)).status, 410);
      const { data } = (await person.api.get('/v1/me')).body;
      assert.deepEqual([data.email, data.email_verified], [email, true]);
      assert.equal(await canLogIn(email, person.password), true);
      // The old address stays reserved.
      const taken = { email: person.email, password: 'long enough', display_name: 'Squatter' };
      assert.equal((await service.api.post('/v1/auth/register', taken)).status, 409);

      const thief = await logIn(service, { email, password: person.password });
      const key = await thief.api.post('/v1/api-keys', { name: 'Of the thief' });
      const undoToken = await newest(person.email, /email\/undo\?token=([\w-]+)/);
      assert.equal((await undo(undoToken)).status, 204);
      assert.equal((await undo(undoToken)).status, 410);
      assert.equal((await thief.api.get('/v1/me')).status, 401);
      assert.equal((await service.api.as(key.body.data.key).get('/v1/me')).status, 401);
      assert.equal(await canLogIn(email, person.password), false);
      const reset = await newest(person.email, /reset-password\?token=([\w-]+)/);
      const input = { token: reset, password: 'battery staple' };
      assert.equal((await service.api.post('/v1/auth/reset-password', input)).status, 204);
      assert.equal(await canLogIn(person.email, 'battery staple'), true);
    });

    it('needs a proof of the owner, and tells nobody which addresses are in use', async () => {
      const [person, other] = [await verified(), await verified('Other')];
      const token = await ask(person, other.email);
      const { status, body } = await confirm(token);
      assert.deepEqual([status, body.code], [409, 'email_in_use']);
      assert.equal((await person.api.get('/v1/me')).body.data.email, person.email);
      await ageSessions(person);
      const late = await person.api.post('/v1/users/me/email', { email: newAddress() });
      assert.deepEqual([late.status, late.body.code], [403, 'reauthentication_required']);
      for (const wrong of ['x', token.slice(0, -1), `${token}x`]) {
        assert.equal((await confirm(wrong)).status, 410);
        assert.equal((await undo(wrong)).status, 410);
      }
      const [first, second] = [newAddress(), newAddress()];
      const recent = await logIn(service, person);
      const early = await ask({ ...person, ...recent }, first);
      const late2 = await ask({ ...person, ...recent }, second);
      assert.equal((await confirm(early)).status, 410, 'superseded');
      assert.equal((await confirm(late2)).status, 204);
    });

    it('is not changed before it is proven', async () => {
      const squatter = await signUp(service);
      const { status, body } = await squatter.api.post('/v1/users/me/email', {
        email: newAddress(),
      });
      assert.deepEqual([status, body.code], [403, 'email_not_verified']);
    });

    it('keeps what was asked for from being confirmed once its owner has taken the account back', async () => {
      const reset = async (person: Person) => {
        await service.api.post('/v1/auth/forgot-password', { email: person.email });
        const token = await newest(person.email, /reset-password\?token=([\w-]+)/);
        return service.api.post('/v1/auth/reset-password', { token, password: 'battery staple' });
      };
      const acts: Record<string, (person: Person) => Promise<{ status: number }>> = {
        reset,
        'new password': ({ api }) =>
          api.put('/v1/users/me/password', { new_password: 'battery staple' }),
        'ending all other sessions': async (person) =>
          (await logIn(service, person)).api.delete('/v1/users/me/sessions'),
        'ending one session': async (person) => {
          const { api } = await logIn(service, person);
          const { body } = await api.get('/v1/users/me/sessions');
          const thief = body.data.find(({ current }: { current: boolean }) => !current);
          return api.delete(`/v1/users/me/sessions/${thief.id}`);
        },
      };
      for (const [name, act] of Object.entries(acts)) {
        const person = await verified();
        const token = await ask(person, newAddress());
        assert.equal((await act(person)).status, 204, name);
        assert.equal((await confirm(token)).status, 410, name);
      }
    });

    it('is confirmed only for the one that it was asked for', async () => {
      const person = await verified();
      const token = await ask(person, newAddress());
      await service.ctx.db`update users set email = ${newAddress()} where id = ${person.id}`;
      assert.equal((await confirm(token)).status, 410);
      const other = await verified();
      const early = await ask(other, newAddress());
      await unproveAddress(service, other);
      assert.equal((await confirm(early)).status, 410);
    });

    it('that was given up is reserved until who reads its mail proves it', async () => {
      const person = await verified();
      await confirm(await ask(person, newAddress()));
      const answer = { ...(await codeFor(person.email)), display_name: 'Reader' };
      assert.equal((await service.api.post('/v1/auth/magic-link/verify', answer)).status, 200);
      const undoToken = await newest(person.email, /email\/undo\?token=([\w-]+)/);
      assert.equal((await undo(undoToken)).body.code, 'email_in_use');
    });

    it('is given to one of ten who change at once, and nobody is shut out', async () => {
      const people = [];
      for (let n = 0; n < 10; n += 1) people.push(await verified(`Person ${n}`));
      const wanted = newAddress();
      const addresses = people.map((_, n) => (n < 2 ? wanted : newAddress()));
      const tokens: string[] = [];
      for (const [n, person] of people.entries()) {
        const email = addresses[n]!;
        if (n !== 1) {
          tokens.push(await ask(person, email));
          continue;
        }
        const pattern = /email\/confirm\?token=([\w-]+)/;
        assert.equal((await person.api.post('/v1/users/me/email', { email })).status, 202);
        await eventually(async () => (await mailsTo(email, pattern)).length === 2);
        tokens.push(await newest(email, pattern));
      }
      const answers = await Promise.all(tokens.map(confirm));
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      assert.deepEqual(statuses, [...Array<number>(9).fill(204), 409]);
      for (const [n, { email, password }] of people.entries()) {
        const isOpen =
          (await canLogIn(addresses[n]!, password)) || (await canLogIn(email, password));
        assert.ok(isOpen, `person ${n}`);
      }
      await assertVerified(service.databaseUrl);
    });

    it('leaves what was signed with it: nobody signs twice afterwards', async () => {
      const [person, creator] = [await verified(), await verified('Creator')];
      const petition = await createPublished(creator);
      const path = `/v1/petitions/${petition.id}/signatures`;
      assert.equal((await person.api.post(path)).status, 201);
      await confirm(await ask(person, newAddress()));
      assert.equal((await person.api.post(path)).status, 409);
      // After the reservation somebody else has the old address.
      await service.ctx.db`update address_changes set confirmed_at = now() - interval '8 days'`;
      const next = { email: person.email, password: 'long enough', display_name: 'Next' };
      assert.equal((await service.api.post('/v1/auth/register', next)).status, 201);
      const successor = await logIn(service, next);
      await service.ctx.db`
        update users set email_verified_at = now() where email = ${person.email}`;
      assert.equal((await successor.api.post(path)).status, 409);
    });
  });
});
