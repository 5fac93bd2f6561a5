import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { DkimSettings, MailSettings } from '../platform/mail.ts';
import { LookupFailed, reverseZoneName, type Lookups } from './test-mail-lookups.ts';
import { evaluateSpf, spfRecords } from './test-mail-spf.ts';

/** What was found out, in sentences. */
export interface Finding {
  /** `missing`: mails may not arrive until the operator does something. `unknown`: no name server answered. */
  state: 'ok' | 'note' | 'missing' | 'unknown';
  about: 'SPF' | 'DKIM' | 'DMARC' | 'reverse name' | 'mail server';
  text: string;
  /** A record of DNS to add, in the form of a zone file. */
  record?: string;
}

type Make = (text: string, record?: string) => Finding;

const finding =
  (state: Finding['state'], about: Finding['about']): Make =>
  (text, record) => ({ state, about, text, ...(record && { record }) });

/** Looks up what receivers look up of the sender: SPF, DKIM, DMARC and reverse names. */
export async function checkRecords(settings: MailSettings, lookups: Lookups): Promise<Finding[]> {
  const fromDomain = domainOf(settings.from.address);
  const envelopeDomain = domainOf(settings.envelopeFrom);
  const servers = findServers(settings, lookups);
  const checks: [Finding['about'], Promise<Finding[]>][] = [
    ['mail server', servers.then(({ findings }) => findings)],
    ['SPF', checkSpf(lookups, { domain: envelopeDomain, servers })],
    ['SPF', fromDomain === envelopeDomain ? none() : noteSpfOfFrom(lookups, fromDomain)],
    ['DKIM', checkDkim(lookups, settings.dkim)],
    ['DMARC', checkDmarc(lookups, { fromDomain, envelopeDomain, dkim: settings.dkim })],
    ['reverse name', checkReverseNames(lookups, servers)],
  ];
  return (await Promise.all(checks.map(([about, check]) => check.catch(asFinding(about))))).flat();
}

const none = async (): Promise<Finding[]> => [];

const asFinding =
  (about: Finding['about']) =>
  (error: unknown): Finding[] => {
    if (!(error instanceof LookupFailed)) throw error;
    return [finding('unknown', about)(`${error.message} Try again, or name another server.`)];
  };

const domainOf = (address: string): string =>
  address.slice(address.lastIndexOf('@') + 1).toLowerCase();

interface Server {
  host: string;
  /** Public ones. */
  addresses: string[];
}

interface Servers {
  servers: Server[];
  findings: Finding[];
}

/** Resolves the hosts of SMTP_URL and SMTP_BULK_URL. A failed lookup is reported once. */
async function findServers({ smtp, bulkSmtp }: MailSettings, lookups: Lookups): Promise<Servers> {
  const [note, missing] = [finding('note', 'mail server'), finding('missing', 'mail server')];
  const urls = [smtp, bulkSmtp].flatMap((one) => one?.url ?? []);
  const hosts = new Set(urls.map((one) => new URL(one).hostname.replaceAll(/[[\]]/g, '')));
  const found: Servers = { servers: [], findings: [] };
  if (hosts.size === 0) {
    found.findings.push(note('Mails are files: SMTP_URL is not set, or MAIL is files.'));
  }
  for (const host of hosts) {
    let addresses: string[] = [];
    try {
      addresses = isIP(host) ? [host] : await lookups.addresses(host);
    } catch (error) {
      found.findings.push(...asFinding('mail server')(error));
      continue;
    }
    const external = addresses.filter((one) => !isPrivate(one));
    if (addresses.length === 0) {
      found.findings.push(missing(`${host}, the mail server of the settings, has no address.`));
    } else if (external.length === 0) {
      found.findings.push(
        note(
          `${host} is in a private network, so the address from which it sends is not known here. Compare that address with the SPF record, and see that it has a reverse name.`,
        ),
      );
    } else found.servers.push({ host, addresses: external });
  }
  return found;
}

