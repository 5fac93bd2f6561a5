import { byteOrderMark, toCsv, type CsvValue } from '../../platform/csv.ts';
import type { PetitionRecord } from '../../campaigns/petitions/schema.ts';
import type { ExportedSignature } from './schema.ts';

const timeOf = (time: Date | string | null) => (time instanceof Date ? time.toISOString() : time);

type Columns<T> = Record<string, (row: T) => CsvValue>;

const signatureColumns: Columns<ExportedSignature> = {
  id: ({ id }) => id,
  created_at: ({ created_at }) => timeOf(created_at),
  state: ({ state }) => state,
  signer_name: ({ user }) => user && user.display_name,
  signer_slug: ({ user }) => user && user.slug,
  comment: ({ comment }) => comment,
  display_location: ({ display_location }) => display_location,
  is_anonymous: ({ is_anonymous }) => String(is_anonymous),
};

const petitionColumns: Columns<PetitionRecord> = {
  id: ({ id }) => id,
  slug: ({ slug }) => slug,
  url: ({ share_url }) => share_url,
  title: ({ title }) => title,
  description: ({ description }) => description,
  status: ({ status }) => status,
  visibility: ({ visibility }) => visibility,
  signature_count: ({ signature_count }) => signature_count,
  signature_goal: ({ signature_goal }) => signature_goal,
  signature_privacy: ({ signature_privacy }) => signature_privacy,
  category: ({ category }) => category && category.name,
  tags: ({ tags }) => tags.join(', '),
  creator_id: ({ creator }) => creator && creator.id,
  creator_name: ({ creator }) => creator && creator.display_name,
  org_id: ({ org_id }) => org_id,
  location_city: ({ location_city }) => location_city,
  location_region: ({ location_region }) => location_region,
  location_country: ({ location_country }) => location_country,
  decision_makers: ({ decision_makers }) => decision_makers.map(({ name }) => name).join('; '),
  image_url: ({ image_url }) => image_url,
  image_alt: ({ image_alt }) => image_alt,
  created_at: ({ created_at }) => timeOf(created_at),
  published_at: ({ published_at }) => timeOf(published_at),
  closed_at: ({ closed_at }) => timeOf(closed_at),
  closes_at: ({ closes_at }) => timeOf(closes_at),
  victory_message: ({ victory_message }) => victory_message,
};

const cells = <T>(columns: Columns<T>, row: T) => Object.values(columns).map((cell) => cell(row));

const headOf = (names: string[]) => byteOrderMark + toCsv([names]);

/** Reads pages of signatures and yields what `write` returns for each. */
export type ReadSignatures = (
  write: (rows: ExportedSignature[]) => string,
) => AsyncIterable<string>;

/** Yields signatures as CSV, one row each. */
export async function* signaturesAsCsv(read: ReadSignatures): AsyncGenerator<string> {
  // Sent with the first rows: if these cannot be read, the answer can still be a problem.
  let head = headOf(Object.keys(signatureColumns));
  for await (const text of read((rows) => toCsv(rows.map((row) => cells(signatureColumns, row))))) {
    yield head + text;
    head = '';
  }
  if (head) yield head;
}

/** Yields signatures as items of a JSON array. */
export async function* signaturesAsJson(read: ReadSignatures): AsyncGenerator<string> {
  let comma = '';
  for await (const text of read((rows) => JSON.stringify(rows).slice(1, -1))) {
    yield comma + text;
    comma = ',';
  }
}

export interface ExportItem {
  petition: PetitionRecord;
  /** Null if the caller cannot read them; undefined if they are not requested. */
  signatures: ReadSignatures | null | undefined;
}

type Petitions = AsyncIterable<ExportItem>;

const signatureColumnNames = Object.keys(signatureColumns).map((name) => `signature_${name}`);

/**
 * Yields petitions as CSV, one row each. With signatures, the rows of a petition's signatures follow its
 * own and repeat only its id and slug, since descriptions are long.
 */
export async function* petitionsAsCsv(
  petitions: Petitions,
  withSignatures: boolean,
): AsyncGenerator<string> {
  const names = Object.keys(petitionColumns);
  const signatureNames = withSignatures ? signatureColumnNames : [];
  let head = headOf([...names, ...signatureNames]);
  for await (const { petition, signatures } of petitions) {
    yield head + toCsv([[...cells(petitionColumns, petition), ...signatureNames.map(() => null)]]);
    head = '';
    if (!signatures) continue;
    const { id, slug } = petition;
    const petitionCells = names.map((name) => (name === 'id' ? id : name === 'slug' ? slug : null));
    yield* signatures((rows) =>
      toCsv(rows.map((row) => [...petitionCells, ...cells(signatureColumns, row)])),
    );
  }
  if (head) yield head;
}

/** Yields petitions as items of a JSON array, each with its signatures. */
export async function* petitionsAsJson(petitions: Petitions): AsyncGenerator<string> {
  let comma = '';
  for await (const { petition, signatures } of petitions) {
    const json = comma + JSON.stringify(petition);
    if (signatures === undefined) yield json;
    else {
      yield `${json.slice(0, -1)},"signatures":${signatures ? '[' : 'null'}`;
      if (signatures) yield* signaturesAsJson(signatures);
      yield signatures ? ']}' : '}';
    }
    comma = ',';
  }
}
