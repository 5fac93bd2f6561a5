// Finds mistyped mail domains. Runs in browsers and in the service.

/** Common mail domains, those of most people first. */
const common =
  `gmail.com hotmail.com yahoo.com outlook.com icloud.com aol.com live.com msn.com googlemail.com me.com
mac.com ymail.com rocketmail.com proton.me protonmail.com pm.me mail.com gmx.com fastmail.com zoho.com tutanota.com
tuta.com tuta.io hushmail.com yandex.com yandex.ru mail.ru
gmx.de web.de t-online.de gmx.net freenet.de outlook.de hotmail.de yahoo.de live.de arcor.de posteo.de mailbox.org
online.de vodafone.de vodafonemail.de kabelmail.de email.de mail.de aol.de icloud.de gmx.at gmx.ch aon.at chello.at
bluewin.ch hispeed.ch sunrise.ch yahoo.at hotmail.ch hotmail.at outlook.at
hotmail.fr orange.fr wanadoo.fr free.fr sfr.fr laposte.net yahoo.fr live.fr outlook.fr neuf.fr bbox.fr gmx.fr aol.fr
numericable.fr aliceadsl.fr club-internet.fr cegetel.net hotmail.be live.be skynet.be telenet.be proximus.be voo.be
videotron.ca sympatico.ca bell.net hotmail.ca live.ca yahoo.ca outlook.be
hotmail.es yahoo.es outlook.es live.com.mx yahoo.com.mx yahoo.com.ar hotmail.com.ar live.com.ar outlook.com.ar
yahoo.com.co yahoo.cl hotmail.cl live.cl prodigy.net.mx telefonica.net movistar.es terra.es ono.com terra.com.br
fibertel.com.ar speedy.com.ar arnet.com.ar ciudad.com.ar adinet.com.uy cantv.net
hotmail.co.uk yahoo.co.uk live.co.uk outlook.ie yahoo.ie hotmail.ie btinternet.com btopenworld.com sky.com talktalk.net
virginmedia.com ntlworld.com blueyonder.co.uk tiscali.co.uk virgin.net aol.co.uk eircom.net comcast.net verizon.net
att.net sbcglobal.net bellsouth.net cox.net charter.net earthlink.net optonline.net optimum.net juno.com netzero.net
windstream.net frontier.com centurylink.net rogers.com shaw.ca telus.net bigpond.com bigpond.net.au optusnet.com.au
iinet.net.au live.com.au yahoo.com.au outlook.com.au hotmail.com.au xtra.co.nz yahoo.co.nz yahoo.co.in rediffmail.com
maktoob.com yahoo.com.eg hotmail.sa outlook.sa menara.ma emirates.net.ae batelco.com.bh qatar.net.qa saudi.net.sa
hotmail.it yahoo.it live.it outlook.it libero.it tiscali.it virgilio.it alice.it live.nl hotmail.nl ziggo.nl kpnmail.nl
yahoo.com.br hotmail.com.br outlook.com.br uol.com.br bol.com.br sapo.pt outlook.pt live.com.pt wp.pl onet.pl
seznam.cz qq.com 163.com 126.com naver.com`.split(/\s+/);
const isCommon = new Set(common);

/** Domains that resemble common ones and have mailboxes of their own. */
const similar = new Set(
  `y7mail.com prontomail.com tatanova.com e-mail.de inet.net.au earthling.net liberto.it hitmail.com hotmails.com
proto2mail.com ymail4.com`.split(/\s+/),
);

/** Ends that no domain has. */
const wrongEnds = Object.fromEntries(
  Object.entries({
    com: 'con cmo ocm vom xom cpm comm coom c0m',
    net: 'nte ent nett',
    org: 'ogr rog orgg',
    de: 'ed',
    fr: 'rf',
  }).flatMap(([right, wrong]) => wrong.split(' ').map((end) => [end, right])),
);

/** Ends of countries that are mistyped ones of the most common domains. */
const doubtfulEnds = new Set(['co', 'cm', 'om']);

/** Splits a domain after its first label. */
const split = (domain) => {
  const dot = domain.indexOf('.');
  return [domain.slice(0, dot), domain.slice(dot + 1)];
};
const parts = common.map(split);

/** The address that was probably meant; undefined if this one looks right. */
export function suggestAddress(address) {
  const at = address.lastIndexOf('@');
  const domain = suggestDomain(address.slice(at + 1).toLowerCase());
  return at > 0 && domain ? `${address.slice(0, at + 1)}${domain}` : undefined;
}

function suggestDomain(typed) {
  if (isCommon.has(typed) || similar.has(typed) || !typed.includes('.')) return undefined;
  const end = typed.slice(typed.lastIndexOf('.') + 1);
  const withoutEnd = typed.slice(0, -end.length);
  if (doubtfulEnds.has(end) && isCommon.has(`${withoutEnd}com`)) return `${withoutEnd}com`;
  const domain = wrongEnds[end] ? withoutEnd + wrongEnds[end] : typed;
  if (isCommon.has(domain)) return domain;
  const near = nearest(domain) ?? domain;
  return near === typed ? undefined : near;
}

/** The common domain that differs least from this one; undefined if none is near. */
function nearest(domain) {
  const [name, rest] = split(domain);
  let best;
  let least = Infinity;
  for (const [index, [otherName, otherRest]] of parts.entries()) {
    if (rest !== otherRest || name === otherName) continue;
    const edits = distance(name, otherName);
    if (edits < least && isNear(name, otherName, edits)) {
      least = edits;
      best = common[index];
    }
  }
  return best;
}

/** The shorter a name, the more other names differ from it by one letter. So do many that end with mail. */
function isNear(name, other, edits) {
  const isSwapped = edits === 1 && sorted(name) === sorted(other);
  if (other.length < 5) return isSwapped;
  const isLong = other.length >= 8 && !(name.endsWith('mail') && other.endsWith('mail'));
  return (isSwapped || name[0] === other[0]) && edits <= (isLong ? 2 : 1);
}

const sorted = (name) =>
  name
    .split('')
    .toSorted((a, b) => a.localeCompare(b))
    .join('');

/** Letters to insert, delete, replace or swap (optimal string alignment). */
function distance(one, other) {
  if (Math.abs(one.length - other.length) > 2) return Infinity;
  let [last, current] = [[], Array.from({ length: other.length + 1 }, (_, n) => n)];
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = one[i - 1] === other[j - 1] ? 0 : 1;
      next[j] = Math.min(current[j] + 1, next[j - 1] + 1, current[j - 1] + change);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        next[j] = Math.min(next[j], last[j - 2] + 1);
      }
    }
    [last, current] = [current, next];
  }
  return current[other.length];
}
