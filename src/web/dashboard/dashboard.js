// Keeps the count of signatures on the dashboard up to date.
for (const place of document.querySelectorAll('[data-live]')) {
  const count = place.querySelector('[data-count]');
  const progress = place.querySelector('progress');
  const format = new Intl.NumberFormat(document.documentElement.lang);
  const show = ({ data }) => {
    const { signature_count: now } = JSON.parse(data);
    if (typeof now !== 'number') return;
    count.textContent = format.format(now);
    if (progress) progress.value = Math.min(now, progress.max);
  };
  const types = ['subscribed', 'signature.created', 'signature.removed'];
  globalThis.followWhileSeen(place.dataset.live, types, show);
}
