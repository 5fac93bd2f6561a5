import { setTimeout as pause } from 'node:timers/promises';
import type { Crowd } from './load.ts';

/** What is known of a signature from the answers. */
type Known = 'counts' | 'withdrawn' | 'unknown';

/** The signatures that people gave, by petition and signer, and the statuses of all answers. */
export interface Given {
  known: Map<string, Known>;
  statuses: Map<number, number>;
}

/** Key of a signature in what is known. */
export const givenKey = (petitionId: string, signerId: string): string =>
  `${petitionId} ${signerId}`;

const clients = 4;
const pauseMs = 80;
/** One of so many withdraws at once. */
const withdrawEach = 5;

/** People sign during the work, about forty a second; some withdraw. A request that fails is not repeated. */
export async function whileSigning(
  { petitions, signers }: Pick<Crowd, 'petitions' | 'signers'>,
  origin: string,
  work: () => Promise<void>,
): Promise<Given> {
  const given: Given = { known: new Map(), statuses: new Map() };
  const ending = new AbortController();
  let turn = 0;
  const call = async (method: 'POST' | 'DELETE', path: string, token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const status = await fetch(origin + path, { method, headers }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => 0,
    );
    given.statuses.set(status, (given.statuses.get(status) ?? 0) + 1);
    return status;
  };
  const act = async (n: number) => {
    const signer = signers[n % signers.length]!;
    const round = Math.floor(n / signers.length);
    const petition = petitions[(n + round) % petitions.length]!;
    const path = `/v1/petitions/${petition.id}/signatures`;
    const note = (known: Known) => given.known.set(givenKey(petition.id, signer.id), known);
    note('unknown');
    const signed = await call('POST', path, signer.token);
    if (signed !== 201) return;
    note('counts');
    if (n % withdrawEach > 0) return;
    note('unknown');
    const withdrawn = await call('DELETE', `${path}/me`, signer.token);
    if (withdrawn === 204) note('withdrawn');
  };
  const client = async () => {
    while (!ending.signal.aborted) {
      await act(turn++);
      await pause(pauseMs);
    }
  };
  const signing = Promise.all(Array.from({ length: clients }, client));
  try {
    await work();
  } finally {
    ending.abort();
    await signing;
  }
  return given;
}
