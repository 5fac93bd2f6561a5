/** Field of every form of a browser that is known to the site. */
export const formTokenField = '_token';
