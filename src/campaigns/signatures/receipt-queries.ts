import type { Db } from '../../platform/db.ts';
import type { Language } from '../../platform/pages/language.ts';
import type { SignatureState } from './schema.ts';

/** A signature as the link in its receipt shows it. */
export interface ReceiptRow {
  user_id: string;
  email: string;
  language: Language;
  name: string;
  is_anonymous: boolean;
  comment: string | null;
  created_at: Date;
  signature_state: SignatureState;
  petition: {
    id: string;
    slug: string;
    title: string;
    language: string | null;
    visibility: string;
  };
}

/** Returns a signature whose signer has an account, on a petition that was not deleted. */
export const findReceipt = (db: Db, id: string): Promise<ReceiptRow | undefined> =>
  db.first<ReceiptRow>`
    select s.user_id, u.email, u.language, coalesce(s.signer_name, u.display_name) as name,
      s.is_anonymous, s.comment, s.created_at, s.state as signature_state,
      json_build_object('id', p.id, 'slug', p.slug, 'title', p.title,
        'language', p.language, 'visibility', p.visibility) as petition
    from signatures s
    join users u on u.id = s.user_id
    join petitions p on p.id = s.petition_id and p.deleted_at is null
    where s.id = ${id}`;
