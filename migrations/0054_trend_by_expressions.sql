-- The function of 0003 as expressions of PL/pgSQL: one with a query starts an executor at each call, which was a tenth of
-- the time of storing signatures. A statement that has begun with the one of SQL would read this text as SQL, and fail. All
-- that call it also use petitions, so none is under way while this holds the lock.
lock table petitions in access exclusive mode;
create or replace function trend_after(trend double precision, added double precision, at timestamptz)
returns double precision language plpgsql stable as $$
declare
  t double precision := date_part('epoch', at) / 86400;
  newest double precision := greatest(trend, t);
  total double precision := 2 ^ greatest(trend - newest, -1000) + added * 2 ^ greatest(t - newest, -1000);
begin
  return case when total < 1e-9 then 0 else newest + ln(total) / ln(2) end;
end $$;
