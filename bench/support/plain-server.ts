import type { AddressInfo } from 'node:net';
import express from 'express';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { answerParent } from './child.ts';

export interface PlainOptions {
  databaseUrl: string;
  connections: number;
  /** The public keys of the access tokens. */
  jwks: JSONWebKeySet;
}

/**
 * The usual way of signing: Express and a pool, one transaction for each signature with an event for followers, an index
 * on the count for lists. It has neither limits, milestones, trends nor origins, which favours it.
 */
async function start({ databaseUrl, connections, jwks }: PlainOptions) {
  const pool = new Pool({ connectionString: databaseUrl, max: connections });
  const keys = createLocalJWKSet(jwks);
  const app = express();
  app.use(express.json());
  // Express 5 answers 500 where the promise is rejected.
  // oxlint-disable-next-line oxc/no-async-endpoint-handlers
  app.post('/v1/petitions/:slug/signatures', async (request, response) => {
    const token = request.headers.authorization!.slice('Bearer '.length);
    const { payload } = await jwtVerify(token, keys);
    const { comment, display_location: location, is_anonymous: isAnonymous } = request.body;
    const client = await pool.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query({
        name: 'petition',
        text: 'select id, status, version from plain.petitions where slug = $1',
        values: [request.params.slug],
      });
      const [petition] = rows;
      if (petition?.status !== 'active') throw new Error('not active');
      const id = randomUUID();
      await client.query({
        name: 'signature',
        text: `insert into plain.signatures
          (id, petition_id, user_id, version, is_anonymous, comment, display_location)
          values ($1, $2, $3, $4, $5, $6, $7)`,
        values: [id, petition.id, payload.sub, petition.version, isAnonymous, comment, location],
      });
      await client.query({
        name: 'event',
        text: `insert into plain.events (type, petition_id, data) values ('signature.created', $1, $2)`,
        values: [petition.id, { signature_id: id }],
      });
      // Last, so that others wait for the petition's row as briefly as possible.
      const counted = await client.query({
        name: 'count',
        text: `update plain.petitions set signature_count = signature_count + 1 where id = $1
          returning signature_count`,
        values: [petition.id],
      });
      await client.query('commit');
      const [{ signature_count }] = counted.rows;
      response
        .status(201)
        .json({ data: { id, petition_id: petition.id, user_id: payload.sub, signature_count } });
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { port: (server.address() as AddressInfo).port };
}

/** Tables of the usual way. */
export const plainSchema = `
  create schema plain;
  create table plain.petitions (
    id uuid primary key,
    slug text not null unique,
    title text not null,
    description text not null,
    status text not null,
    version integer not null default 1,
    signature_count integer not null default 0,
    created_at timestamptz not null default now()
  );
  create index on plain.petitions (signature_count desc, id desc);
  create index on plain.petitions (created_at desc, id desc);
  create table plain.signatures (
    id uuid primary key,
    petition_id uuid not null references plain.petitions,
    user_id uuid not null references users,
    version integer not null,
    is_anonymous boolean not null,
    comment text,
    display_location text,
    created_at timestamptz not null default now(),
    unique (petition_id, user_id)
  );
  create index on plain.signatures (petition_id, created_at desc);
  create table plain.events (
    id bigint primary key generated always as identity,
    type text not null,
    petition_id uuid not null,
    data jsonb not null,
    created_at timestamptz not null default now()
  );`;

const handlers = { start };
export type PlainProcess = typeof handlers;
answerParent(handlers);
