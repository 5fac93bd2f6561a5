import disposable from 'disposable-email-domains-js';

/** The kept list of domains that give addresses to anybody for a short time: it comes as a package. */
const domains = disposable.disposableEmailBlocklistSet();

/** Whether a domain, in lower case, is one of those, or below one. */
export function isDisposable(domain: string): boolean {
  for (let at = domain; at.includes('.'); at = at.slice(at.indexOf('.') + 1)) {
    if (domains.has(at)) return true;
  }
  return false;
}
