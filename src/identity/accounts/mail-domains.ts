import disposable from 'disposable-email-domains-js';

/** Domains of disposable addresses, from an npm package. */
const domains = disposable.disposableEmailBlocklistSet();

/** Whether a domain, in lower case, is disposable or a subdomain of a disposable one. */
export function isDisposable(domain: string): boolean {
  for (let name = domain; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
    if (domains.has(name)) return true;
  }
  return false;
}
