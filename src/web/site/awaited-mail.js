// Notices that what a mail was sent for was confirmed elsewhere, by its link, or that the mail came back: then the page is
// loaded again, and says so.

const intervalMs = 4000;
/** A mail server that knows no such mailbox says so within a second or two. */
const firstDelaysMs = [1000, 1000, 2000];
const maxChecks = 450;

const isWaiting = (html) => html.includes('data-awaits-confirmation');

let checks = 0;

const schedule = () => {
  if (checks < maxChecks) setTimeout(check, firstDelaysMs[checks] ?? intervalMs);
};

async function check() {
  checks += document.hidden ? 0 : 1;
  // Nothing that was typed is lost.
  if (!document.hidden && !document.querySelector('input[name="code"]')?.value) {
    try {
      const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
      if (answer.ok && !isWaiting(await answer.text())) {
        location.reload();
        return;
      }
    } catch {
      // The network is away. The next check may find it.
    }
  }
  schedule();
}

schedule();
