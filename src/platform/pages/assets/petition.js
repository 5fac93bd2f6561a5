// Keeps the count of a petition live while its page is looked at, and puts new signers on top.

const live = document.querySelector('[data-counter]');
const { lang } = document.documentElement;
const numbers = new Intl.NumberFormat(lang);
const plurals = new Intl.PluralRules(lang);
const { forms, nextForms } = JSON.parse(live.dataset.texts);

const fill = (texts, count, values) => {
  const text = typeof texts === 'string' ? texts : (texts[plurals.select(count)] ?? texts.other);
  return text.replaceAll(/\{(\w+)\}/g, (_, name) => numbers.format(values[name]));
};

const showCount = (count) => {
  live.querySelector('[data-count]').textContent = fill(forms, count, { count });
  const progress = live.querySelector('progress');
  if (progress) progress.value = Math.min(count, progress.max);
  const next = live.querySelector('[data-next]');
  if (!next) return;
  const milestone = Number(next.dataset.next);
  next.hidden = count >= milestone;
  next.textContent = fill(nextForms, milestone - count, { count: milestone - count, milestone });
};

// As many as the page came with, so that a surge does not make it ever longer.
const list = document.querySelector('[data-signers]');
const most = 8;
const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};
const showSigner = ({ id, user, comment, display_location: place }) => {
  if (list.querySelector(`[data-id="${id}"]`)) return;
  const name = user?.display_name ?? list.dataset.somebody;
  const called = element('bdi', { textContent: name });
  const named = user ? element('a', { href: `/u/${user.slug}` }, called) : called;
  const who = element('strong', {}, named);
  const where = element('bdi', { className: 'quiet', textContent: place ?? '' });
  const words = element('div', {}, element('p', { className: 'small' }, who, ' ', where));
  if (comment) words.append(element('p', { className: 'text', dir: 'auto', textContent: comment }));
  const letter = element('span', {
    className: 'avatar',
    ariaHidden: 'true',
    textContent: user ? Array.from(name.trim())[0].toUpperCase() : '–',
  });
  const item = element('li', { className: 'comment' }, letter, words);
  item.dataset.id = id;
  list.prepend(item);
  while (list.children.length > most) list.lastElementChild.remove();
};

const take = ({ type, data }) => {
  const message = JSON.parse(data);
  if (message.signature_count !== undefined) showCount(message.signature_count);
  if (list) for (const one of (message.signatures ?? []).toReversed()) showSigner(one);
  if (type.startsWith('petition.')) live.querySelector('[data-changed]').hidden = false;
};

if (live.dataset.live) {
  const code = new URLSearchParams(location.search).get('access_code');
  const query = code ? `?access_code=${encodeURIComponent(code)}` : '';
  const types = [
    'subscribed',
    'signature.created',
    'signature.removed',
    'petition.closed',
    'petition.victory',
  ];
  globalThis.followWhileSeen(live.dataset.live + query, types, take);
}

// Whence the visitor came goes with the signature, unless the address said so.
const form = document.querySelector('#sign form');
if (form && !form.elements.source && document.referrer) {
  const { host } = new URL(document.referrer);
  if (host !== location.host) {
    form.append(element('input', { type: 'hidden', name: 'source', value: host }));
  }
}
