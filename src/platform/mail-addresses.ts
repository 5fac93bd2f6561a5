import { domainToASCII } from 'node:url';

const gmailDomain = 'gmail.com';

// oxlint-disable-next-line no-control-regex
const isAscii = /^[\0-\x7f]*$/;

/** `domainToASCII` reads a web address: it decodes `%61`, ignores tabs and ends at `/`. */
// oxlint-disable-next-line no-control-regex
const isUnicodeDomain = /^(?:[a-z0-9.-]|[^\0-\x7f])*$/i;

/**
 * Returns an address as mail goes to it: a domain in Unicode becomes punycode (RFC 5891), one in ASCII stays as it is
 * typed. Returns an address without a domain where the domain cannot be one.
 */
export function asciiAddress(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  if (isAscii.test(domain)) return email;
  return `${email.slice(0, at)}@${isUnicodeDomain.test(domain) ? domainToASCII(domain) : ''}`;
}

/**
 * Returns the form of an address that all addresses of one mailbox have in common: lower case, the domain in punycode,
 * without a tag, for Gmail without dots.
 */
export function canonicalAddress(email: string): { address: string; domain: string } {
  const at = email.lastIndexOf('@');
  const domain = canonicalDomain(email.slice(at + 1));
  const typed = email.slice(0, at).toLowerCase();
  const local = typed.indexOf('+') > 0 ? typed.slice(0, typed.indexOf('+')) : typed;
  if (domain !== gmailDomain) return { address: `${local}@${domain}`, domain };
  return { address: `${local.replaceAll('.', '') || local}@${domain}`, domain };
}

/**
 * Domains in which a name is the same mailbox; the first stands for all. `unite` makes one name of those that a provider takes for
 * the same.
 */
const providers: { domains: string[]; unite?: (name: string) => string }[] = [
  { domains: ['icloud.com', 'me.com', 'mac.com'] },
  {
    domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'],
    unite: (name) => name.replaceAll(/[._-]/g, ''),
  },
  {
    domains: [
      'yandex.ru',
      'yandex.com',
      'yandex.by',
      'yandex.kz',
      'yandex.ua',
      'ya.ru',
      'narod.ru',
    ],
    unite: (name) => name.replaceAll('-', '.'),
  },
];

/**
 * Returns an address for all of a mailbox, with what is known of its provider. Use it for what counts a while: signatures
 * and settings are stored by `canonicalAddress`.
 */
export function addressForLimits(email: string): string {
  const { address, domain } = canonicalAddress(email);
  const name = address.slice(0, address.lastIndexOf('@'));
  // Anything before the @ reaches who has the name before these domains.
  const [, owner, fastmail] = /^([^.]+)\.(fastmail\.(?:com|fm))$/.exec(domain) ?? [];
  if (owner !== undefined) return `${owner}@${fastmail}`;
  const provider = providers.find(({ domains }) => domains.includes(domain));
  if (!provider) return address;
  return `${provider.unite?.(name) ?? name}@${provider.domains[0]}`;
}

/** Returns a mail domain in lower case and punycode. All domains of Gmail are one. */
export function canonicalDomain(domain: string): string {
  const typed = domain.toLowerCase();
  const ascii = domainToASCII(typed) || typed;
  return ascii === 'googlemail.com' ? gmailDomain : ascii;
}

/** Dots of addresses: those of other scripts are dots in names of domains, too (RFC 3490, section 3.1). */
const dots = /(?<=[\p{L}\p{M}\p{N}\p{Cf}])[.\u3002\uff0e\uff61](?=[\p{L}\p{M}\p{N}\p{Cf}])/gu;

/**
 * Returns a text of somebody else with its web addresses broken up, so that mail programs make no links of them:
 * `https://evil.example` becomes `https //evil[.]example`.
 */
export const withoutLinks = (text: string): string =>
  text.replaceAll('://', ' //').replaceAll(dots, '[.]');

/** Returns a text of somebody else on one line, without links. */
export const lineWithoutLinks = (text: string): string =>
  withoutLinks(text.replaceAll(/\s+/g, ' ').trim());
