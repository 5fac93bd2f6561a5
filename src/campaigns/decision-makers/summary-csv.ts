import { byteOrderMark, toCsv, type CsvValue } from '../../platform/csv.ts';
import type { Summary } from './summary.ts';

const day = (time: Date | string) => new Date(time).toISOString().slice(0, 10);

/** Returns the summary as one CSV table. The column `kind` says what a row is about. */
export function summaryCsv({ petition, url, madeAt, ...sections }: Summary): Buffer {
  const rows: CsvValue[][] = [
    ['kind', 'name', 'signatures', 'date', 'place'],
    ['petition', petition.title, petition.signature_count, day(madeAt), url],
    ['goal', null, petition.signature_goal, null, null],
    ['published', null, null, petition.published_at && day(petition.published_at), null],
    ...sections.milestones.map(({ threshold, reached_at }) => [
      'milestone',
      null,
      threshold,
      day(reached_at),
      null,
    ]),
    ...sections.places.map(({ place, count }) => ['place', null, count, null, place]),
    ...(sections.signers ?? []).map(({ name, place, signed_at }) => [
      'signer',
      name,
      null,
      day(signed_at),
      place,
    ]),
  ];
  return Buffer.from(byteOrderMark + toCsv(rows));
}
