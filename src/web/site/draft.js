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
  /** The form itself is on its way, with everything on the page. */
  let isSubmitted = false;

  const showStatus = (text) => (status.textContent = text);

  async function save() {
    hasChanged = false;
    showStatus(form.dataset.saving);
    try {
      let answer = await send();
      if (answer.status === 403 && (await renewToken())) answer = await send();
      const draftPath = answer.headers.get('content-location');
      if (answer.ok && draftPath) {
        // A new draft can be loaded again from now on.
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
    const fields = new FormData(form);
    fields.delete('file');
    fields.set('go', 'autosave');
    const isMultipart = form.enctype === 'multipart/form-data';
    const body = isMultipart ? fields : new URLSearchParams(fields);
    return fetch(form.dataset.savedAt ?? form.action, {
      method: 'POST',
      body,
      // Goes on after the page was left; the browser takes 64 KiB so.
      keepalive: document.visibilityState === 'hidden',
    });
  }

  /** The token changes with a new login. */
  async function renewToken() {
    const page = await (await fetch(location.href)).text();
    const freshPage = new DOMParser().parseFromString(page, 'text/html');
    const token = freshPage.querySelector('form[data-draft] [name=_token]');
    const field = form.querySelector('[name=_token]');
    if (token && field) field.value = token.value;
    return token !== null && field !== null;
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
    if (!saving) {
      isSubmitted = true;
      return;
    }
    // An older save must not arrive after the form.
    event.preventDefault();
    const { submitter } = event;
    void saving.then(() => form.requestSubmit(submitter));
  });

  // The page was left, or the user is back after logging in again.
  addEventListener('visibilitychange', () => {
    if (hasChanged && !isSubmitted) void saveInTurn();
  });

  // Back from the next page, which the browser had kept.
  addEventListener('pageshow', () => (isSubmitted = false));
}

/** Why the form was not saved. */
function failureOf({ status, url }) {
  if (status === 422) return 'unsaved';
  const isLoggedOut = status === 401 || status === 403 || new URL(url).pathname === '/login';
  return isLoggedOut ? 'loggedOut' : 'failed';
}
