import oauth from '../../../locales/en/oauth.json' with { type: 'json' };
import scopes from '../../../locales/en/scopes.json' with { type: 'json' };
import type { OAuthScope } from '../../platform/http/route.ts';
import { catalog, joinCatalogs, plainText } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';

const scopeTexts = catalog('scopes', scopes);

/** Texts of the pages of authorization. Scopes are named by themselves. */
export const oauthTexts = joinCatalogs(catalog('oauth', oauth), scopeTexts);

/** What a scope allows. */
export const scopeText = (language: Language, scope: OAuthScope): string =>
  plainText(scopeTexts, language, scope);
