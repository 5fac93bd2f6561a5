import { Readable } from 'node:stream';
import type { Context } from '../../platform/context.ts';
import { maxReportBytes } from '../../platform/delivery-reports.ts';
import { StreamBody } from '../../platform/http/bodies.ts';
import { nothing, routes } from '../../platform/http/route.ts';
import { equalInConstantTime } from '../../platform/keys.ts';
import { notFound, Problem, unauthorized } from '../../platform/problems.ts';
import type { Slice } from '../../platform/slice.ts';
import type { MailReports } from './mail-reports.ts';

const api = routes('Service');
const reportType = 'message/rfc822';

/** Takes delivery reports by HTTP. A slice of its own: `stopping-mail` is for owners of mailboxes, this for mail servers. */
export const mailReportsSlice = (reports: MailReports): Slice => ({
  routes: [
    api.post('/v1/mail/bounces', {
      id: 'reportBounce',
      summary: 'Report that a mail bounced, or was complained about',
      description: `For the operator's mail provider. The body is the report as \`${reportType}\`: RFC 3464 or 5965, at most 1 MiB. It counts if it names the key of a mail of the last 30 days, in its recipient, or in the \`Return-Path\` or \`Message-ID\` of the mail that it returns. Every readable report is 204, so that nobody learns which keys are valid. The bearer token is that of the setting \`MAIL_BOUNCE_TOKEN\`; without the setting, the answer is 404.`,
      auth: { access: 'anyone', ignoresCredentials: true },
      body: { schema: StreamBody, types: ['*/*'], isOptional: true },
      returns: nothing(),
      problems: ['unauthorized', 'not-found', 'validation-failed'],
      async handle({ ctx, headers, body }) {
        requireBounceToken(ctx, headers.authorization);
        if (headers['content-type']?.split(';', 1)[0]!.trim().toLowerCase() !== reportType) {
          throw new Problem('unsupported-media-type', `Send the report as ${reportType}.`);
        }
        const bytes = await readUpTo(maxReportBytes, body);
        if ((await reports.take(bytes)) === 'unreadable') throw unreadableReport();
      },
    }),
  ],
});

/** @throws {Problem} not-found if no reports are taken, unauthorized for another token */
function requireBounceToken({ config }: Context, authorization = ''): void {
  const { mailBounceToken } = config;
  if (mailBounceToken === undefined) throw notFound('path');
  const given = /^Bearer (.*)$/i.exec(authorization)?.[1] ?? '';
  if (!equalInConstantTime(given, mailBounceToken)) {
    throw unauthorized('Send the token of MAIL_BOUNCE_TOKEN.');
  }
}

const unreadableReport = () =>
  new Problem('validation-failed', 'This is no report by RFC 3464 or RFC 5965.', {
    code: 'unreadable_report',
  });

/** Reads a body. @throws {Problem} payload-too-large */
async function readUpTo(maxBytes: number, body: unknown): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Without a body there is no stream.
  for await (const chunk of body instanceof Readable ? body : []) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) {
      throw new Problem('payload-too-large', `A report may have ${maxBytes} bytes.`);
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
