import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { logIn, loginForm, loginPage, logOut } from './login.ts';

export const accountPagesSlice = (site: Site): Slice => ({
  routes: [
    site.page({
      id: 'showLogin',
      path: '/login',
      access: 'anyone',
      show: (view, { query }) => loginPage(view, query),
    }),
    site.form({
      id: 'submitLogin',
      path: '/login',
      access: 'anyone',
      act: (view, { fields }) => logIn(site.sessions, view, fields),
      again: (view, { fields }, problem) => loginForm(view, { values: fields, problem }),
    }),
    site.form({
      id: 'submitLogout',
      path: '/logout',
      access: 'anyone',
      act: (view) => logOut(site.sessions, view),
    }),
  ],
});
