/** Hidden field with the CSRF token. */
export const formTokenField = '_token';
