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
    const body = new URLSearchParams(new FormData(form));
    body.set('go', 'itself');
    try {
      const answer = await fetch(form.action, { method: 'POST', body, redirect: 'manual' });
      const place = answer.headers.get('content-location');
      if (answer.ok && place) {
        // A new draft has an address of its own from now on.
        form.action = place;
        history.replaceState(null, '', place);
        say(form.dataset.saved);
      } else {
        say(answer.status === 422 ? form.dataset.unsaved : form.dataset.offline);
      }
    } catch {
      say(form.dataset.offline);
    }
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

  addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden' && changed) void saveInTurn();
  });
}
