/**
 * A path from a template; values are encoded. Path parameters are decoded before pages see them, so that a value may
 * contain a slash, which would change the target of a link or form.
 */
export const pathOf = (segments: TemplateStringsArray, ...values: string[]): string =>
  String.raw({ raw: segments }, ...values.map(encodeURIComponent));

/** Returns a path of this site with its query and fragment; undefined for all that can lead to another host. */
export function localPath(text: string | undefined): string | undefined {
  if (!text?.startsWith('/') || text.includes('\\')) return undefined;
  const base = 'http://own.invalid';
  const url = URL.parse(text, base);
  // `/.//host` is normalised to `//host`, which names a host.
  if (url?.origin !== base || url.pathname.startsWith('//')) return undefined;
  return url.pathname + url.search + url.hash;
}
