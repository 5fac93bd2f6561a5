import type { TObject, TSchema } from 'typebox';
import { parametersOf } from './openapi-parameters.ts';
import { refer, type Json } from './openapi-schemas.ts';

/** A request that the service sends to addresses of clients. */
export interface Webhook {
  /** operationId */
  id: string;
  summary: string;
  description: string;
  tag: string;
  headers: TObject;
  body: TSchema;
  /** What it means to the service that the client answers with these statuses. */
  answers: Record<string, string>;
}

/** Describes webhooks by their names. */
export const describeWebhooks = (webhooks: Record<string, Webhook>, schemas: Json): Json =>
  Object.fromEntries(
    Object.entries(webhooks).map(([name, { id, summary, description, ...webhook }]) => [
      name,
      {
        post: {
          operationId: id,
          summary,
          description,
          tags: [webhook.tag],
          security: [],
          parameters: parametersOf(webhook.headers, 'header', schemas),
          requestBody: {
            required: true,
            content: { 'application/json': { schema: refer(webhook.body, schemas) } },
          },
          responses: Object.fromEntries(
            Object.entries(webhook.answers).map(([status, about]) => [
              status,
              { description: about },
            ]),
          ),
        },
      },
    ]),
  );
