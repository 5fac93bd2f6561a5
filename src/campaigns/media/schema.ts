import { Type, type Static } from 'typebox';
import { FileMember } from '../../platform/http/bodies.ts';
import { ImageAlt, named, nullable, oneOf, Timestamp, Uuid } from '../../platform/http/schema.ts';

export const entityTypes = [
  'petition_image',
  'petition_update_image',
  'user_avatar',
  'org_logo',
  'org_cover',
] as const;
export type EntityType = (typeof entityTypes)[number];

export const pictureTypes = [
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/gif',
  'image/avif',
] as const;
export type PictureType = (typeof pictureTypes)[number];

export const mediaStatuses = ['pending', 'uploaded', 'processing', 'ready', 'failed'] as const;

/** Why a picture failed. */
export const failureCodes = ['unacceptable', 'damaged', 'too_slow'] as const;
export type FailureCode = (typeof failureCodes)[number];

/** What went wrong, and what to do. */
export const failureMessages: Record<FailureCode, string> = {
  unacceptable: 'This is no picture that can be shown. Send a JPEG, PNG, WebP, GIF or AVIF.',
  damaged: 'The file is damaged or cut off. Open it, save it again and send that.',
  too_slow: 'The picture takes too long to decode. Save it as a JPEG and send that.',
};

/** Largest file, in bytes. */
export const maxBytes = 5_242_880;

export const Media = named(
  'Media',
  Type.Object({
    id: Uuid,
    entity_type: oneOf(entityTypes),
    status: oneOf(mediaStatuses, {
      description:
        'pending until it is confirmed. failed is for good: the file is no picture that can be read.',
    }),
    variants: Type.Array(
      Type.Object({
        width: Type.Integer(),
        height: Type.Integer(),
        url: Type.String({ format: 'uri' }),
      }),
      { description: 'WebP, smallest first; none before it is ready.' },
    ),
    failure: nullable(
      Type.Object(
        { code: oneOf(failureCodes), message: Type.String() },
        { description: 'Why it failed, and what to do.' },
      ),
    ),
    created_at: Timestamp,
  }),
);
export type Media = Static<typeof Media>;

const EntityId = Type.Optional(
  Type.String({
    format: 'uuid',
    description:
      'The record whose picture it becomes once it is ready. An avatar is always your own. Without one, use the address of a variant as you like.',
  }),
);

export const UploadRequest = Type.Object({
  entity_type: oneOf(entityTypes),
  filename: Type.String({ minLength: 1, maxLength: 255, description: 'It is not kept.' }),
  content_type: oneOf(pictureTypes),
});
export type UploadRequest = Static<typeof UploadRequest>;

export const UploadAddress = named(
  'UploadAddress',
  Type.Object({
    media_id: Uuid,
    upload_url: Type.String({
      format: 'uri',
      description: 'Send the file here with PUT and the declared content type.',
    }),
    expires_at: Timestamp,
    max_size_bytes: Type.Integer(),
  }),
);
export type UploadAddress = Static<typeof UploadAddress>;

/** Of pictures of petitions and updates. */
const NewImageAlt = Type.Optional({
  ...ImageAlt,
  description:
    'What the picture shows, for people who do not see it. Kept with pictures of petitions and updates; replaces the text of the picture before, also when it is absent.',
});

export const ConfirmInput = Type.Object({
  media_id: Uuid,
  entity_id: EntityId,
  image_alt: NewImageAlt,
});
export type ConfirmInput = Static<typeof ConfirmInput>;

export const UploadForm = Type.Object({
  file: FileMember,
  entity_type: oneOf(entityTypes),
  entity_id: EntityId,
  image_alt: NewImageAlt,
});
export type UploadForm = Static<typeof UploadForm>;
