import { attribute, html, type Html } from '../../platform/html.ts';
import type { RawAnswer, Route } from '../../platform/http/route.ts';
import { isUuid } from '../../platform/ids.ts';
import { htmlType } from '../../platform/pages/page.ts';
import { invalidValue, notFound } from '../../platform/problems.ts';
import {
  present,
  requireOwnMedia,
  uploadMedia,
  type PictureOwners,
  type Media,
} from '../../campaigns/media/media.ts';
import { maxBytes, UploadForm } from '../../campaigns/media/schema.ts';
import { checkInput, omitEmpty } from './input.ts';
import { textPictureKinds, textPicturesPath } from './picture-panel.ts';
import { textOf, type OwnView, type Site } from './page-routes.ts';

/** Forms that text-pictures.js sends: a picture for a text, and how far it is. The picture belongs to no record. */
export const textPictureForms = (site: Site, pictureOwners: PictureOwners): Route[] => [
  site.form({
    id: 'submitTextPicture',
    path: textPicturesPath,
    access: 'user',
    largestFile: maxBytes,
    async act(view, { fields }) {
      const { ctx, viewer } = view;
      const { file, kind } = fields;
      const input = checkInput(UploadForm, omitEmpty({ file, entity_type: kind }));
      if (!textPictureKinds.some((one) => one === input.entity_type)) {
        throw invalidValue('kind', 'No text takes such pictures.');
      }
      return answerOf(view, await uploadMedia(ctx, pictureOwners, viewer.caller, input));
    },
  }),
  site.form({
    id: 'followTextPicture',
    path: `${textPicturesPath}/status`,
    access: 'user',
    async act(view, { fields }) {
      const { ctx, viewer } = view;
      const id = textOf(fields, 'media');
      if (!isUuid(id)) throw notFound('media');
      return answerOf(view, present(ctx, await requireOwnMedia(ctx, viewer.caller, id)));
    },
  }),
];

function answerOf({ header }: OwnView, media: Media): RawAnswer {
  header('cache-control', 'no-store');
  return { mediaType: htmlType, body: statusOf(media).text };
}

/** The address has the size of the picture, so that texts keep its place. */
function statusOf({ id, status, variants }: Media): Html {
  const largest = variants.at(-1);
  const address = largest && `${new URL(largest.url).pathname}#${largest.width}x${largest.height}`;
  return html`<p data-media="${id}" data-status="${status}"${attribute('data-address', address)}></p>`;
}
