import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addressForLimits, asciiAddress, withoutLinks } from './mail-addresses.ts';

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

it('domains in Unicode are names of hosts, and no web addresses', () => {
  const typed = [
    'a@victim.example/.öther.example',
    'a@victim.example?ö',
    'a@victim.example#ö',
    'a@vict%69m.ö.example',
    'a@vic\ttim.ö.example',
    'a@victim.ö.example\r\n',
  ];
  for (const email of typed) assert.equal(asciiAddress(email), 'a@', email);
});

it('addresses that providers deliver to one mailbox are limited together, and no others', () => {
  const mailboxes = [
    ['Ada@icloud.com', 'ada+1@me.com', 'ada@mac.com'],
    ['ada.king@proton.me', 'a-d-a_king@pm.me', 'adaking+x@ProtonMail.com'],
    ['ada-king@yandex.ru', 'ada.king@ya.ru'],
    ['ada@fastmail.com', 'any@ada.fastmail.com', 'thing+x@ADA.fastmail.com'],
    ['adaking@example.org', 'ADAKING+1@example.org'],
    ['ada.king@example.org'],
    ['ada@fastmail.fm', 'x@ada.fastmail.fm'],
    ['ada@example.org'],
  ];
  const keys = mailboxes.map((emails) => new Set(emails.map(addressForLimits)));
  for (const [n, { size }] of keys.entries()) assert.equal(size, 1, mailboxes[n]!.join(' '));
  assert.equal(new Set(keys.flatMap((found) => [...found])).size, mailboxes.length);
});
