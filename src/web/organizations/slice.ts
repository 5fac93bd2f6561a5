import { Type } from 'typebox';
import type { Slice } from '../../platform/slice.ts';
import type { ImageHolders } from '../../campaigns/media/media.ts';
import { maxBytes } from '../../campaigns/media/schema.ts';
import type { OrganizationsDeps } from '../../identity/organizations/organizations.ts';
import { takePicture, type Site } from '../site/site.ts';
import { organizationPath, organizationOf } from './frame.ts';
import * as members from './members.ts';
import * as organizations from './organizations.ts';

export interface OrganizationPagesDeps extends OrganizationsDeps {
  holders: ImageHolders;
}

/** Where people look after their organizations. */
export function organizationPagesSlice(
  site: Site,
  { holders, ...needs }: OrganizationPagesDeps,
): Slice {
  const params = Type.Object({ org_id: Type.String() });
  const ofMember = Type.Object({
    org_id: Type.String(),
    membership_id: Type.String({ format: 'uuid' }),
  });
  const all = '/dashboard/organizations';
  const one = `${all}/{org_id}`;
  const access = 'user';
  return {
    routes: [
      ...site.page({
        id: 'showOwnOrganizations',
        path: all,
        access,
        show: (view, { query }) => organizations.organizationsPage(view, query),
      }),
      ...site.page({
        id: 'showFounding',
        path: `${all}/new`,
        access,
        show: (view) => organizations.foundingPage(view),
      }),
      site.form({
        id: 'submitFounding',
        path: `${all}/new`,
        access,
        act: (view, { fields }) => organizations.found(view, fields),
        again: (view, { fields }, problem) =>
          organizations.foundingPage(view, { values: fields, problem }),
      }),
      ...site.page({
        id: 'showOwnOrganization',
        path: one,
        access,
        params,
        show: (view, { params: { org_id: id }, query }) =>
          organizations.overviewPage(view, id, query),
      }),
      site.form({
        id: 'submitOrganizationDeletion',
        path: `${one}/delete`,
        access,
        params,
        act: (view, { params: { org_id: id }, fields }) =>
          organizations.remove(view, needs, id, fields),
        again: (view, { params: { org_id: id }, fields }, problem) =>
          organizations.overviewPage(view, id, {}, { values: fields, problem }),
      }),
      ...site.page({
        id: 'showPetitionsOfOrganization',
        path: `${one}/petitions`,
        access,
        params,
        show: (view, { params: { org_id: id }, query }) =>
          organizations.petitionsPage(view, id, query),
      }),
      ...site.page({
        id: 'showOrganizationEdit',
        path: `${one}/edit`,
        access,
        params,
        show: (view, { params: { org_id: id }, query }) =>
          organizations.editPage(view, id, { query }),
      }),
      site.form({
        id: 'submitOrganizationEdit',
        path: `${one}/edit`,
        access,
        params,
        act: (view, { params: { org_id: id }, fields }) => organizations.saveEdit(view, id, fields),
        again: (view, { params: { org_id: id }, fields }, problem) =>
          organizations.editPage(view, id, { state: { values: fields, problem } }),
      }),
      ...(['logo', 'cover'] as const).flatMap((kind) => [
        site.form({
          id: `submitOrganization${kind === 'logo' ? 'Logo' : 'Cover'}`,
          path: `${one}/${kind}`,
          access,
          params,
          largestFile: maxBytes,
          async act(view, { params: { org_id: ref }, fields }) {
            const { organization } = await organizationOf(view, ref);
            return takePicture(view, holders, {
              fields,
              page: organizationPath(organization, 'edit'),
              name: kind,
              type: `org_${kind}`,
              id: organization.id,
            });
          },
          again: (view, { params: { org_id: id } }, problem) =>
            organizations.editPage(view, id, { pictures: { [kind]: problem } }),
        }),
        site.form({
          id: `removeOrganization${kind === 'logo' ? 'Logo' : 'Cover'}`,
          path: `${one}/${kind}/remove`,
          access,
          params,
          act: (view, { params: { org_id: id } }) => organizations.removePicture(view, id, kind),
        }),
      ]),
      ...site.page({
        id: 'showMembers',
        path: `${one}/members`,
        access,
        params,
        show: (view, { params: { org_id: id }, query }) => members.membersPage(view, id, query),
      }),
      site.form({
        id: 'submitMember',
        path: `${one}/members`,
        access,
        params,
        act: (view, { params: { org_id: id }, fields }) => members.add(view, id, fields),
        again: (view, { params: { org_id: id }, fields }, problem) =>
          members.membersPage(view, id, {}, { values: fields, problem }),
      }),
      ...(['admin', 'member'] as const).map((role) =>
        site.form({
          id: `submitRole${role === 'admin' ? 'Admin' : 'Member'}`,
          path: `${one}/members/{membership_id}/${role}`,
          access,
          params: ofMember,
          act: (view, request) => members.change(view, request.params, role),
        }),
      ),
      site.form({
        id: 'submitTransfer',
        path: `${one}/members/{membership_id}/owner`,
        access,
        params: ofMember,
        act: (view, request) => members.handOver(view, request.params),
      }),
      site.form({
        id: 'submitMemberRemoval',
        path: `${one}/members/{membership_id}/remove`,
        access,
        params: ofMember,
        act: (view, request) => members.drop(view, request.params),
      }),
    ],
  };
}
