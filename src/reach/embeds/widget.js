// Runs in the embedded page of a petition: updates its count and posts its height to the parent page.
{
  const { slug, events, nouns } = document.body.dataset;
  const { lang } = document.documentElement;
  const nounFor = JSON.parse(nouns);
  const formFor = new Intl.PluralRules(lang);
  const part = (name) => document.querySelector(`[data-${name}]`);

  let height = 0;
  const postHeight = () => parent.postMessage({ type: 'petition:resize', slug, height }, '*');
  new ResizeObserver(() => {
    const now = Math.ceil(document.documentElement.getBoundingClientRect().height);
    if (now === height) return;
    height = now;
    postHeight();
  }).observe(document.documentElement);
  // embed.js can load after this page; it then asks for the height that it missed.
  addEventListener('message', ({ data }) => {
    if (data?.type === 'petition:measure') postHeight();
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