const isPrivate = (address: string): boolean =>
  ['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat', 'unspecified'].includes(
    ipaddr.process(address).range(),
  );

async function checkSpf(
  lookups: Lookups,
  { domain, servers: found }: { domain: string; servers: Promise<Servers> },
): Promise<Finding[]> {
  const [ok, note, missing] = makersOf('SPF');
  const records = await spfRecords(lookups, domain);
  const { servers } = await found;
  const addresses = servers.flatMap((server) => server.addresses);
  const terms = addresses.map(spfTerm).join(' ');
  const [record] = records;
  if (record === undefined) {
    const allowed = terms || 'a mx';
    return [
      missing(
        `${domain} has no SPF record, which says who may send its mails. Add this one. If your relay documents a term of its own (include:…), put that in instead.`,
        txtRecord(domain, `v=spf1 ${allowed} -all`),
      ),
    ];
  }
  if (records.length > 1) {
    return [
      missing(
        `${domain} has ${records.length} SPF records, and receivers then ignore all. Replace them by one.`,
        txtRecord(domain, mergedSpf(records)),
      ),
    ];
  }
  if (addresses.length === 0) {
    return [note(`${domain} has an SPF record: ${record}. What it must allow is not known here.`)];
  }
  const findings: Finding[] = [];
  for (const { host, addresses: own } of servers) {
    for (const address of own) {
      const { result, ...more } = await evaluateSpf(lookups, { domain, record, address });
      const named = host === address ? address : `${address}, an address of ${host}`;
      const better = txtRecord(domain, record.replace(/^v=spf1/i, `v=spf1 ${spfTerm(address)}`));
      if (result === 'pass') findings.push(ok(`${domain} allows ${named}.`));
      else if (result === 'unknown') {
        findings.push(
          note(`Whether ${domain} allows ${named} depends on terms not evaluated here: ${record}`),
        );
      } else if (result === 'error') {
        const { reason } = more as { reason: string };
        findings.push(
          missing(`The SPF record of ${domain} is not valid: ${reason}. It is: ${record}`),
        );
      } else {
        findings.push(
          missing(
            `The SPF record of ${domain} does not allow ${named}. Replace it by this one. If your relay sends from other addresses, put in the term that it documents (include:…).`,
            better,
          ),
        );
      }
    }
  }
  return findings;
}

/** Receivers look at the domain of the envelope, so a missing record of the other is no fault. */
async function noteSpfOfFrom(lookups: Lookups, domain: string): Promise<Finding[]> {
  const [ok, note, missing] = makersOf('SPF');
  const { length } = await spfRecords(lookups, domain);
  if (length > 1) return [missing(`${domain} has ${length} SPF records. Replace them by one.`)];
  if (length === 1) return [ok(`${domain}, the domain of MAIL_FROM, has an SPF record.`)];
  return [
    note(
      `${domain}, the domain of MAIL_FROM, has no SPF record. Receivers look at that of MAIL_ENVELOPE_FROM. If no mail has an envelope sender at ${domain}, this record keeps others from using it.`,
      txtRecord(domain, 'v=spf1 -all'),
    ),
  ];
}

const spfTerm = (address: string): string => `ip${isIP(address)}:${address}`;

/** One record with the terms of all, the strictest `all` last. */
function mergedSpf(records: string[]): string {
  const terms = new Set(records.flatMap((record) => record.trim().split(/\s+/).slice(1)));
  const ends = [...terms].filter((term) => /^[+~?-]?all$/i.test(term));
  const end = ['-all', '~all'].find((one) => ends.includes(one)) ?? ends[0] ?? '-all';
  return ['v=spf1', ...[...terms].filter((term) => !ends.includes(term)), end].join(' ');
}

