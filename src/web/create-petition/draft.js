// Saves drafts while they are written.

/** Time without input after which a draft is saved. */
const idleMs = 1200;

for (const form of document.querySelectorAll('form[data-draft]')) autosave(form);

function autosave(form) {
  const status = form.querySelector('[data-draft-status]');
  let timer;
  /** The save in progress. */
  let saving;
  let hasChanged = false;

  const showStatus = (text) => (status.textContent = text);

  async function save() {
    hasChanged = false;
    showStatus(form.dataset.saving);
    try {
      let answer = await send();
      if (answer.status === 403 && (await renewToken())) answer = await send();
      const draftPath = answer.headers.get('content-location');
      if (answer.ok && draftPath) {
        // A new draft has an address from now on.
        form.action = draftPath;
        history.replaceState(null, '', draftPath);
        showStatus(form.dataset.saved);
      } else {
        hasChanged = answer.status !== 422;
        showStatus(form.dataset[failureOf(answer)]);
      }
    } catch {
      hasChanged = true;
      showStatus(form.dataset.offline);
    }
  }

  function send() {
    const body = new URLSearchParams(new FormData(form));
    body.set('go', 'autosave');
    return fetch(form.action, { method: 'POST', body });
  }

  /** The token changes with a new login. */
  async function renewToken() {
    const page = await (await fetch(location.href)).text();
    const freshPage = new DOMParser().parseFromString(page, 'text/html');
    const token = freshPage.querySelector('form[data-draft] [name=_token]');
    if (token) form.querySelector('[name=_token]').value = token.value;
    return token !== null;
  }

  async function saveInTurn() {
    clearTimeout(timer);
    await saving;
    saving = save();
    await saving;
    saving = undefined;
  }

  form.addEventListener('input', () => {
    hasChanged = true;
    clearTimeout(timer);
    timer = setTimeout(() => void saveInTurn(), idleMs);
  });

  form.addEventListener('submit', (event) => {
    clearTimeout(timer);
    if (!saving) return;
    // Submitting during the first save would create a second draft.
    event.preventDefault();
    const { submitter } = event;
    void saving.then(() => form.requestSubmit(submitter));
  });

  // The page was left, or the user is back after logging in again.
  addEventListener('visibilitychange', () => {
    if (hasChanged) void saveInTurn();
  });
}

/** Why the form was not saved. */
function failureOf({ status, url }) {
  if (status === 422) return 'unsaved';
  const isLoggedOut = status === 401 || status === 403 || new URL(url).pathname === '/login';
  return isLoggedOut ? 'loggedOut' : 'failed';
}
