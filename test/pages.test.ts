import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { composeMessage } from '../src/platform/mail.ts';
import { languages } from '../src/platform/pages/language.ts';
import { mailSamples } from '../src/web/design/mail-samples.ts';
import type { Route } from '../src/platform/http/route.ts';
import { allPages, notPages } from './support/every-page.ts';
import { measureFirstLoads, maxFirstLoadBytes } from './support/first-loads.ts';
import { makePageWorld, type PageWorld } from './support/page-world.ts';
import { startService, type Service } from './support/service.ts';

describe('every page', () => {
  let service: Service;
  let world: PageWorld;
  before(async () => {
    service = await startService({ worker: true });
    world = await makePageWorld(service);
    const site = { name: 'Our City', accent: '#7b3fe4' };
    assert.equal((await world.people.admin.api.patch('/v1/admin/site', site)).status, 200);
  });
  after(() => service[Symbol.asyncDispose]());

  const isPage = ({ method, returns, pages }: Route) =>
    method === 'GET' &&
    (pages !== undefined || (returns.kind === 'raw' && returns.mediaTypes.includes('text/html')));

  it('is listed in every-page.ts', () => {
    const known = new Set([...Object.keys(allPages(world)), ...notPages]);
    const missing = service.app.routes.filter(isPage).filter(({ path }) => !known.has(path));
    assert.deepEqual(
      missing.map(({ path }) => path),
      [],
      'test/support/every-page.ts lists all pages',
    );
  });

  it('has its status, the name of the site, no code in its texts, no id twice, and at most 60,000 bytes on the wire', async () => {
    const loads = await measureFirstLoads(service, world, Object.values(allPages(world)).flat());
    const wrong = loads.filter(
      ({ state: { status = 200 }, ...load }) =>
        load.status !== status ||
        load.templateMistakes.length > 0 ||
        load.repeatedIds.length > 0 ||
        load.hasDefaultName ||
        load.wireBytes > maxFirstLoadBytes,
    );
    assert.deepEqual(wrong, []);
  });

  it('has the name and the colour of the site, as mails have in every language', async () => {
    const { ctx } = service;
    const settings = { ...ctx.config.mail, site: () => ctx.site.current };
    for (const language of languages) {
      for (const { compose } of Object.values(mailSamples)) {
        for (const mail of await compose(ctx, language)) {
          const { subject, text, html, from } = composeMessage(mail, settings);
          const whole = [subject, text, html, from.name].join('\n');
          assert.doesNotMatch(whole, /Open Petitions|#0b6b4d/, `${mail.kind}, ${language}`);
          assert.match(html, /<p class="site"><a href="[^"]*">Our City<\/a>/);
        }
      }
    }
  });
});