async function checkDkim(lookups: Lookups, dkim: DkimSettings | undefined): Promise<Finding[]> {
  const [ok, note, missing] = makersOf('DKIM');
  if (!dkim) {
    return [
      note(
        'Mails are not signed here, since DKIM_DOMAIN, DKIM_SELECTOR and DKIM_KEY are not set. See that your relay signs them, with a domain that is that of MAIL_FROM.',
      ),
    ];
  }
  const name = `${dkim.selector}._domainkey.${dkim.domain}`;
  const ownKey = createPublicKey(createPrivateKey(dkim.privateKey));
  const der = ownKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const record = txtRecord(name, `v=DKIM1; k=rsa; p=${der}`);
  const records = await lookups.txt(name);
  if (records.length === 0) {
    return [
      missing(`There is no record ${name}, so receivers cannot verify signatures. Add it.`, record),
    ];
  }
  if (records.length > 1) {
    return [missing(`${name} has ${records.length} TXT records. Keep only this one.`, record)];
  }
  const { p = '', k = 'rsa', t = '' } = tagsOf(records[0]!);
  if (p === '') {
    return [missing(`The record ${name} has no key: it is revoked. Replace it.`, record)];
  }
  if (k !== 'rsa' || !publishedKey(p)?.equals(ownKey)) {
    return [
      missing(
        `The key in the record ${name} is not that of DKIM_KEY, so receivers take signatures for forged. Replace the record, or set the key that belongs to it.`,
        record,
      ),
    ];
  }
  const bits = ownKey.asymmetricKeyDetails?.modulusLength ?? 0;
  return [
    t.split(':').includes('y')
      ? note(`The key of ${name} is ours, but marked as a test (t=y). Remove that mark.`, record)
      : ok(`The key of ${name} is ours.`),
    ...(bits < 2048
      ? [note(`The key has ${bits} bits. Make one of 2048 bits, with another selector.`)]
      : []),
  ];
}

/** The key of a record: usually as SPKI, by the letter of RFC 6376 as PKCS #1. */
function publishedKey(p: string): KeyObject | undefined {
  const key = Buffer.from(p.replaceAll(/\s/g, ''), 'base64');
  for (const type of ['spki', 'pkcs1'] as const) {
    try {
      return createPublicKey({ key, format: 'der', type });
    } catch {
      // Tries the next form.
    }
  }
  return undefined;
}

interface Senders {
  fromDomain: string;
  envelopeDomain: string;
  dkim: DkimSettings | undefined;
}

async function checkDmarc(
  lookups: Lookups,
  { fromDomain, envelopeDomain, dkim }: Senders,
): Promise<Finding[]> {
  const [ok, note, missing] = makersOf('DMARC');
  const found = await findDmarc(lookups, fromDomain);
  const suggestion = (domain: string) => txtRecord(`_dmarc.${domain}`, 'v=DMARC1; p=none');
  if (!found) {
    return [
      missing(
        `${fromDomain} has no DMARC record, which large mail providers demand. Add this one; when all mails pass, replace none by quarantine.`,
        suggestion(fromDomain),
      ),
    ];
  }
  const { domain, records, organization } = found;
  if (records.length > 1) {
    return [
      missing(
        `_dmarc.${domain} has ${records.length} DMARC records. Keep one.`,
        suggestion(domain),
      ),
    ];
  }
  const { p = '', adkim, aspf } = tagsOf(records[0]!);
  if (!/^(none|quarantine|reject)$/i.test(p)) {
    return [
      missing(
        `The DMARC record of ${domain} has no valid policy (p=none, quarantine or reject). Replace it.`,
        suggestion(domain),
      ),
    ];
  }
  const isAligned = (one: string, mode = 'r') =>
    one === fromDomain ||
    (mode !== 's' && (one === organization || one.endsWith(`.${organization}`)));
  const bySpf = isAligned(envelopeDomain, aspf);
  const byDkim = dkim && isAligned(dkim.domain, adkim);
  const findings = [
    ok(`The DMARC record of ${domain} has p=${p.toLowerCase()}.`),
    ...(p.toLowerCase() === 'none'
      ? [note('p=none does not keep others from using the domain. Later, use p=quarantine.')]
      : []),
  ];
  if (!bySpf && !byDkim) {
    findings.push(
      missing(
        `Neither the envelope sender (${envelopeDomain}) nor a signature is of the domain of MAIL_FROM (${fromDomain}), so mails do not pass DMARC. Set DKIM_DOMAIN=${fromDomain}, or MAIL_ENVELOPE_FROM to an address at ${fromDomain}.`,
      ),
    );
  } else if (!bySpf) {
    findings.push(
      note(
        `The envelope sender (${envelopeDomain}) is of another domain: DMARC rests on DKIM alone.`,
      ),
    );
  } else if (!byDkim) {
    findings.push(
      note(
        dkim
          ? `The signature (${dkim.domain}) is of another domain: DMARC rests on SPF alone, and forwarded mails fail.`
          : 'DMARC rests on SPF, unless your relay signs: forwarded mails fail.',
      ),
    );
  } else findings.push(ok('Envelope sender and signature are of the domain of MAIL_FROM.'));
  return findings;
}

