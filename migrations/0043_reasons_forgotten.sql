-- A moderator's reason of rejecting a petition is for its creator alone and goes with their account: from what they
-- were told, and from events, which name the act of the audit log instead.
update notices n set for_user_id = p.creator_id
from petitions p
where p.id = n.petition_id and n.type = 'petition_under_review' and n.detail is not null
  and n.for_user_id is null;
-- Of whoever has gone since.
update notices n set detail = null
where n.type = 'petition_under_review' and n.detail is not null and n.for_user_id is null;
update events set data = data - 'reason' where type = 'petition.rejected' and data ? 'reason';
