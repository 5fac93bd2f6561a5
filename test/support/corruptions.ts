/** An inconsistency to create in a database. */
export interface Corruption {
  name: string;
  sql: string;
  /** Checks that must find it. */
  wrong: string[];
}

/** Each is applied to a copy of the database of `verified-world.ts`. */
export const corruptions: Corruption[] = [
  {
    name: 'a count that is too high by one',
    sql: 'update petitions set signature_count = signature_count + 1 where signature_goal = 50',
    wrong: ['signature-counts', 'transparency-log'],
  },
  {
    name: 'a count of invalid signatures that is too high by one',
    sql: 'update petitions set invalid_signature_count = invalid_signature_count + 1 where signature_goal = 50',
    wrong: ['signature-counts'],
  },
  {
    name: 'a lost milestone',
    sql: `delete from milestones where threshold = 100;
      delete from events where type = 'signature.milestone' and data ->> 'signature_count' = '100'`,
    wrong: ['milestones'],
  },
  {
    name: 'a goal that was passed without a milestone',
    sql: `delete from milestones where threshold = 50;
      delete from events where type = 'signature.milestone' and data ->> 'signature_count' = '50'`,
    wrong: ['milestones'],
  },
  {
    name: 'a milestone with two events',
    sql: `insert into events (type, petition_id, actor_type, data)
      select type, petition_id, actor_type, data from events where type = 'signature.milestone' limit 1`,
    wrong: ['milestones'],
  },
  {
    name: 'a milestone above the count',
    sql: `insert into milestones (petition_id, threshold, signature_id)
      select petition_id, 500, signature_id from milestones where threshold = 100`,
    wrong: ['milestones'],
  },
  {
    name: 'a signature without an event',
    sql: `delete from events where position = (
      select max(position) from events where type = 'signature.created')`,
    // Followers saw the event before it was deleted, so their sums include it.
    wrong: ['signature-events', 'signature-days'],
  },
  {
    name: 'a signature with two events',
    sql: `insert into events (type, petition_id, actor_type, data)
      select type, petition_id, actor_type, data from events where type = 'signature.created' limit 1`,
    wrong: ['signature-events', 'signature-sums'],
  },
  {
    name: 'a lost delivery',
    sql: `delete from webhook_deliveries where id = (
      select id from webhook_deliveries where event = 'signature.created' order by id offset 60 limit 1)`,
    wrong: ['webhook-deliveries'],
  },
  {
    name: 'a doubled delivery',
    sql: `insert into webhook_deliveries (id, endpoint_id, event_id, event, created_at)
      select uuid_v7(), endpoint_id, event_id, event, created_at from webhook_deliveries
      where event = 'signature.created' limit 1`,
    wrong: ['webhook-deliveries'],
  },
  {
    name: 'a signer without a notification of a fan-out',
    sql: `with gone as (
        delete from notifications where (user_id, id) = (
          select t.user_id, t.id from notifications t join notices n on n.id = t.notice_id
          where n.type = 'petition_update' limit 1)
        returning user_id)
      update notification_inboxes i set total = total - 1, unread = unread - 1 from gone
      where i.user_id = gone.user_id`,
    wrong: ['fan-outs'],
  },
  {
    name: 'a sum of an hour that is too high by one',
    sql: 'update signature_hours set count = count + 1 where count > 100',
    wrong: ['signature-sums'],
  },
  {
    name: 'a missing sum of a place',
    sql: 'delete from signature_place_hours where count > 50',
    wrong: ['signature-sums', 'overall-sums'],
  },
  {
    name: 'a sum of a country that is too low by one',
    sql: 'update all_country_days set count = count - 1 where count > 50',
    wrong: ['overall-sums'],
  },
  {
    name: 'a sum of a day that is too high by one',
    sql: 'update signature_days set given = given + 1 where given > 1',
    wrong: ['signature-days'],
  },
  {
    name: 'a sum of a share that is too low by one',
    sql: 'update shares set signatures = signatures - 1 where signatures > 0',
    wrong: ['shares'],
  },
  {
    name: 'a count of sharers that is too high by one',
    sql: 'update sharer_levels set sharers = sharers + 1',
    wrong: ['shares'],
  },
  {
    name: 'an inbox that counts one too many as unread',
    sql: `update notification_inboxes set total = total + 1, unread = unread + 1
      where user_id = (select user_id from notifications limit 1)`,
    wrong: ['inboxes'],
  },
  {
    name: 'a wrong number of petitions of a creator',
    sql: 'update users set petition_count = petition_count + 1 where petition_count > 0',
    wrong: ['counters'],
  },
  {
    name: 'a wrong number of members',
    sql: 'update organizations set member_count = member_count + 1',
    wrong: ['counters'],
  },
  {
    name: 'a wrong number of replies',
    sql: 'update comments set reply_count = reply_count + 1 where reply_count > 0',
    wrong: ['counters'],
  },
  {
    name: 'an opinion of a signature that does not count',
    sql: 'update answer_opinions set counts = not counts',
    wrong: ['counters'],
  },
  {
    name: 'two events with one position',
    sql: `insert into events (transaction, position, type, actor_type) overriding system value
      select pg_current_xact_id(), min(position), 'webhook.disabled', 'system' from events`,
    wrong: ['event-log'],
  },
  {
    name: 'a follower ahead of the log',
    sql: `update event_followers set position = 1000000000000000 where name = 'search'`,
    wrong: ['event-log'],
  },
  {
    name: 'a sequence behind its column',
    sql: `select setval(pg_get_serial_sequence('invalidations', 'number'), 1)`,
    wrong: ['sequences'],
  },
  {
    name: 'a sequence of the log that was set back',
    sql: `select setval(pg_get_serial_sequence('events', 'position'), (select max(position) - 1 from events))`,
    wrong: ['sequences'],
  },
  {
    name: 'a log that counts one too many',
    sql: 'update transparency_petitions set counted = counted + 1 where counted > 100',
    wrong: ['transparency-log'],
  },
  {
    name: 'a lost entry of a signature',
    sql: `delete from transparency_leaves where leaf = (
      select max(leaf) from transparency_leaves where not is_undone)`,
    wrong: ['transparency-log'],
  },
  {
    name: 'a signature that the log does not have',
    sql: `with lost as (
        delete from transparency_leaves where leaf = (
          select max(leaf) from transparency_leaves where not is_undone)
        returning petition
      )
      update transparency_petitions t set counted = counted - 1 from lost where t.number = lost.petition`,
    wrong: ['transparency-log'],
  },
  {
    name: 'a day of the log with one signature too many',
    sql: `update transparency_days set signs = signs + 1
      where (petition, day) = (select petition, day from transparency_days where signs > 100 limit 1)`,
    wrong: ['transparency-log'],
  },
  {
    name: 'an undo that the log does not have',
    sql: `insert into transparency_undos (leaf, undo)
      select max(leaf), max(leaf) from transparency_leaves where not is_undone`,
    wrong: ['transparency-log'],
  },
];
