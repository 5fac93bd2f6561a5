/**
 * A path from a template: whatever is put into it stays within its step of the path. Paths are decoded
 * before pages see them, so a value from one may hold a slash, and would lead a form or link elsewhere.
 */
export const pathOf = (steps: TemplateStringsArray, ...values: string[]): string =>
  String.raw({ raw: steps }, ...values.map(encodeURIComponent));
