import { Type } from 'typebox';
import { Uuid } from '../../platform/http/schema.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Slice } from '../../platform/slice.ts';
import { PetitionRef } from '../../campaigns/petitions/schema.ts';
import type { Site } from '../site/site.ts';
import * as integrity from './integrity.ts';
import { decideOnPetition, petitionPage, petitionsPage } from './petitions.ts';
import * as records from './records.ts';
import { decide, decideAgain, reportPage, reportsPage } from './reports.ts';
import { actOnUser, userPage, usersPage } from './users.ts';

const IdRef = Type.Object({ id: Uuid });

/** The moderators' and administrators' dashboard. */
export const moderationPagesSlice = (site: Site): Slice => ({
  routes: [
    ...reportRoutes(site),
    ...petitionRoutes(site),
    ...integrityRoutes(site),
    ...userRoutes(site),
    ...recordRoutes(site),
  ],
});

const reportRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showReports',
    path: '/moderation',
    access: 'moderator',
    show: (view, { query }) => reportsPage(view, query),
  }),
  ...site.page({
    id: 'showReport',
    path: '/moderation/reports/{id}',
    access: 'moderator',
    params: IdRef,
    show: (view, { params }) => reportPage(view, params.id),
  }),
  site.form({
    id: 'submitReportDecision',
    path: '/moderation/reports/{id}',
    access: 'moderator',
    params: IdRef,
    act: (view, { params, fields }) => decide(site.sessions, view, params.id, fields),
    again: (view, { params, fields }, problem) => decideAgain(view, params.id, fields, problem),
  }),
];

const petitionRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showReviewQueue',
    path: '/moderation/petitions',
    access: 'moderator',
    show: (view, { query }) => petitionsPage(view, query),
  }),
  ...site.page({
    id: 'showJudgedPetition',
    path: '/moderation/petitions/{id}',
    access: 'moderator',
    params: PetitionRef,
    show: (view, { params }) => petitionPage(view, params.id),
  }),
  site.form({
    id: 'submitPetitionDecision',
    path: '/moderation/petitions/{id}',
    access: 'moderator',
    params: PetitionRef,
    act: (view, { params, fields }) => decideOnPetition(view, params.id, fields),
    again: (view, { params, fields }, problem) =>
      petitionPage(view, params.id, { values: fields, problem }),
  }),
];

const integrityRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showIntegrity',
    path: '/moderation/petitions/{id}/integrity',
    access: 'moderator',
    params: PetitionRef,
    show: (view, { params, query }) => integrity.integrityPage(view, params.id, query),
  }),
  site.form({
    id: 'submitInvalidationPreview',
    path: '/moderation/petitions/{id}/integrity/preview',
    access: 'moderator',
    params: PetitionRef,
    act: (view, { params, fields }) => integrity.previewPage(view, params.id, fields),
    again: (view, { params, fields }, problem) =>
      integrity.integrityPage(view, params.id, {}, { values: fields, problem }),
  }),
  site.form({
    id: 'submitInvalidation',
    path: '/moderation/petitions/{id}/integrity/invalidations',
    access: 'moderator',
    params: PetitionRef,
    act: (view, { params, fields }) => integrity.applyRule(view, params.id, fields),
    again: (view, { params, fields }, problem) =>
      integrity.applyAgain(view, params.id, fields, problem),
  }),
  site.form({
    id: 'submitInvalidationUndo',
    path: '/moderation/petitions/{id}/integrity/invalidations/{invalidation_id}/undo',
    access: 'moderator',
    params: Type.Object({ ...PetitionRef.properties, invalidation_id: Uuid }),
    act: (view, { params }) => integrity.undoRule(view, params.id, params.invalidation_id),
    again: (view, { params, fields }, problem) =>
      integrity.integrityPage(view, params.id, {}, { values: fields, problem }),
  }),
];

const userRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showUsers',
    path: '/moderation/users',
    access: 'admin',
    show: (view, { query }) => usersPage(view, query),
  }),
  ...site.page({
    id: 'showUserForAdmins',
    path: '/moderation/users/{id}',
    access: 'admin',
    params: IdRef,
    show: (view, { params, query }) => userPage(view, params.id, query),
  }),
  ...(['warn', 'suspend', 'unsuspend', 'role'] as const).map((act) =>
    site.form({
      id: `submitUser${act[0]!.toUpperCase()}${act.slice(1)}`,
      path: `/moderation/users/{id}/${act}`,
      access: 'admin',
      params: IdRef,
      act: (view, { params, fields }) =>
        actOnUser(site.sessions, view, { id: params.id, act }, fields),
      again: (view, { params, fields }, problem) =>
        userPage(view, params.id, {}, { values: fields, problem }),
    }),
  ),
];

const recordRoutes = (site: Site): Route[] => [
  ...site.page({
    id: 'showWarnings',
    path: '/moderation/warnings',
    access: 'moderator',
    show: (view, { query }) => records.warningsPage(view, query),
  }),
  ...site.page({
    id: 'showAuditLog',
    path: '/moderation/audit',
    access: 'admin',
    show: (view, { query }) => records.auditPage(view, query),
  }),
  ...site.page({
    id: 'showFigures',
    path: '/moderation/figures',
    access: 'admin',
    show: (view) => records.figuresPage(view),
  }),
  ...site.page({
    id: 'showNetworks',
    path: '/moderation/networks',
    access: 'admin',
    show: (view, { query }) => records.networksPage(view, query),
  }),
  site.form({
    id: 'submitNetwork',
    path: '/moderation/networks',
    access: 'admin',
    act: (view, { fields }) => records.addNetwork(view, fields),
    again: (view, { fields }, problem) =>
      records.networksPage(view, {}, { values: fields, problem }),
  }),
  site.form({
    id: 'submitNetworkRemoval',
    path: '/moderation/networks/{id}/remove',
    access: 'admin',
    params: IdRef,
    act: (view, { params }) => records.dropNetwork(view, params.id),
  }),
];
