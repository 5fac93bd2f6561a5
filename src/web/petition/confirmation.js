// Notices that the signature was confirmed elsewhere, by the link in the mail: then the page is loaded again, and says so.

const intervalMs = 4000;
const maxChecks = 450;

const isWaiting = (html) => html.includes('data-awaits-confirmation');

let checks = 0;
const timer = setInterval(async () => {
  if (document.hidden) return;
  checks += 1;
  if (checks >= maxChecks) clearInterval(timer);
  // Nothing that was typed is lost.
  if (document.querySelector('input[name="code"]')?.value) return;
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (answer.ok && !isWaiting(await answer.text())) location.reload();
  } catch {
    // The network is away. The next check may find it.
  }
}, intervalMs);
