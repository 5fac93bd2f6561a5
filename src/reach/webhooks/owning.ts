import type { Context } from '../../platform/context.ts';
import { organizationOf, type Caller } from '../../platform/http/route.ts';
import { notFound } from '../../platform/problems.ts';
import * as queries from './queries.ts';
import type { EndpointRow, Owner } from './queries.ts';

/** Returns the owner whose endpoints and events the caller can access. */
export function ownerOf(caller: Caller): Owner {
  return { userId: caller.userId, onlyOrgId: organizationOf(caller) };
}

/** @throws {Problem} not-found if the endpoint does not belong to the caller */
export async function ownEndpoint(ctx: Context, caller: Caller, id: string): Promise<EndpointRow> {
  return requireFound(await queries.findEndpoint(ctx.db, ownerOf(caller), id));
}

/** @throws {Problem} not-found if the row is undefined */
export function requireFound(row: EndpointRow | undefined): EndpointRow {
  if (!row) throw endpointNotFound();
  return row;
}

export const endpointNotFound = () => notFound('webhook endpoint');
