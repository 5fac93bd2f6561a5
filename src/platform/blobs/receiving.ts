import { Type } from 'typebox';
import { StreamBody } from '../http/bodies.ts';
import { nothing, routes } from '../http/route.ts';
import type { Slice } from '../slice.ts';
import { ticketPattern, type FileBlobs } from './files.ts';

const api = routes('Media');

/** Receives uploads to the upload addresses of `FileBlobs`; an S3 store receives them itself. */
export const receivingSlice = (blobs: FileBlobs): Slice => ({
  routes: [
    api.put('/uploads/{ticket}', {
      id: 'receiveUpload',
      summary: 'Send a file to the upload address that was given for it',
      description:
        'The address is signed; no other credentials are needed. The content type must be the one that it was asked for.',
      auth: { access: 'anyone', ignoresCredentials: true },
      params: Type.Object({
        ticket: Type.String({ pattern: ticketPattern, description: 'As `upload_url` has it.' }),
      }),
      body: { schema: StreamBody, types: ['*/*'] },
      worksWithoutDatabase: true,
      returns: nothing(),
      problems: ['forbidden', 'not-found'],
      handle: ({ params, headers, body }) => {
        const type = headers['content-type']?.split(';', 1)[0]!.trim().toLowerCase() ?? '';
        return blobs.receive(params.ticket, type, body);
      },
    }),
  ],
});
