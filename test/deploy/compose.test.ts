import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { secretNames } from '../../src/config-files.ts';
import { addresses } from '../../src/config-values.ts';

interface ComposeFile {
  services: Record<string, ComposeService>;
  secrets: Record<string, { file: string }>;
  networks: { default: { ipam: { config: { subnet: string }[] } } };
}

interface ComposeService {
  build?: string;
  environment?: Record<string, string>;
  secrets?: string[];
  healthcheck?: object;
  mem_limit?: string;
}

const read = (path: string): ComposeFile => parse(readFileSync(path, 'utf8'), { merge: true });

describe('compose.yaml', () => {
  const { services, secrets, networks } = read('compose.yaml');
  // Of compose.s3.yaml, those that are not in compose.yaml.
  const added = Object.entries(read('compose.s3.yaml').services).filter(
    ([name]) => services[name] === undefined,
  );

  it('limits the memory of each container', () => {
    for (const [name, { mem_limit: limit }] of [...Object.entries(services), ...added]) {
      assert.match(limit ?? '', /\d[mg]\}?$/, name);
    }
  });

  it('checks the health of each container', () => {
    assert.match(readFileSync('Dockerfile', 'utf8'), /^HEALTHCHECK /m);
    for (const [name, { build, healthcheck }] of [...Object.entries(services), ...added]) {
      assert.ok(build ?? healthcheck, name);
    }
  });

  it('believes proxies in the networks that it makes', () => {
    const trusted = addresses(services.web!.environment!, 'TRUST_PROXY')!;
    for (const { subnet } of networks.default.ipam.config) {
      assert.ok(trusted.check(subnet.replace(/\/\d+$/, '2'), 'ipv6'), subnet);
    }
    // Docker's own choice for IPv4.
    for (const address of ['172.17.0.2', '172.31.255.2', '192.168.16.2']) {
      assert.ok(trusted.check(address, 'ipv4'), address);
    }
  });

  it('gives files of secrets to those that read them', () => {
    const given = new Set<string>();
    for (const [name, service] of Object.entries(services)) {
      const files = Object.entries(service.environment ?? {}).filter(([key]) =>
        key.endsWith('_FILE'),
      );
      const names = files.map(([key, value]) => {
        const secret = key.replace(/_FILE$/, '').toLowerCase();
        assert.equal(value, `\${${key}:+/run/secrets/${secret}}`);
        assert.equal(secrets[secret]?.file, `\${${key}:-./compose.yaml}`);
        if (service.build) {
          assert.ok(
            secretNames.some((one) => `${one}_FILE` === key),
            `${name}: ${key}`,
          );
        }
        return secret;
      });
      assert.deepEqual((service.secrets ?? []).toSorted(), names.toSorted(), name);
      for (const secret of names) given.add(secret);
    }
    assert.deepEqual([...given].toSorted(), Object.keys(secrets).toSorted());
  });
});
