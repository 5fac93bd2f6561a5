/**
 * A path from a template; values are encoded. Path parameters are decoded before pages see them, so that a value may
 * contain a slash, which would change the target of a link or form.
 */
export const pathOf = (segments: TemplateStringsArray, ...values: string[]): string =>
  String.raw({ raw: segments }, ...values.map(encodeURIComponent));
