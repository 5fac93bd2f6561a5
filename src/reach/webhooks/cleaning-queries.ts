import type { Db } from '../../platform/db.ts';

/** Deletes by primary key: ids of deliveries and events sort by time. */
export async function deleteDeliveriesBefore(db: Db, id: string, limit: number): Promise<number> {
  return db.affected`
    delete from webhook_deliveries where id in (
      select id from webhook_deliveries where id < ${id} order by id limit ${limit})`;
}

export async function deletePayloadsBefore(db: Db, id: string, limit: number): Promise<number> {
  return db.affected`
    delete from webhook_payloads where event_id in (
      select event_id from webhook_payloads where event_id < ${id} order by event_id limit ${limit})`;
}

export async function deleteOrphanedDeliveries(db: Db, limit: number): Promise<number> {
  return db.affected`
    delete from webhook_deliveries where id in (
      select d.id from webhook_endpoints w join webhook_deliveries d on d.endpoint_id = w.id
      where w.user_id is null
      limit ${limit})`;
}

/** Deletes endpoints without owner and deliveries. A delivery can be inserted until the last moment. */
export async function deleteOrphanedEndpoints(db: Db): Promise<void> {
  await db`
    delete from webhook_endpoints w where user_id is null
      and not exists (select from webhook_deliveries d where d.endpoint_id = w.id)`;
}
