// Runs in the embedded page of a petition: keeps its count live, and tells the page around it its height.
{
  const { slug, events, nouns } = document.body.dataset;
  const { lang } = document.documentElement;
  const nounFor = JSON.parse(nouns);
  const formFor = new Intl.PluralRules(lang);
  const one = (name) => document.querySelector(`[data-${name}]`);

  let height = 0;
  const tellHeight = () => parent.postMessage({ type: 'petition:resize', slug, height }, '*');
  new ResizeObserver(() => {
    const now = Math.ceil(document.documentElement.getBoundingClientRect().height);
    if (now === height) return;
    height = now;
    tellHeight();
  }).observe(document.documentElement);
  // embed.js may come later than this page, and then has missed what was told.
  addEventListener('message', ({ data }) => {
    if (data?.type === 'petition:measure') tellHeight();
  });

  const showCount = (count) => {
    one('count').textContent = count.toLocaleString(lang);
    one('noun').textContent = nounFor[formFor.select(count)] ?? nounFor.other;
    const progress = document.querySelector('progress');
    if (progress) progress.value = count;
  };
  const showStatus = (status) => {
    for (const part of document.querySelectorAll('[data-when]')) {
      part.hidden = part.dataset.when !== status;
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
