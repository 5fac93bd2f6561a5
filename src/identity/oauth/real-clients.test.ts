import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as openid from 'openid-client';
import { AuthorizationCode, ClientCredentials } from 'simple-oauth2';
import {
  decideAsBearer,
  pkce,
  registerClient,
  type OAuthClient,
} from '../../../test/support/oauth.ts';
import { freePort } from '../../../test/support/process.ts';
import { signUp, type Person } from '../../../test/support/people.ts';
import { startService, type Service } from '../../../test/support/service.ts';

/** Common client libraries work with the published metadata. */
describe('real OAuth clients', () => {
  let service: Service;
  let user: Person;
  let client: OAuthClient;
  before(async () => {
    service = await startService();
    user = await signUp(service);
    // openid-client drops the query of its redirect URI.
    client = await registerClient(user, { redirect_uris: ['https://river-watch.example/'] });
  });
  after(() => service[Symbol.asyncDispose]());

  const me = async (accessToken: string) =>
    (await service.api.as(accessToken).get('/v1/petitions')).status;

  /** Returns where the user is redirected after consent. */
  const allow = async (address: URL): Promise<URL> => {
    const answer = await decideAsBearer(user, `${address.pathname}${address.search}`);
    return new URL(answer.headers.get('location')!);
  };

  describe('openid-client', () => {
    const discover = async (asking: OAuthClient, method?: openid.ClientAuth) => {
      const config = await openid.discovery(
        new URL('http://petitions.test'),
        asking.client_id,
        undefined,
        method,
        {
          algorithm: 'oauth2',
          execute: [openid.allowInsecureRequests],
          // The service's host name does not resolve here.
          [openid.customFetch]: (address, options) => {
            const { pathname, search } = new URL(address);
            return fetch(`${service.origin}${pathname}${search}`, options);
          },
        },
      );
      return config;
    };

    const methods: [string, (secret: string) => openid.ClientAuth][] = [
      ['client_secret_basic', openid.ClientSecretBasic],
      ['client_secret_post', openid.ClientSecretPost],
    ];
    for (const [name, method] of methods) {
      it(`does it all with ${name}`, async () => {
        const config = await discover(client, method(client.client_secret!));
        const codeVerifier = openid.randomPKCECodeVerifier();
        const expectedState = openid.randomState();
        const address = openid.buildAuthorizationUrl(config, {
          redirect_uri: client.redirect_uris[0]!,
          scope: 'read:petitions',
          code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
          state: expectedState,
        });
        const answer = await allow(address);
        const tokens = await openid.authorizationCodeGrant(
          config,
          answer,
          { pkceCodeVerifier: codeVerifier, expectedState },
          { redirect_uri: client.redirect_uris[0]! },
        );
        assert.equal(tokens.scope, 'read:petitions');
        assert.equal(await me(tokens.access_token), 200);
        const next = await openid.refreshTokenGrant(config, tokens.refresh_token!);
        assert.equal(await me(next.access_token), 200);
        const introspected = await openid.tokenIntrospection(config, next.access_token);
        assert.equal(introspected.active, true);
        assert.equal(introspected.sub, user.id);
        await openid.tokenRevocation(config, next.refresh_token!);
        assert.equal(await me(next.access_token), 401);
        await assert.rejects(openid.refreshTokenGrant(config, next.refresh_token!), {
          error: 'invalid_grant',
        });
        const own = await openid.clientCredentialsGrant(config, { scope: 'write:signatures' });
        assert.equal(own.scope, 'write:signatures');
      });
    }

    it('does the code flow as a public client', async () => {
      const port = await freePort();
      const native = await registerClient(user, {
        confidential: false,
        redirect_uris: ['http://127.0.0.1/callback'],
      });
      const config = await discover(native, openid.None());
      const { verifier, ...challenge } = pkce();
      const redirect_uri = `http://127.0.0.1:${port}/callback`;
      const state = openid.randomState();
      const address = openid.buildAuthorizationUrl(config, { redirect_uri, ...challenge, state });
      const answer = await allow(address);
      assert.equal(answer.port, String(port));
      const tokens = await openid.authorizationCodeGrant(config, answer, {
        pkceCodeVerifier: verifier,
        expectedState: state,
      });
      assert.equal(await me(tokens.access_token), 200);
    });

    it('receives access_denied if the user denies', async () => {
      const config = await discover(client, openid.ClientSecretBasic(client.client_secret));
      const state = openid.randomState();
      const redirect_uri = client.redirect_uris[0]!;
      const { pathname, search } = openid.buildAuthorizationUrl(config, { redirect_uri, state });
      const answer = await decideAsBearer(user, `${pathname}${search}`, 'deny');
      await assert.rejects(
        openid.authorizationCodeGrant(config, new URL(answer.headers.get('location')!), {
          expectedState: state,
        }),
        { error: 'access_denied' },
      );
    });
  });

  describe('simple-oauth2', () => {
    const settings = (options: object) => ({
      client: { id: client.client_id, secret: client.client_secret! },
      auth: {
        tokenHost: service.origin,
        tokenPath: '/oauth/token',
        revokePath: '/oauth/revoke',
      },
      options,
    });

    for (const [name, options] of Object.entries({
      'Basic and forms': {},
      'Basic and JSON': { bodyFormat: 'json' },
      'credentials in the form': { authorizationMethod: 'body' },
    })) {
      it(`does it all with ${name}`, async () => {
        const flow = new AuthorizationCode(settings(options));
        const { verifier, ...challenge } = pkce();
        const redirect_uri = client.redirect_uris[0]!;
        const address = flow.authorizeURL({
          redirect_uri,
          scope: 'read:petitions',
          state: 'some state',
          ...challenge,
        });
        const answer = await allow(new URL(address));
        const tokens = await flow.getToken({
          code: answer.searchParams.get('code')!,
          redirect_uri,
          code_verifier: verifier,
        } as Parameters<typeof flow.getToken>[0]);
        assert.equal(await me(String(tokens.token.access_token)), 200);
        const next = await tokens.refresh();
        assert.equal(await me(String(next.token.access_token)), 200);
        await next.revokeAll();
        assert.equal(await me(String(next.token.access_token)), 401);
        await assert.rejects(next.refresh(), /400/);

        const own = await new ClientCredentials(settings(options)).getToken({});
        assert.equal(await me(String(own.token.access_token)), 200);
      });
    }
  });
});
