import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withoutLinks } from './mail-addresses.ts';

it('texts of others have no addresses that mail programs make links of', () => {
  const cases: [string, string][] = [
    ['https://evil.example/x', 'https //evil[.]example/x'],
    ['www.evil.example', 'www[.]evil[.]example'],
    ['//evil.example', '//evil[.]example'],
    ['evil.example/x?a=1', 'evil[.]example/x?a=1'],
    ['evil．example', 'evil[.]example'],
    ['evil。example', 'evil[.]example'],
    ['evil｡example', 'evil[.]example'],
    ['xn--80ak6aa92e.com', 'xn--80ak6aa92e[.]com'],
    ['evil\u200f.example', 'evil\u200f[.]example'],
    ['cafe\u0301.example', 'cafe\u0301[.]example'],
    ['mail anna@evil.example', 'mail anna@evil[.]example'],
    ['The end. A new one… and so on.', 'The end. A new one… and so on.'],
  ];
  for (const [text, safe] of cases) assert.equal(withoutLinks(text), safe);
});
