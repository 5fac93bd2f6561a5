import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startNameServer, type NameServer, type Records } from '../../test/support/dns.ts';
import { startMailServer } from '../../test/support/mail-server.ts';
import { createLookups } from './test-mail-lookups.ts';
import { checkRecords } from './test-mail-records.ts';
import { evaluateSpf } from './test-mail-spf.ts';

interface Run {
  code: number;
  output: string;
  errors: string;
}

/** Runs the command. Returns what it prints, whether it fails or not. */
async function run(args: string[], settings: Record<string, string>): Promise<Run> {
  const env = { ...process.env, ...settings, BASE_URL: 'https://petitions.test', SECRET: 'any' };
  try {
    const command = [new URL('test-mail.ts', import.meta.url).pathname, ...args];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { env });
    return { code: 0, output: stdout, errors: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout, errors: stderr };
  }
}

const noNames = () => startNameServer(() => []);

describe('the command test-mail', () => {
  it('sends a mail and prints what the server said, whatever DNS says', async () => {
    await using server = await startMailServer({ end: ['250 2.0.0 queued as 4711'] });
    await using names = await noNames();
    const args = ['ada@example.org', '--server', names.address];
    const { code, output } = await run(args, { SMTP_URL: server.url });
    assert.match(output, /^The mail server took the mail: 250 2\.0\.0 queued as 4711\n\n/);
    assert.match(output, /^MISSING {2}SPF: petitions\.test has no SPF record/m);
    assert.equal(code, 0);
    assert.deepEqual(server.envelopes, [
      { from: 'no-reply@petitions.test', to: 'ada@example.org' },
    ]);
  });

  it('fails with the command and the answer of the server', async () => {
    await using server = await startMailServer({ mail: ['530 5.7.0 authentication required'] });
    const { code, errors } = await run(['ada@example.org'], { SMTP_URL: server.url });
    assert.equal(code, 1);
    assert.match(errors, /MAIL FROM: 530 5\.7\.0 authentication required/);
  });

  it('needs an address', async () => {
    for (const args of [[], ['ada'], ['ada@example.org', 'grace@example.org']]) {
      const { code, errors } = await run(args, { SMTP_URL: 'smtp://127.0.0.1:1' });
      assert.equal(code, 1);
      assert.match(errors, /Name the address/);
    }
  });

  it('needs the address of a name server, and none of a person with --check', async () => {
    for (const [args, message] of [
      [['--check', '--server', 'ns.example.org'], /must be an IP address/],
      [['--check', 'ada@example.org'], /sends nothing/],
    ] as const) {
      const { code, errors } = await run([...args], { SMTP_URL: 'smtp://127.0.0.1:1' });
      assert.equal(code, 1);
      assert.match(errors, message);
    }
  });
});

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicText = (key = publicKey) =>
  key.export({ type: 'spki', format: 'der' }).toString('base64');
const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;

const settings = {
  SMTP_URL: 'smtp://mail.petitions.test',
  MAIL_FROM: 'Petitions <no-reply@petitions.test>',
  DKIM_DOMAIN: 'petitions.test',
  DKIM_SELECTOR: 's1',
  DKIM_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }),
};

const addresses: Record<string, string[]> = {
  'mail.petitions.test': ['192.0.2.10', '2001:db8::10'],
  'other.test': ['192.0.2.99'],
};

const dkimName = 's1._domainkey.petitions.test';
const dkimRecord = `v=DKIM1; k=rsa; p=${publicText()}`;
const reverseNames = {
  '10.2.0.192.in-addr.arpa': ['mail.petitions.test'],
  [`0.1.0.0.${'0.'.repeat(20)}8.b.d.0.1.0.0.2.ip6.arpa`]: ['mail.petitions.test'],
};
const complete = {
  'petitions.test': ['v=spf1 a:mail.petitions.test -all', 'some-verification=1'],
  [dkimName]: [dkimRecord],
  '_dmarc.petitions.test': ['v=DMARC1; p=quarantine'],
};

/** Runs `--check` against a name server with these records. */
async function check(records: Records, env: Record<string, string> = {}): Promise<Run> {
  await using names = await startNameServer((name) => addresses[name] ?? [], records);
  return await run(['--check', '--server', names.address], { ...settings, ...env });
}

/** The lines about something. */
const linesAbout = ({ output }: Run, about: string): string[] =>
  output.split('\n').filter((line) => line.includes(` ${about}: `));

