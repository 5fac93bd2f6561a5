// The button that shares opens the share sheet of the device, where there is one. It is a link to WhatsApp elsewhere.
for (const button of document.querySelectorAll('[data-share]')) {
  if (navigator.share) button.addEventListener('click', (event) => void shareBy(button, event));
}

async function shareBy(button, event) {
  event.preventDefault();
  const { share, title, ownLink } = button.dataset;
  try {
    const url = ownLink ? await readOwnLink(ownLink) : share;
    await navigator.share({ title, url });
  } catch (error) {
    // The user has closed the sheet.
    if (error.name !== 'AbortError') location.assign(button.href);
  }
}

/** Creates the link of the user who is logged in, and counts the share. */
async function readOwnLink(path) {
  const answer = await fetch(path, { headers: { accept: 'text/plain' } });
  if (!answer.ok) throw new Error(`Status ${answer.status}`);
  return answer.text();
}
