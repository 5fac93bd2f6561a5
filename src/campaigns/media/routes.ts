import { Type } from 'typebox';
import { one, raw, type Route, routes } from '../../platform/http/route.ts';
import { idOf } from '../../platform/http/schema.ts';
import * as media from './media.ts';
import { serveVariant } from './serving.ts';
import {
  ConfirmInput,
  maxBytes,
  Media,
  UploadAddress,
  UploadForm,
  UploadRequest,
} from './schema.ts';

const api = routes('Media');

export const mediaRoutes = (pictureOwners: media.PictureOwners): Route[] => [
  api.post('/v1/media/upload-url', {
    id: 'requestUpload',
    summary: 'Get an address to which a picture can be sent',
    description:
      'Send the file to upload_url with PUT and the declared content type within 15 minutes, then confirm it. 100 uploads a day.',
    auth: { access: 'user', scope: 'write:petitions' },
    body: {
      schema: UploadRequest,
      example: { entity_type: 'petition_image', filename: 'river.jpg', content_type: 'image/jpeg' },
    },
    returns: one(UploadAddress, 201),
    handle: ({ ctx, caller, body }) => media.requestUpload(ctx, caller, body),
  }),
  api.post('/v1/media/confirm', {
    id: 'confirmUpload',
    summary: 'Say that a picture was sent, and have it processed',
    description:
      'Its metadata is removed, it is turned upright, and variants are made; of an animated picture, of the first frame. Then it becomes the picture of the record, if one is named. Confirming again gives the same answer. A file that is refused is removed: ask for a new address.',
    auth: { access: 'owner', scope: 'write:petitions' },
    body: { schema: ConfirmInput, example: { media_id: '01890a5d-ac96-774b-bcce-b302099a8057' } },
    returns: one(Media),
    problems: ['forbidden', 'not-found', 'payload-too-large'],
    handle: ({ ctx, caller, body }) => media.confirmUpload(ctx, pictureOwners, caller, body),
  }),
  api.post('/v1/media/upload', {
    id: 'uploadMedia',
    summary: 'Send a picture and have it processed, in one step',
    description:
      'A form with the file, what it is for, and what it shows. The answer has an id at once; its addresses work when `status` is `ready`.',
    auth: { access: 'user', scope: 'write:petitions' },
    body: { schema: UploadForm, types: ['multipart/form-data'], maxFileBytes: maxBytes },
    returns: one(Media, 201),
    problems: ['forbidden'],
    handle: ({ ctx, caller, body }) => media.uploadMedia(ctx, pictureOwners, caller, body),
  }),
  api.get('/v1/media/{id}', {
    id: 'getMedia',
    summary: 'A picture of yours, and how far it is',
    description:
      '`status` says how far it is, up to `ready` or `failed`. Ask every second or so after an upload.',
    auth: { access: 'owner', scope: 'write:petitions' },
    params: Type.Object({ id: idOf('the picture') }),
    returns: one(Media),
    problems: ['not-found'],
    handle: async ({ ctx, caller, params }) =>
      media.present(ctx, await media.requireOwnMedia(ctx, caller, params.id)),
  }),
  api.get('/media/{name}', {
    id: 'showMedia',
    summary: 'A variant of a picture',
    description: 'It never changes, so it may be kept for ever.',
    auth: { access: 'anyone', ignoresCredentials: true },
    params: Type.Object({
      name: Type.String({
        pattern: '^[0-9a-f]{32}-\\d{3,4}\\.webp$',
        description: 'As addresses of pictures have it.',
      }),
    }),
    returns: raw('image/webp'),
    problems: ['not-found'],
    handle: ({ ctx, params, header }) => serveVariant(ctx, params.name, header),
  }),
];