describe('the command test-mail --check', () => {
  it('passes if all that receivers look up is there', async () => {
    const result = await check({ TXT: complete, PTR: reverseNames });
    assert.equal(result.code, 0, result.output);
    assert.equal(
      result.output,
      `ok       SPF: petitions.test allows 192.0.2.10, an address of mail.petitions.test.
ok       SPF: petitions.test allows 2001:db8::10, an address of mail.petitions.test.
ok       DKIM: The key of s1._domainkey.petitions.test is ours.
ok       DMARC: The DMARC record of petitions.test has p=quarantine.
ok       DMARC: Envelope sender and signature are of the domain of MAIL_FROM.
ok       reverse name: 192.0.2.10 has the reverse name mail.petitions.test, which has that address.
ok       reverse name: 2001:db8::10 has the reverse name mail.petitions.test, which has that address.

Nothing is missing.
`,
    );
  });

  it('fails and prints the record for all that is missing', async () => {
    const { code, output } = await check({});
    assert.equal(code, 1);
    for (const record of [
      'petitions.test. TXT "v=spf1 ip4:192.0.2.10 ip6:2001:db8::10 -all"',
      '_dmarc.petitions.test. TXT "v=DMARC1; p=none"',
      '10.2.0.192.in-addr.arpa. PTR mail.petitions.test.',
    ]) {
      assert.ok(output.includes(`\n         ${record}\n`), record);
    }
    const [, ...strings] = new RegExp(`${dkimName}\\. TXT "([^"]{255})" "([^"]+)"\n`).exec(output)!;
    assert.equal(strings.join(''), dkimRecord);
    assert.match(output, /\nMissing: 5, not known: 0\. See docs\/mail\.md\.\n$/);
  });

  const mistakes: [string, string, Record<string, string[]>, RegExp][] = [
    [
      'several SPF records',
      'SPF',
      { 'petitions.test': ['v=spf1 mx ~all', 'v=spf1 a -all'] },
      /2 SPF records.*\n +petitions\.test\. TXT "v=spf1 mx a -all"\n/,
    ],
    [
      'an SPF record without the address',
      'SPF',
      { 'petitions.test': ['v=spf1 ip4:192.0.2.10 a:other.test -all'] },
      /does not allow 2001:db8::10.*\n +.*"v=spf1 ip6:2001:db8::10 ip4:192\.0\.2\.10 a:other\.test -all"\n/,
    ],
    [
      'an SPF record that includes none',
      'SPF',
      { 'petitions.test': ['v=spf1 include:other.test -all'] },
      /not valid: other\.test, which it names, has no SPF record/,
    ],
    ['a revoked key', 'DKIM', { [dkimName]: ['v=DKIM1; p='] }, /is revoked/],
    [
      'the key of somebody else',
      'DKIM',
      { [dkimName]: [`v=DKIM1; p=${publicText(otherKey)}`] },
      /is not that of DKIM_KEY/,
    ],
    ['two keys', 'DKIM', { [dkimName]: [dkimRecord, dkimRecord] }, /has 2 TXT records/],
    [
      'no policy',
      'DMARC',
      { '_dmarc.petitions.test': ['v=DMARC1; rua=mailto:a@petitions.test'] },
      /has no valid policy/,
    ],
  ];
  for (const [name, about, records, message] of mistakes) {
    it(`finds ${name}`, async () => {
      const result = await check({ TXT: { ...complete, ...records }, PTR: reverseNames });
      assert.equal(result.code, 1);
      assert.match(result.output, new RegExp(`^MISSING {2}${about}: .*${message.source}`, 'm'));
    });
  }

  it('takes a key as PKCS #1, and notes that it is a test', async () => {
    const pkcs1 = createPublicKey(privateKey).export({ type: 'pkcs1', format: 'der' });
    const text = `k=rsa; t=y; p=${pkcs1.toString('base64')}`;
    const result = await check({ TXT: { ...complete, [dkimName]: [text] }, PTR: reverseNames });
    assert.equal(result.code, 0);
    assert.match(linesAbout(result, 'DKIM')[0]!, /^note .*marked as a test/);
  });

  it('finds that a reverse name has another address', async () => {
    const PTR = { ...reverseNames, '10.2.0.192.in-addr.arpa': ['other.test'] };
    const { code, output } = await check({ TXT: complete, PTR });
    assert.equal(code, 1);
    assert.match(
      output,
      /name of 192\.0\.2\.10 is other\.test.*\n +other\.test\. A 192\.0\.2\.10\n/,
    );
  });

  it('compares the domains of envelope and signature with that of the sender', async () => {
    const PTR = reverseNames;
    const spf = { 'bounces.test': complete['petitions.test'] };
    const foreign = { MAIL_ENVELOPE_FROM: 'a@bounces.test' };
    const signed = await check({ TXT: { ...complete, ...spf }, PTR }, foreign);
    assert.equal(signed.code, 0, signed.output);
    assert.match(signed.output, /DMARC rests on DKIM alone/);
    const unsigned = { DKIM_DOMAIN: '', DKIM_SELECTOR: '', DKIM_KEY: '' };
    const neither = await check({ TXT: { ...complete, ...spf }, PTR }, { ...foreign, ...unsigned });
    assert.equal(neither.code, 1);
    assert.match(neither.output, /Neither the envelope sender \(bounces\.test\) nor a signature/);
  });

  it('finds the policy of the domain above, and follows its mode', async () => {
    const env = { MAIL_FROM: 'a@mail.petitions.test', MAIL_ENVELOPE_FROM: 'a@news.petitions.test' };
    const spf = { 'news.petitions.test': complete['petitions.test'] };
    for (const [mode, code] of [
      ['', 0],
      ['; aspf=s; adkim=s', 1],
    ] as const) {
      const dmarc = { '_dmarc.petitions.test': [`v=DMARC1; p=reject${mode}`] };
      const TXT = { ...complete, ...spf, ...dmarc };
      const result = await check({ TXT, PTR: reverseNames }, env);
      assert.equal(result.code, code, result.output);
      assert.match(result.output, /The DMARC record of petitions\.test has p=reject/);
    }
  });

  it('says what it cannot know of a relay in a private network', async () => {
    const env = { SMTP_URL: 'smtp://127.0.0.1:25' };
    const result = await check({ TXT: complete }, env);
    assert.equal(result.code, 0, result.output);
    assert.match(result.output, /^note {5}mail server: 127\.0\.0\.1 is in a private network/m);
  });

  it('does not wait long for a name server that does not answer', async () => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await new Promise((resolve) => socket.once('listening', resolve));
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${socket.address().port}`]);
    const mail = {
      smtp: { url: settings.SMTP_URL, requireTls: false, hostname: 'petitions.test' },
      from: { name: 'Petitions', address: 'no-reply@petitions.test' },
      replyTo: undefined,
      envelopeFrom: 'no-reply@petitions.test',
      baseUrl: 'https://petitions.test',
    };
    const findings = await checkRecords(mail, createLookups(resolver, 100));
    resolver.cancel();
    socket.close();
    const failed = findings.filter(({ state }) => state === 'unknown');
    assert.deepEqual(
      failed.map(({ about }) => about),
      ['mail server', 'SPF', 'DMARC'],
    );
    for (const { text } of failed) assert.match(text, /gave no answer about .* within 0\.1 s/);
  });
});

describe('an SPF record', () => {
  const records: Records = {
    TXT: {
      'outside.test': ['v=spf1 ip4:198.51.100.0/24 -all'],
      'loop.test': ['v=spf1 include:loop.test -all'],
      'soft.test': ['v=spf1 ~all'],
    },
    MX: { 'petitions.test': ['10 mx1.test', '20 mx2.test'] },
  };
  const hosts: Record<string, string[]> = {
    'petitions.test': ['192.0.2.1'],
    'mx2.test': ['192.0.2.2', '2001:db8::2'],
    'near.test': ['192.0.2.200', '2001:db8::ffff'],
  };
  const evaluate = async (names: NameServer, record: string, address: string) =>
    evaluateSpf(createLookups(names.resolver, 5000), {
      domain: 'petitions.test',
      record,
      address,
    });

  const cases: [string, string, string][] = [
    ['v=spf1 a -all', '192.0.2.1', 'pass'],
    ['v=spf1 a -all', '192.0.2.2', 'fail'],
    ['v=spf1 mx -all', '192.0.2.2', 'pass'],
    ['v=spf1 mx -all', '2001:db8::2', 'pass'],
    ['v=spf1 a:near.test/24 -all', '192.0.2.9', 'pass'],
    ['v=spf1 a:near.test/24//112 -all', '2001:db8::1', 'pass'],
    ['v=spf1 a:near.test//112 -all', '2001:db8::1', 'pass'],
    ['v=spf1 a:near.test//128 -all', '2001:db8::1', 'fail'],
    ['v=spf1 ip4:192.0.2.0/28 -all', '192.0.2.15', 'pass'],
    ['v=spf1 ip4:192.0.2.0/28 -all', '192.0.2.16', 'fail'],
    ['v=spf1 ip6:2001:db8::/32 -all', '2001:db8:1::1', 'pass'],
    ['v=spf1 include:outside.test -all', '198.51.100.7', 'pass'],
    ['v=spf1 include:outside.test -all', '192.0.2.7', 'fail'],
    ['v=spf1 redirect=outside.test', '198.51.100.7', 'pass'],
    ['v=spf1 -ip4:192.0.2.7 +all', '192.0.2.7', 'fail'],
    ['v=spf1 include:soft.test -all', '192.0.2.7', 'fail'],
    ['v=spf1', '192.0.2.7', 'fail'],
    ['v=spf1 ?all', '192.0.2.7', 'fail'],
    ['v=spf1 exists:%{i}.test -all', '192.0.2.7', 'unknown'],
    ['v=spf1 exists:any.test ip4:192.0.2.7 -all', '192.0.2.7', 'pass'],
    ['v=spf1 include:none.test -all', '192.0.2.7', 'error'],
    ['v=spf1 include:loop.test -all', '192.0.2.7', 'error'],
    [`v=spf1 ${'a:near.test '.repeat(11)}-all`, '192.0.2.7', 'error'],
    ['v=spf1 ip4:nowhere -all', '192.0.2.7', 'error'],
  ];
  for (const [record, address, expected] of cases) {
    it(`${record.slice(0, 60)} of ${address}: ${expected}`, async () => {
      await using names = await startNameServer((name) => hosts[name] ?? [], records);
      assert.equal((await evaluate(names, record, address)).result, expected);
    });
  }
});
