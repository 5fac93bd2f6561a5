// Runs in the embedded page of a petition: updates its count and posts its height to the parent page.
{
  const { slug, events, nouns } = document.body.dataset;
  const { lang } = document.documentElement;
  const nounFor = JSON.parse(nouns);
  const formFor = new Intl.PluralRules(lang);
  const part = (name) => document.querySelector(`[data-${name}]`);

  // WordPress adds `#?secret=…` to the address of the frame, and takes only messages that repeat it.
  const wordPressSecret = () => /[?&]secret=([\da-z]+)/i.exec(location.hash)?.[1];
  const postToWordPress = (message, value) => {
    const secret = wordPressSecret();
    if (secret) parent.postMessage({ message, value, secret }, '*');
  };

  let height = 0;
  const postHeight = () => {
    parent.postMessage({ type: 'petition:resize', slug, height }, '*');
    postToWordPress('height', height);
  };
  const measure = () => {
    const now = Math.ceil(document.documentElement.getBoundingClientRect().height);
    if (now === height) return;
    height = now;
    postHeight();
  };
  // At once, since browsers do not run observers in frames that are out of sight.
  measure();
  new ResizeObserver(measure).observe(document.documentElement);
  // The scripts of embed.js and WordPress can load after this page; they then ask for the height that they missed.
  addEventListener('message', ({ data }) => {
    if (data?.type === 'petition:measure' || data?.message === 'ready') postHeight();
  });
  addEventListener('hashchange', postHeight);

  // The sandbox of WordPress opens no windows, so its page follows the link.
  addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href]');
    const opensElsewhere = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
    if (!link || opensElsewhere || !wordPressSecret()) return;
    event.preventDefault();
    postToWordPress('link', link.href);
  });

  const showCount = (count) => {
    part('count').textContent = count.toLocaleString(lang);
    part('noun').textContent = nounFor[formFor.select(count)] ?? nounFor.other;
    const progress = document.querySelector('progress');
    if (progress) progress.value = count;
  };
  const showStatus = (status) => {
    for (const element of document.querySelectorAll('[data-when]')) {
      element.hidden = element.dataset.when !== status;
    }
  };

  const onMessage = ({ type, data }) => {
    showCount(JSON.parse(data).signature_count);
    if (type === 'petition.closed') showStatus('closed');
    if (type === 'petition.victory') showStatus('victory');
  };
  const types = [
    'subscribed',
    'signature.created',
    'signature.removed',
    'petition.closed',
    'petition.victory',
  ];
  let isInView = false;
  const follow = globalThis.followWhileSeen(events, types, onMessage, () => isInView);
  new IntersectionObserver((entries) => {
    isInView = entries.at(-1).isIntersecting;
    follow();
  }).observe(document.documentElement);
}
