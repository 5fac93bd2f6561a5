import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';

export const assetTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A style sheet, script or image of pages. It is served if a slice lists it in its `assets`. */
export interface Asset {
  body: string;
  mediaType: string;
  /** Changes with the content, so that browsers may cache it forever. */
  address: string;
}

/** Reads an asset from a file, or from several that are served as one; `name` replaces that of the file in its address. */
export function asset(
  files: string | URL | readonly URL[],
  name = basename(new URL([files].flat()[0]!).pathname),
): Asset {
  const body = [files]
    .flat()
    .map((file) => readFileSync(new URL(file), 'utf8'))
    .join('');
  return assetOf(body, name);
}

function assetOf(body: string, name: string): Asset {
  const version = createHash('sha256').update(body).digest('base64url').slice(0, 10);
  const extension = extname(name);
  return {
    body,
    mediaType: assetTypes[extension]!,
    address: `/assets/${name.slice(0, -extension.length)}.${version}${extension}`,
  };
}

/**
 * Reads a script and the modules that it imports by relative paths. Each is an asset, and imports the others by their
 * addresses; the names of the imported ones begin with that of the script. The script is the last one.
 */
export function moduleAssets(script: URL): Asset[] {
  const prefix = `${basename(script.pathname, '.js')}-`;
  const assets = new Map<string, Asset>();
  const read = (file: URL, name: string): Asset => {
    const known = assets.get(file.href);
    if (known) return known;
    const body = readFileSync(file, 'utf8').replaceAll(
      /(?<=^.*from ')\.\.?\/[^']+\.js(?=';$)/gm,
      (path) => read(new URL(path, file), `${prefix}${basename(path)}`).address,
    );
    const one = assetOf(body, name);
    assets.set(file.href, one);
    return one;
  };
  read(script, basename(script.pathname));
  return [...assets.values()];
}
