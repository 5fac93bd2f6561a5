import type { Db, Tx } from '../../platform/db.ts';
import type { Logo } from '../../platform/site/profile.ts';
import type { SettingName, StoredSettings } from '../../platform/site/site-settings.ts';
import type { SiteChange } from './schema.ts';

/** Reads the settings, which nobody else changes until the transaction ends. */
export async function lockSettings(tx: Tx): Promise<Partial<StoredSettings>> {
  await tx`lock table site_settings in share row exclusive mode`;
  const rows = await tx<{ name: SettingName; value: never }[]>`
    select name, value from site_settings`;
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** Sets a setting, or removes it if the value is null, and stores the change. */
export async function storeSetting(
  tx: Tx,
  change: { id: string; name: SettingName; before: unknown; after: unknown; changedBy: string },
): Promise<void> {
  const { id, name, before, after, changedBy } = change;
  if (after === null) await tx`delete from site_settings where name = ${name}`;
  else {
    await tx`
      insert into site_settings (name, value) values (${name}, ${tx.json(after)})
      on conflict (name) do update set value = excluded.value`;
  }
  await tx`
    insert into site_setting_changes (id, name, before, after, changed_by)
    values (${id}, ${name}, ${before === null ? null : tx.json(before)},
      ${after === null ? null : tx.json(after)}, ${changedBy})`;
}

export async function findChange(
  db: Db,
  id: string,
): Promise<{ name: SettingName; before: unknown } | undefined> {
  return db.first<{ name: SettingName; before: unknown }>`
    select name, before from site_setting_changes where id = ${id}`;
}

/** The newest first. */
export async function findChanges(
  db: Db,
  beforeId: string | null,
  limit: number,
): Promise<SiteChange[]> {
  return db<SiteChange[]>`
    select c.id, c.name, c.before, c.after, c.changed_at,
      case when u.id is null then null
        else jsonb_build_object('id', u.id, 'display_name', u.display_name) end as changed_by
    from site_setting_changes c left join users u on u.id = c.changed_by
    ${beforeId ? db`where c.id < ${beforeId}` : db``}
    order by c.id desc
    limit ${limit}`;
}

export async function insertLogo(
  db: Db,
  { hash, width, height }: Logo,
  png: Buffer,
): Promise<void> {
  await db`
    insert into site_logos (hash, png, width, height) values (${hash}, ${png}, ${width}, ${height})
    on conflict (hash) do nothing`;
}

export async function findLogo(db: Db, hash: string): Promise<Logo | undefined> {
  return db.first<Logo>`select hash, width, height from site_logos where hash = ${hash}`;
}

export async function readLogo(db: Db, hash: string): Promise<Buffer | undefined> {
  const rows = await db<{ png: Buffer }[]>`select png from site_logos where hash = ${hash}`;
  return rows[0]?.png;
}
