import type { Context } from '../../platform/context.ts';
import { organizationOf, type Caller } from '../../platform/http/route.ts';
import { notFound } from '../../platform/problems.ts';
import * as queries from './queries.ts';
import type { EndpointRow, Owner } from './queries.ts';

/** Whose endpoints and events the caller asks for. */
export function ownerOf(caller: Caller): Owner {
  return { userId: caller.userId, onlyOrgId: organizationOf(caller) };
}

/** @throws {Problem} not-found where it is not the caller's */
export async function ownEndpoint(ctx: Context, caller: Caller, id: string): Promise<EndpointRow> {
  return required(await queries.findEndpoint(ctx.db, ownerOf(caller), id));
}

/** @throws {Problem} not-found where there is none */
export function required(row: EndpointRow | undefined): EndpointRow {
  if (!row) throw noEndpoint();
  return row;
}

/** Says that there is no such endpoint, or none of the caller's. */
export const noEndpoint = () => notFound('webhook endpoint');
