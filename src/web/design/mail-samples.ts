import { setupMail, testMail } from '../../oversight/setup/setup.ts';
import type { Context } from '../../platform/context.ts';
import { fromUnprovenAct } from '../../platform/mail-stopping.ts';
import type { Mail, MailKind } from '../../platform/mail.ts';
import { timeText } from '../../platform/pages/catalog.ts';
import type { Language } from '../../platform/pages/language.ts';
import { composeDeliveryMail } from '../../campaigns/decision-makers/decision-makers.ts';
import {
  reminderMail,
  signingMail,
} from '../../campaigns/pending-signatures/pending-signatures.ts';
import type { Petition } from '../../campaigns/petitions/schema.ts';
import { notCountedMail, receiptMail } from '../../campaigns/signatures/signatures.ts';
import { accountMail } from '../../identity/accounts/accounts.ts';
import { notificationTypes, type NotificationType } from '../../identity/accounts/schema.ts';
import { signInMail } from '../../identity/mail-challenges/mail-challenges.ts';
import { passwordChangedMail } from '../../identity/recovery/recovery.ts';
import { complaintMail, decisionMail, type Decision } from '../../oversight/decisions/decisions.ts';
import { redactedMail } from '../../oversight/moderation/moderation.ts';
import { reportMail } from '../../oversight/reports/reports.ts';
import { contactMail } from '../../oversight/site-pages/site-pages.ts';
import {
  handedOverMail,
  invitationMail,
  offerMail,
} from '../../campaigns/organizers/organizers.ts';
import { organizerMail } from '../../campaigns/organizer-contact/organizer-contact.ts';
import { noticesMail } from '../../reach/notifications/notifications.ts';
import type { NoticeData } from '../../reach/notifications/schema.ts';

interface Sample {
  /** What makes the service send it. */
  trigger: string;
  compose: (ctx: Context, language: Language) => Mail[] | Promise<Mail[]>;
}

const email = 'anna@example.org';
const id = '0192f0c4-7a3e-7c1a-9b2d-2f6f6c1d0a11';
const slug = 'keep-the-river-path-open-at-night';
const title = 'Keep the river path open at night';
const titleLanguage = 'en';
const reason = 'It names a private person and where they live.';
const code = '123 456';
const since = new Date('2026-11-20T10:00:00Z');
const until = new Date('2027-05-20T10:00:00Z');

const linkTo = ({ config }: Context, path: string) => `${config.baseUrl}${path}`;
const hostOf = ({ config }: Context) => new URL(config.baseUrl).host;
const token = 'dGhpcyBpcyBhIHRva2Vu';

const signature = { signatureId: id, email, title, title_language: titleLanguage };

const decision: Decision = {
  id,
  act: 'hide_comment',
  target_type: 'comment',
  target_id: id,
  petition_id: id,
  about: title,
  about_language: titleLanguage,
  user_id: id,
  reason,
  rule: 'harassment',
  report_ids: [id],
  reporter_ids: [],
  contact_report_ids: [],
  moderator_id: id,
  created_at: since,
  expires_at: until,
};

/** What a notice of each type has beside the petition. */
const noticeData: Partial<Record<NotificationType, NoticeData>> = {
  signature_milestone: { signature_count: 1000 },
  petition_update: { update_id: id },
  petition_closing: { closes_at: '2026-12-03T23:59:00.000Z' },
  petition_under_review: { status: 'under_review' },
  org_member_added: { org_id: id },
  integrity_alert: { kind: 'burst', alert_id: id },
};

const update = `The council has **heard us**.

- On the third of May it looks at the lamps.
- Until then the path stays open: [the minutes](https://example.org/minutes).`;

/** The notices that are mailed; decisions are mails of their own. */
const mailedTypes = notificationTypes.filter(
  (type) => !['moderation_decision', 'report_decided'].includes(type),
);

const notices = (ctx: Context, language: Language): Promise<Mail[]> =>
  Promise.all(
    mailedTypes.map((type) =>
      noticesMail(ctx, id, [
        {
          user_id: id,
          email,
          language,
          notice_id: id,
          type,
          group_id: null,
          about: type === 'org_member_added' ? 'Friends of the river' : title,
          detail: type === 'petition_update' ? 'The council hears us' : null,
          data: { petition_id: id, slug, ...noticeData[type] },
          wanted: true,
          update_body: type === 'petition_update' ? update : null,
          image_url: null,
          image_alt: null,
          petition_language: titleLanguage,
        },
      ]),
    ),
  );

const petition = {
  title,
  language: titleLanguage,
  slug,
  description: 'The path is the only safe way home. **Light it**, and leave it open.',
  signature_count: 1284,
  signature_goal: 2000,
  creator: { id, display_name: 'Anna', slug: 'anna' },
  image_url: null,
  image_alt: null,
} as Petition;

