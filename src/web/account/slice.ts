import type { Recovery } from '../../identity/recovery/recovery.ts';
import type { Slice } from '../../platform/slice.ts';
import type { Site } from '../site/site.ts';
import { forgotPage, resetPage, sendLink, setNewPassword } from './recovery.ts';
import { openAccount, registerForm, registerPage } from './register.ts';
import { confirmEmail, resendMail, verifyFailure, verifyPage } from './verification.ts';
import { logIn, loginForm, loginPage, logOut } from './login.ts';

export const accountPagesSlice = (site: Site, recovery: Recovery): Slice => ({
  routes: [
    ...site.page({
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
    ...site.page({
      id: 'showRegister',
      path: '/register',
      access: 'anyone',
      show: (view, { query }) => registerPage(view, query),
    }),
    site.form({
      id: 'submitRegister',
      path: '/register',
      access: 'anyone',
      act: (view, { fields }) => openAccount(site.sessions, view, fields),
      again: (view, { fields }, problem) => registerForm(view, { values: fields, problem }),
    }),
    ...site.page({
      id: 'showForgotPassword',
      path: '/forgot-password',
      access: 'anyone',
      show: (view, { query }) => forgotPage(view, { values: {} }, query.done),
    }),
    site.form({
      id: 'submitForgotPassword',
      path: '/forgot-password',
      access: 'anyone',
      act: (view, { fields }) => sendLink(view, fields),
      again: (view, { fields }, problem) => forgotPage(view, { values: fields, problem }),
    }),
    ...site.page({
      id: 'showResetPassword',
      path: '/reset-password',
      access: 'anyone',
      show: (view, { query }) => resetPage(view, { values: query }),
    }),
    site.form({
      id: 'submitResetPassword',
      path: '/reset-password',
      access: 'anyone',
      act: (view, { fields }) => setNewPassword(recovery, view, fields),
      again: (view, { fields }, problem) => resetPage(view, { values: fields, problem }),
    }),
    ...site.page({
      id: 'showVerifyEmail',
      path: '/verify-email',
      access: 'anyone',
      show: (view, { query }) => verifyPage(view, query),
    }),
    site.form({
      id: 'submitVerifyEmail',
      path: '/verify-email',
      access: 'anyone',
      act: (view, { fields }) => confirmEmail(view, fields),
      again: (view, _, problem) => verifyFailure(view, problem),
    }),
    site.form({
      id: 'submitVerifyEmailResend',
      path: '/verify-email/resend',
      access: 'user',
      act: resendMail,
    }),
  ],
});
