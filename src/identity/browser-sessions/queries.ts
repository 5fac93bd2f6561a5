import type { Db } from '../../platform/db.ts';

export async function insertBrowserSession(db: Db, sessionId: string): Promise<void> {
  await db`insert into browser_sessions (session_id) values (${sessionId})`;
}

export interface Generation {
  generation: number;
  /** Seconds since its cookie was set. */
  age: number;
  /** The browser has sent its cookie. */
  seen: boolean;
  /** Seconds since a use of the session was stored. */
  unused_for: number;
}

/** Returns the current generation of a session that has not ended. */
export async function findGeneration(db: Db, sessionId: string): Promise<Generation | undefined> {
  return db.first<Generation>`
    select b.generation, extract(epoch from now() - b.rotated_at)::float8 as age, b.seen,
      extract(epoch from now() - coalesce(s.last_seen_at, s.created_at))::float8 as unused_for
    from browser_sessions b join sessions s on s.id = b.session_id
    where b.session_id = ${sessionId} and s.ended_at is null`;
}

/** Starts the next generation, once for concurrent requests. */
export async function rotate(db: Db, sessionId: string, generation: number): Promise<void> {
  await db`
    update browser_sessions set generation = generation + 1, rotated_at = now(), seen = false
    where session_id = ${sessionId} and generation = ${generation}`;
}

/** Stores that the browser has received the cookie of the generation. */
export async function markSeen(db: Db, sessionId: string, generation: number): Promise<void> {
  await db`
    update browser_sessions set seen = true
    where session_id = ${sessionId} and generation = ${generation} and not seen`;
}
