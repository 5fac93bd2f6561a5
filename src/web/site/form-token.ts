import { formTokenOf } from '../../identity/browser-sessions/browser-sessions.ts';
import { html, type Html } from '../../platform/html.ts';
import type { View } from './view.ts';

/** Hidden field with the CSRF token. */
export const formTokenField = '_token';

/** The hidden field that protects forms from other sites (CSRF). */
export const formToken = ({ ctx, browser }: View): Html | false =>
  browser !== undefined &&
  html`<input type="hidden" name="${formTokenField}" value="${formTokenOf(ctx, browser)}">`;
