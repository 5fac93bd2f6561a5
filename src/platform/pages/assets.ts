import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';

export const assetTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface Asset {
  body: string;
  mediaType: string;
  /** Changes with the content, so that the address may be kept for ever. */
  address: string;
}

/** Scripts of libraries that pages run, by the names that they have here. */
const libraries: Record<string, string> = {
  // Solves proofs of work.
  'altcha-pbkdf2.js': import.meta.resolve('altcha/workers/pbkdf2'),
};

/** Style, scripts and drawings of the pages, as they are in the folder beside this file. */
const folder = new URL('assets/', import.meta.url);
const assets = new Map([
  ...readdirSync(folder).map((name) => [name, read(name, new URL(name, folder))] as const),
  ...Object.entries(libraries).map(([name, at]) => [name, read(name, new URL(at))] as const),
]);
const byFileName = new Map(
  [...assets.values()].map((one) => [one.address.split('/').at(-1)!, one]),
);

function read(name: string, at: URL): Asset {
  const body = readFileSync(at, 'utf8');
  const version = createHash('sha256').update(body).digest('base64url').slice(0, 10);
  const extension = extname(name);
  const address = `/assets/${name.slice(0, -extension.length)}.${version}${extension}`;
  return { body, mediaType: assetTypes[extension]!, address };
}

/** The address of a file of the folder. */
export function assetAddress(name: string): string {
  const asset = assets.get(name);
  if (!asset) throw new Error(`there is no ${name} among the assets`);
  return asset.address;
}

/** What is at such an address. */
export const assetNamed = (fileName: string): Asset | undefined => byFileName.get(fileName);