/** Every mail that the service sends, with what causes it, made by the code that sends it. */
export const mailSamples: Record<MailKind, Sample> = {
  verification: {
    trigger: 'Somebody opens an account, or asks for the confirmation again.',
    compose: (ctx, language) => [
      fromUnprovenAct(
        ctx,
        accountMail({ email, language }, 'verification', {
          link: linkTo(ctx, `/verify-email?token=${token}`),
        }),
      ),
    ],
  },
  reconfirmation: {
    trigger: 'Somebody whose mail came back asks for a confirmation of the verified address.',
    compose: (ctx, language) => [
      accountMail({ email, language }, 'reconfirmation', {
        link: linkTo(ctx, `/verify-email?token=${token}`),
      }),
    ],
  },
  'sign-in': {
    trigger: 'Somebody signs in by mail.',
    compose: (ctx, language) => [
      fromUnprovenAct(
        ctx,
        signInMail(
          { email, language },
          { host: hostOf(ctx), link: linkTo(ctx, `/login/link?token=${token}`), code },
        ),
      ),
    ],
  },
  new_sign_in: {
    trigger: 'A login with a new device, from a new country.',
    compose: (ctx, language) => [
      accountMail({ email, language }, 'new_sign_in', {
        device: 'Firefox on Linux',
        country: 'Norway',
        time: timeText(language, since),
        reset: linkTo(ctx, '/forgot-password'),
        sessions: linkTo(ctx, '/settings/sessions'),
      }),
    ],
  },
  reset: {
    trigger: 'Somebody asks for a new password.',
    compose: (ctx, language) => [
      accountMail({ email, language }, 'reset', {
        link: linkTo(ctx, `/reset-password?token=${token}`),
      }),
    ],
  },
  'password-changed': {
    trigger: 'The password was set by a mailed link.',
    compose: (ctx, language) => [passwordChangedMail(ctx, { email, language }, undefined)],
  },
  access_ended: {
    trigger: 'An address is proven for the first time, by another way than its own confirmation.',
    compose: (ctx, language) => [
      accountMail({ email, language }, 'access_ended', {
        link: linkTo(ctx, `/reset-password?token=${token}`),
        earlier: linkTo(ctx, '/earlier-account'),
      }),
    ],
  },
  new_address: {
    trigger: 'Somebody changes the address of their account: to the new one.',
    compose: (ctx, language) => [
      fromUnprovenAct(
        ctx,
        accountMail({ email, language }, 'new_address', {
          host: hostOf(ctx),
          link: linkTo(ctx, `/email/confirm?token=${token}`),
        }),
      ),
    ],
  },
  address_changed: {
    trigger: 'The address of an account was changed: to the old one.',
    compose: (ctx, language) => [
      accountMail({ email, language }, 'address_changed', {
        host: hostOf(ctx),
        link: linkTo(ctx, `/email/undo?token=${token}`),
      }),
    ],
  },
  signing: {
    trigger: 'Somebody signs without an account.',
    compose: (ctx, language) => [
      fromUnprovenAct(
        ctx,
        signingMail(
          { email, language },
          { title, titleLanguage, link: linkTo(ctx, `/p/${slug}/confirm?token=${token}`), code },
        ),
      ),
    ],
  },
  'signing-reminder': {
    trigger: 'Such a signature was not confirmed within a day; once.',
    compose: (ctx, language) => [
      reminderMail(
        { email, language },
        {
          title,
          titleLanguage,
          link: linkTo(ctx, `/p/${slug}/confirm?token=${token}`),
          code,
          stopLink: linkTo(ctx, `/mail/stop/${token}`),
        },
      ),
    ],
  },
  'signature-receipt': {
    trigger: 'A signature was confirmed by mail.',
    compose: (ctx, language) =>
      (['counted', 'held'] as const).map((state) =>
        receiptMail(
          {
            user_id: id,
            email,
            language,
            name: 'Anna',
            is_anonymous: false,
            comment: null,
            created_at: since,
            signature_state: state,
            petition: { id, slug, title, language: titleLanguage, visibility: 'public' },
          },
          {
            page: linkTo(ctx, `/receipts/${token}`),
            file: linkTo(ctx, `/receipts/${token}/file`),
          },
        ),
      ),
  },
  'signature-rejected': {
    trigger: 'A moderator rejects a held signature.',
    compose: (ctx, language) => [
      notCountedMail({ ...signature, why: 'rejected', language, host: hostOf(ctx) }),
    ],
  },
  'signature-invalidated': {
    trigger: 'A rule of a moderator invalidates signatures, an hour later.',
    compose: (ctx, language) => [
      notCountedMail({ ...signature, why: 'invalidated', language, host: hostOf(ctx) }),
    ],
  },
  delivery: {
    trigger: 'A creator delivers a petition to a decision maker.',
    compose: async (ctx) => [
      await composeDeliveryMail(
        ctx,
        {
          id,
          petition_id: id,
          name: 'Grace Hopper',
          title: 'Mayor',
          email,
          summary: 'none',
          message: 'We would be glad to show you the path.',
          created_at: since,
          expires_at: until,
        },
        petition,
      ),
    ],
  },
  notifications: {
    trigger: 'Something that the person asked to be told of, within two minutes or an hour.',
    compose: notices,
  },
  'moderation-decision': {
    trigger: 'A moderator decides: to whom it concerns, and to reporters; then about a complaint.',
    compose: (ctx, language) => {
      const to = { email, language };
      const job = { decision_id: id, user_id: id };
      return [
        decisionMail(ctx, decision, to, { ...job, side: 'author' }),
        decisionMail(ctx, { ...decision, act: 'dismiss_report' }, to, { ...job, side: 'reporter' }),
        complaintMail(
          ctx,
          {
            ...decision,
            decision_id: id,
            side: 'author',
            status: 'reversed',
            report_id: null,
            decision_reason: 'What it says stands in the public register.',
          },
          to,
        ),
      ];
    },
  },
  'petition-redacted': {
    trigger: 'A moderator replaces text of a petition.',
    compose: (ctx, language) => [
      redactedMail(
        { email, language },
        { link: linkTo(ctx, `/p/${slug}`), reason, host: hostOf(ctx) },
      ),
    ],
  },
  'report-confirmation': {
    trigger: 'Somebody without an account reports something.',
    compose: (ctx, language) => [
      fromUnprovenAct(
        ctx,
        reportMail({ email, language }, 'confirm', {
          host: hostOf(ctx),
          link: linkTo(ctx, `/reports/confirm?token=${token}`),
          code,
        }),
      ),
    ],
  },
  'report-receipt': {
    trigger: 'Such a report was confirmed.',
    compose: (ctx, language) => [
      reportMail({ email, language }, 'received', { host: hostOf(ctx), number: id }),
    ],
  },
  setup: {
    trigger: 'A new instance starts, with ADMIN_EMAIL and without ADMIN_PASSWORD.',
    compose: (ctx, language) => [
      setupMail({ to: email, language }, linkTo(ctx, `/setup?token=${token}`)),
    ],
  },
  contact: {
    trigger: 'Somebody writes to those who run the site.',
    compose: (_ctx, language) => [
      contactMail(
        { to: 'office@example.org', language },
        { name: 'Anna', email, message: 'The map on the first page\nstays empty.' },
      ),
    ],
  },
  'organizer-contact': {
    trigger: 'A reader writes to the organizer of a petition.',
    compose: (ctx, language) => [
      organizerMail(ctx, {
        to: { email, language },
        sender: { name: 'Karim', email: 'karim@example.org' },
        petition: { title, slug, language: titleLanguage },
        message: 'Our club would like to help.\nWhom can we call?',
      }),
    ],
  },
  'organizer-invitation': {
    trigger: 'The creator of a petition invites somebody to organize it with them.',
    compose: (ctx, language) =>
      (['editor', 'author'] as const).map((role) =>
        invitationMail(ctx, {
          to: { email, language },
          petition: { id, title, language: titleLanguage },
          name: 'Anna',
          role,
          token,
          expiresAt: until,
        }),
      ),
  },
  'hand-over-offered': {
    trigger: 'The creator of a petition offers it to one of its organizers.',
    compose: (ctx, language) => [
      offerMail(ctx, {
        to: { email, language },
        petition: { id, title, language: titleLanguage },
        name: 'Anna',
      }),
    ],
  },
  'handed-over': {
    trigger:
      'A petition has another creator: mailed to the former one, or to the new one if that one left.',
    compose: (ctx, language) =>
      ['Karim', undefined].map((name) =>
        handedOverMail(ctx, {
          to: { email, language },
          petition: { id, title, language: titleLanguage },
          name,
        }),
      ),
  },
  test: {
    trigger: 'An administrator asks for it in the browser, or by npm run test-mail.',
    compose: (ctx, language) => [
      testMail(ctx, { email, language }),
      {
        kind: 'test',
        cause: 'own act',
        to: email,
        language,
        subject: 'A test of the mail settings',
        text: `This mail was sent by the command test-mail of ${ctx.config.baseUrl}.`,
      },
    ],
  },
};
