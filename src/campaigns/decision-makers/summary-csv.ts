import { byteOrderMark, toCsv, type CsvValue } from '../../platform/csv.ts';
import type { Summary } from './summary.ts';

const day = (time: Date | string) => new Date(time).toISOString().slice(0, 10);

/** The summary as one table: what each row is about, its name, its number, its date and its place. */
export function summaryCsv({ petition, url, madeAt, ...found }: Summary): Buffer {
  const rows: CsvValue[][] = [
    ['kind', 'name', 'signatures', 'date', 'place'],
    ['petition', petition.title, petition.signature_count, day(madeAt), url],
    ['goal', null, petition.signature_goal, null, null],
    ['published', null, null, petition.published_at && day(petition.published_at), null],
    ...found.milestones.map(({ threshold, reached_at }) => [
      'milestone',
      null,
      threshold,
      day(reached_at),
      null,
    ]),
    ...found.places.map(({ place, count }) => ['place', null, count, null, place]),
    ...(found.signers ?? []).map(({ name, place, signed_at }) => [
      'signer',
      name,
      null,
      day(signed_at),
      place,
    ]),
  ];
  return Buffer.from(byteOrderMark + toCsv(rows));
}
