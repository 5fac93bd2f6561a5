// Shows a new picture as soon as it is prepared.
const nameOfIt = '[data-coming]';
let left = 30;
async function lookAgain() {
  const shown = document.querySelector(nameOfIt);
  if (!shown || left-- === 0) return;
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null);
  const text = answer?.ok ? await answer.text() : '';
  const now = new DOMParser().parseFromString(text, 'text/html').getElementById(shown.id);
  if (now) {
    for (const one of now.querySelectorAll('[data-without-script]')) one.hidden = true;
    if (!now.matches(nameOfIt)) shown.replaceWith(now);
  }
  setTimeout(lookAgain, 1000);
}
setTimeout(lookAgain, 500);
