import type { FastifyInstance } from 'fastify';
import { readText } from './body-text.ts';
import { formType } from './headers.ts';
import { formProblem, jsonProblem } from './input-limits.ts';

/** Parses bodies in JSON and URL-encoded forms. Bodies of other types are streams: see bodies.ts. */
export function addBodyParsers(server: FastifyInstance): void {
  acceptJson(server);
  acceptForms(server);
}

/** Parses JSON bodies. An empty text is no body. Members that would change a prototype are dropped. */
function acceptJson(server: FastifyInstance): void {
  const parseDefault = server.getDefaultJsonParser('remove', 'remove');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    /^application\/([\w.-]+\+)?json\b/i,
    { parseAs: 'buffer' },
    (request, body, done) => {
      const text = readText(request, body as Buffer);
      if (text instanceof Error) {
        done(text);
        return;
      }
      if (request.routeOptions.config.route?.body?.verify) request.bodyText = text;
      if (text === '') done(null, undefined);
      else
        void parseDefault(request, text, (error, parsed) =>
          done(error ?? jsonProblem(parsed) ?? null, parsed),
        );
    },
  );
}

/**
 * Parses URL-encoded forms. A field that is sent twice becomes a list, which schemas refuse. Browsers send every line
 * break as CRLF; it counts as one character.
 */
function acceptForms(server: FastifyInstance): void {
  server.addContentTypeParser(formType, { parseAs: 'buffer' }, (request, body, done) => {
    const text = readText(request, body as Buffer);
    if (text instanceof Error) {
      done(text);
      return;
    }
    const problem = formProblem(text);
    if (problem) {
      done(problem);
      return;
    }
    const fields = Map.groupBy(new URLSearchParams(text), ([name]) => name);
    const values = fields.entries().map(([name, sent]) => {
      const texts = sent.map(([, value]) => value.replaceAll('\r\n', '\n'));
      return [name, texts.length === 1 ? texts[0] : texts] as const;
    });
    done(null, Object.fromEntries(values));
  });
}
