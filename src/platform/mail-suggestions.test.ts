import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import providers from 'email-providers/all.json' with { type: 'json' };
import commonProviders from 'email-providers/common.json' with { type: 'json' };
import { suggestAddress } from './mail-suggestions.ts';

const suggestDomain = (domain: string): string | undefined =>
  suggestAddress(`ada.lovelace@${domain}`)?.replace('ada.lovelace@', '');

describe('a suggestion for a mistyped address', () => {
  const mistyped: Record<string, string[]> = {
    'gmail.com': ['gmial.com', 'gamil.com', 'gmal.com', 'gmaill.com', 'gnail.com', 'gmail.con'],
    'hotmail.com': ['hotmial.com', 'hotmal.com', 'hormail.com', 'hotmail.cmo', 'hotmail.co'],
    'yahoo.com': ['yaho.com', 'yahooo.com', 'yahoo.cm', 'yhaoo.com'],
    'outlook.com': ['outlok.com', 'outllok.com', 'otulook.com', 'outlook.vom'],
    'icloud.com': ['icoud.com', 'iclould.com', 'icloud.om'],
    'protonmail.com': ['protnmail.com', 'protonmial.com'],
    'web.de': ['wbe.de', 'web.ed'],
    'gmx.de': ['gxm.de', 'mgx.de'],
    't-online.de': ['t-onlin.de', 'tonline.de', 't-onlien.de'],
    'orange.fr': ['oragne.fr', 'ornge.fr', 'orange.rf'],
    'wanadoo.fr': ['wanado.fr'],
    'laposte.net': ['lapsote.net', 'laposte.nte'],
    'yahoo.es': ['yaho.es'],
    'yahoo.com.mx': ['yahooo.com.mx'],
    'telefonica.net': ['telefoncia.net'],
    'maktoob.com': ['maktob.com'],
    'hotmail.co.uk': ['hotmial.co.uk'],
    'acme.com': ['acme.con'],
  };
  for (const [meant, typed] of Object.entries(mistyped)) {
    it(`is ${meant}`, () => {
      for (const domain of typed) assert.equal(suggestDomain(domain), meant, domain);
    });
  }

  it('keeps what stands before the domain', () => {
    assert.equal(suggestAddress('Ada.L+x@GMIAL.com'), 'Ada.L+x@gmail.com');
  });

  it('is none for what looks right, or is no address', () => {
    for (const address of [
      'ada@gmail.com',
      'ada@GMail.com',
      'ada@mail.com',
      'ada@ymail.com',
      'ada@gmx.net',
      'ada@acme.co',
      'ada@hotmail.se',
      'ada@example.org',
      'ada',
      '@gmial.com',
      'ada@gmial',
      '',
    ]) {
      assert.equal(suggestAddress(address), undefined, address);
    }
  });

  /** Mistyped domains that somebody has registered, so that lists of mail providers have them. */
  const registeredMistakes = [
    'gamil.com',
    'gmai.com',
    'gmail.co',
    'gmail.om',
    'gmal.com',
    'gmial.com',
    'homail.com',
    'hotmai.com',
    'hotmail.cm',
    'hotmail.con',
    'hotmial.com',
    'netsero.net',
    'yaho.com',
    'yahoo.om',
  ];

  it('is none for a domain of a mail provider', () => {
    assert.ok(providers.length > 8000);
    const wrong = [...providers, ...commonProviders].filter((domain) => suggestDomain(domain));
    assert.deepEqual([...new Set(wrong)].toSorted(), registeredMistakes);
  });
});
