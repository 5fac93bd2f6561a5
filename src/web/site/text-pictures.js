// Pictures in texts: uploads one, waits until it is processed, and inserts it with what it shows.

for (const panel of document.querySelectorAll('[data-text-pictures]')) enhance(panel);

function enhance(panel) {
  const editor = panel.closest('.editor');
  const opener = editor.querySelector('[data-act=picture]');
  const [file, shows] = panel.querySelectorAll('input');
  const status = panel.querySelector('[role=status]');
  const { dataset } = panel;
  /** The address of the picture, once it is ready; undefined if it is not or cannot be. */
  let address;
  /** Counts the chosen files: answers about earlier ones are ignored. */
  let turn = 0;

  function show(isOpen) {
    panel.hidden = !isOpen;
    opener.ariaExpanded = String(isOpen);
    if (isOpen) {
      file.focus();
      return;
    }
    turn += 1;
    address = undefined;
    file.value = '';
    shows.value = '';
    status.textContent = '';
  }

  async function upload() {
    turn += 1;
    const current = turn;
    const say = (text) => {
      if (turn === current) status.textContent = text;
    };
    address = undefined;
    const chosen = file.files[0];
    if (!chosen) return say('');
    if (chosen.size > Number(dataset.largest)) return say(dataset.unusable);
    say(dataset.sending);
    let answer = await send(dataset.textPictures, { kind: dataset.kind, file: chosen });
    // A picture takes seconds; a busy service may need a minute.
    for (let attempts = 0; isComing(answer) && attempts < 90; attempts += 1) {
      if (turn !== current) return undefined;
      say(dataset.pending);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const path = `${dataset.textPictures}/status`;
      const next = await send(path, { media: answer.media }, 'urlencoded');
      // Another attempt follows where the service did not answer.
      if (next.status) answer = next;
    }
    if (turn !== current) return undefined;
    address = answer.address;
    if (answer.status === 'ready') return say(dataset.ready);
    if (answer.status === 'failed') return say(dataset.failed);
    return say(answer.isRefused ? dataset.unusable : dataset.unsent);
  }

  /** Sends a form, and returns what the service says about the picture. */
  async function send(path, fields, encoding) {
    const body = encoding === 'urlencoded' ? new URLSearchParams() : new FormData();
    const token = panel.closest('form').querySelector('[name=_token]');
    if (token) body.set('_token', token.value);
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    const answer = await fetch(path, { method: 'POST', body }).catch(() => null);
    if (!answer?.ok) return { isRefused: answer?.status === 413 || answer?.status === 422 };
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    return { ...page.querySelector('[data-media]')?.dataset };
  }

  function insert() {
    if (!file.files[0]) {
      status.textContent = dataset.fileMissing;
      file.focus();
    } else if (shows.value.trim() === '') {
      status.textContent = dataset.showsMissing;
      shows.focus();
    } else if (address) {
      const text = shows.value.trim().replaceAll(/[\\[\]]/g, String.raw`\$&`);
      const detail = `![${text}](${address})`;
      show(false);
      editor.dispatchEvent(new CustomEvent('insert', { detail }));
    }
  }

  opener.ariaExpanded = 'false';
  opener.addEventListener('click', () => show(panel.hidden));
  file.addEventListener('change', () => void upload());
  panel.querySelector('[data-act=insert]').addEventListener('click', insert);
  panel.querySelector('[data-act=cancel]').addEventListener('click', () => {
    show(false);
    opener.focus();
  });
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      show(false);
      opener.focus();
    } else if (event.key === 'Enter' && event.target === shows) {
      // It would send the form around the panel.
      event.preventDefault();
      insert();
    }
  });
  // Drafts are saved after input in the form; these fields are no part of it.
  panel.addEventListener('input', (event) => event.stopPropagation());
}

const isComing = ({ status }) => ['pending', 'uploaded', 'processing'].includes(status);
