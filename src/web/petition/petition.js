// Keeps the count and the signers of a petition up to date while its page is visible.

const counter = document.querySelector('[data-counter]');
const { lang } = document.documentElement;
const numbers = new Intl.NumberFormat(lang);
const plurals = new Intl.PluralRules(lang);
const { count: forms, to_next: nextForms, reached } = JSON.parse(counter.dataset.texts);
/** The current goal, and those after it. */
const aims = JSON.parse(counter.dataset.aims);

const fill = (texts, count, values) => {
  const text = typeof texts === 'string' ? texts : (texts[plurals.select(count)] ?? texts.other);
  return text.replaceAll(/\{(\w+)\}/g, (_, name) => numbers.format(values[name]));
};

const showCount = (count) => {
  const text = fill(forms, count, { count });
  for (const one of document.querySelectorAll('[data-count]')) one.textContent = text;
  const progress = counter.querySelector('progress');
  const next = counter.querySelector('[data-next]');
  if (next) showAim(count, progress, next);
  if (progress) progress.value = Math.min(count, progress.max);
};

/** Moves to the next goal, and celebrates the one that was reached. */
const showAim = (count, progress, next) => {
  let milestone;
  while (count >= aims[0] && aims.length > 1) milestone = aims.shift();
  const [aim] = aims;
  progress.max = aim;
  next.hidden = count >= aim;
  next.textContent = fill(nextForms, aim - count, { count: aim - count, milestone: aim });
  if (milestone === undefined) return;
  const celebration = counter.querySelector('[data-reached]');
  celebration.textContent = fill(reached, milestone, { milestone });
  celebration.classList.add('new');
  celebration.addEventListener('animationend', () => celebration.classList.remove('new'), {
    once: true,
  });
};

const list = document.querySelector('[data-signers]');
/** As many as the server renders. */
const maxSigners = 8;
const element = (name, properties, ...children) => {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
};
const showSigner = ({ id, user, comment, display_location: place }) => {
  if (list.querySelector(`[data-id="${id}"]`)) return;
  const name = user?.display_name ?? list.dataset.somebody;
  const nameText = element('bdi', { textContent: name });
  const nameLink = user ? element('a', { href: `/u/${user.slug}` }, nameText) : nameText;
  const signer = element('strong', {}, nameLink);
  const placeText = element('bdi', { className: 'quiet', textContent: place ?? '' });
  const content = element('div', {}, element('p', { className: 'small' }, signer, ' ', placeText));
  if (comment)
    content.append(element('p', { className: 'text', dir: 'auto', textContent: comment }));
  const initial = element('span', {
    className: 'avatar',
    ariaHidden: 'true',
    textContent: user ? Array.from(name.trim())[0].toUpperCase() : '–',
  });
  const item = element('li', { className: 'comment' }, initial, content);
  item.dataset.id = id;
  list.prepend(item);
  while (list.children.length > maxSigners) list.lastElementChild.remove();
};

const update = ({ type, data }) => {
  const message = JSON.parse(data);
  if (message.signature_count !== undefined) showCount(message.signature_count);
  if (list) for (const one of (message.signatures ?? []).toReversed()) showSigner(one);
  if (type.startsWith('petition.')) counter.querySelector('[data-changed]').hidden = false;
};

if (counter.dataset.live) {
  const code = new URLSearchParams(location.search).get('access_code');
  const query = code ? `?access_code=${encodeURIComponent(code)}` : '';
  const types = [
    'subscribed',
    'signature.created',
    'signature.removed',
    'petition.closed',
    'petition.victory',
  ];
  globalThis.followWhileSeen(counter.dataset.live + query, types, update);
}

// The bar with the button that leads to the form hides while the form is in view.
const bar = document.querySelector('[data-sign-bar]');
const box = document.querySelector('#sign');
if (bar && box) {
  new IntersectionObserver(([entry]) => {
    bar.hidden = entry.isIntersecting;
  }).observe(box);
}

// Sends the referring site with the signature, unless the address named a source.
const form = document.querySelector('#sign form');
if (form && !form.elements.source && document.referrer) {
  const { host } = new URL(document.referrer);
  if (host !== location.host) {
    form.append(element('input', { type: 'hidden', name: 'source', value: host }));
  }
}
