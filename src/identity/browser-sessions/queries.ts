import type { Db } from '../../platform/db.ts';

export async function insertBrowserSession(db: Db, sessionId: string): Promise<void> {
  await db`insert into browser_sessions (session_id) values (${sessionId})`;
}

export interface Generation {
  generation: number;
  /** Since it was given out, in seconds. */
  age: number;
}

export async function findGeneration(db: Db, sessionId: string): Promise<Generation | undefined> {
  const [row] = await db<Generation[]>`
    select generation, extract(epoch from now() - rotated_at)::float8 as age
    from browser_sessions where session_id = ${sessionId}`;
  return row;
}

/** Begins the next generation. Of several requests at once, one is told so. */
export async function rotate(db: Db, sessionId: string, generation: number): Promise<boolean> {
  const result = await db`
    update browser_sessions set generation = generation + 1, rotated_at = now()
    where session_id = ${sessionId} and generation = ${generation}`;
  return result.count === 1;
}