/**
 * The DMARC records for a domain: its own, else those of the organization's domain. That is the shortest domain above with
 * such a record (RFC 9989, section 4.10).
 */
async function findDmarc(
  lookups: Lookups,
  domain: string,
): Promise<{ domain: string; records: string[]; organization: string } | undefined> {
  const labels = domain.split('.');
  const names = labels.slice(0, -1).map((_, n) => labels.slice(n).join('.'));
  const all = await Promise.all(
    names.slice(-7).map(async (name) => {
      const texts = await lookups.txt(`_dmarc.${name}`);
      return { domain: name, records: texts.filter((text) => /^v=DMARC1\s*(;|$)/.test(text)) };
    }),
  );
  const found = all.filter(({ records }) => records.length > 0);
  const nearest = found.find((one) => one.domain === domain) ?? found.at(-1);
  return nearest && { ...nearest, organization: found.at(-1)!.domain };
}

async function checkReverseNames(lookups: Lookups, found: Promise<Servers>): Promise<Finding[]> {
  const [ok, , missing] = makersOf('reverse name');
  const findings: Finding[] = [];
  for (const { host, addresses } of (await found).servers) {
    const name = isIP(host) ? 'mail.example.org' : host;
    for (const address of addresses) {
      const names = await lookups.reverseNames(address);
      const record = `${reverseZoneName(address)}. PTR ${name}.`;
      if (names.length === 0) {
        findings.push(
          missing(
            `${address} has no reverse name, and many receivers refuse mails from it. Ask the provider of the address to set this record.`,
            record,
          ),
        );
        continue;
      }
      const addressesOfNames = await Promise.all(names.map((one) => lookups.addresses(one)));
      const isConfirmed = addressesOfNames.flat().some((one) => isSame(one, address));
      findings.push(
        isConfirmed
          ? ok(`${address} has the reverse name ${names[0]}, which has that address.`)
          : missing(
              `The reverse name of ${address} is ${names[0]}, but that name does not have this address. Add this record.`,
              `${names[0]}. ${isIP(address) === 4 ? 'A' : 'AAAA'} ${address}`,
            ),
      );
    }
  }
  return findings;
}

const isSame = (one: string, other: string): boolean =>
  ipaddr.process(one).toNormalizedString() === ipaddr.process(other).toNormalizedString();

const makersOf = (about: Finding['about']): [Make, Make, Make] => [
  finding('ok', about),
  finding('note', about),
  finding('missing', about),
];

/** Tags of a DKIM or DMARC record. */
const tagsOf = (record: string): Record<string, string | undefined> =>
  Object.fromEntries(
    record.split(';').flatMap((tag) => {
      const [, name, value] = /^\s*(\w+)\s*=\s*(.*?)\s*$/s.exec(tag) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );

/** A TXT record in the form of a zone file. A string of it has at most 255 bytes. */
function txtRecord(name: string, text: string): string {
  const parts = text.match(/.{1,255}/g) ?? [''];
  return `${name}. TXT ${parts.map((part) => `"${part}"`).join(' ')}`;
}
