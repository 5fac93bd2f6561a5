// Drafts save themselves while they are written.

/** Milliseconds without a key pressed. */
const pause = 1200;

for (const form of document.querySelectorAll('form[data-draft]')) keep(form);

function keep(form) {
  const status = form.querySelector('[data-draft-status]');
  let timer;
  /** The saving that is under way, if one is. */
  let saving;
  let changed = false;

  const say = (text) => (status.textContent = text);

  async function save() {
    changed = false;
    say(form.dataset.saving);
    try {
      let answer = await send();
      if (answer.status === 403 && (await renewToken())) answer = await send();
      const place = answer.headers.get('content-location');
      if (answer.ok && place) {
        // A new draft has an address of its own from now on.
        form.action = place;
        history.replaceState(null, '', place);
        say(form.dataset.saved);
      } else {
        changed = answer.status !== 422;
        say(form.dataset[faultOf(answer)]);
      }
    } catch {
      changed = true;
      say(form.dataset.offline);
    }
  }

  function send() {
    const body = new URLSearchParams(new FormData(form));
    body.set('go', 'itself');
    return fetch(form.action, { method: 'POST', body });
  }

  /** Who was logged out and is back has another token. */
  async function renewToken() {
    const page = await (await fetch(location.href)).text();
    const now = new DOMParser().parseFromString(page, 'text/html');
    const token = now.querySelector('form[data-draft] [name=_token]');
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
    changed = true;
    clearTimeout(timer);
    timer = setTimeout(() => void saveInTurn(), pause);
  });

  form.addEventListener('submit', (event) => {
    clearTimeout(timer);
    if (!saving) return;
    // What is being stored must not be stored once more as another draft.
    event.preventDefault();
    const { submitter } = event;
    void saving.then(() => form.requestSubmit(submitter));
  });

  // When it is left; or come back to, after logging in again.
  addEventListener('visibilitychange', () => {
    if (changed) void saveInTurn();
  });
}

/** Why the form was not saved. */
function faultOf({ status, url }) {
  if (status === 422) return 'unsaved';
  const isLoggedOut = status === 401 || status === 403 || new URL(url).pathname === '/login';
  return isLoggedOut ? 'loggedOut' : 'failed';
}
