import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Client } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { createPublished } from '../support/people.ts';
import type { Machine, Site } from './machine.ts';

export interface Petition {
  id: string;
  slug: string;
}

/** Where people sign. */
interface Place {
  machine: Machine;
  site: Site;
  petition: Petition;
}

const signersAtOnce = 4;

/** Opens an account, verifies its address by mail, and publishes a petition. */
export async function publishPetition(
  { machine, site }: Pick<Place, 'machine' | 'site'>,
  email: string,
): Promise<Petition> {
  const api = site.visitor();
  const account = { email, password: 'seven blue lanterns', display_name: 'Ada' };
  expect(await api.post('/v1/auth/register', account), 201);
  const token = tokenIn((await machine.mailTo(email)).text);
  expect(await api.post('/v1/auth/verify-email', { token }), 204);
  const { access_token } = expect(await api.post('/v1/auth/login', account), 200).body;
  const { id, slug } = await createPublished({ api: api.as(access_token) });
  return { id, slug };
}

/** People who sign by mail, one after the other, a few at a time. */
export interface Crowd {
  /** Confirmed signatures. */
  signed: number;
  requests: number;
  /** Answers with 503 and Retry-After; the request was then sent again. */
  refused: number;
  /** Waits until so many more have signed. */
  waitForMore(signatures: number): Promise<void>;
  /** Waits until those who began have signed, and lets nobody else begin. */
  end(): Promise<void>;
}

/** Lets people sign without a pause, until the crowd ends or so many have signed. */
export function startSigning(place: Place, atMost = Number.POSITIVE_INFINITY): Crowd {
  let begun = 0;
  const over = new AbortController();
  const signer = async () => {
    while (!over.signal.aborted && begun < atMost) {
      begun += 1;
      await signByMail(place, `signer-${begun}@mail.example`, untilAnswered);
      crowd.signed += 1;
    }
  };
  const untilAnswered = async (request: () => Promise<Answer>): Promise<Answer> => {
    crowd.requests += 1;
    const answer = await request();
    if (answer.status !== 503 || !answer.headers.get('retry-after')) return answer;
    crowd.refused += 1;
    await pause(1000);
    return untilAnswered(request);
  };
  const crowd: Crowd = {
    signed: 0,
    requests: 0,
    refused: 0,
    async waitForMore(signatures) {
      const aim = crowd.signed + signatures;
      await Promise.race([signing, eventually(() => crowd.signed >= aim, 60_000)]);
    },
    async end() {
      over.abort();
      await signing;
    },
  };
  const signing = Promise.all(Array.from({ length: signersAtOnce }, signer));
  // The next to wait for it gets its failure.
  signing.catch(() => {});
  return crowd;
}

/** Opens the page of a petition, signs without an account, and confirms by the link in the mail. */
async function signByMail(
  { machine, site, petition }: Place,
  email: string,
  send: (request: () => Promise<Answer>) => Promise<Answer>,
): Promise<void> {
  const api = site.visitor();
  expect(await send(() => api.get(`/p/${petition.slug}`)), 200);
  const path = `/v1/petitions/${petition.id}/signatures/pending`;
  expect(await send(() => api.post(path, { display_name: 'Grace', email })), 202);
  const token = tokenIn((await machine.mailTo(email)).text);
  expect(await send(() => api.post('/v1/signatures/confirm', { token })), 201);
}

/** The count of a petition, which is that of the list of its signatures. */
export async function countOf({ id }: Petition, api: Client): Promise<number> {
  const { data } = expect(await api.get(`/v1/petitions/${id}`), 200).body;
  const { pagination } = expect(await api.get(`/v1/petitions/${id}/signatures`), 200).body;
  assert.equal(pagination.total_count, data.signature_count);
  return data.signature_count;
}

const tokenIn = (text: string): string => {
  const [, token] = /\?token=([\w.-]+)/.exec(text) ?? [];
  assert.ok(token, text);
  return token;
};

function expect(answer: Answer, status: number): Answer {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer;
}
