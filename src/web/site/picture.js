// Uploads pictures without leaving the page, and shows them once they are processed.

for (const form of document.querySelectorAll('form[data-upload]')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (isSending(form)) return;
    if (isUsable(form)) void send(form, form.action, new FormData(form));
  });
}

// A picture inside of a larger form is sent as soon as it is chosen.
for (const section of document.querySelectorAll('[data-upload-at]')) {
  const { form } = fileOf(section);
  let sending;
  fileOf(section).addEventListener('change', () => {
    if (!fileOf(section).files[0] || !isUsable(section)) return;
    const body = new FormData();
    body.set('_token', form.querySelector('[name="_token"]')?.value ?? '');
    body.set('file', fileOf(section).files[0]);
    body.set('image_alt', form.elements.imageAlt.value);
    sending = send(section, section.dataset.uploadAt, body);
  });
  form.addEventListener('submit', (event) => {
    if (!isSending(section)) return;
    // The form is sent once the picture has arrived; draft.js must not send it before.
    event.preventDefault();
    event.stopImmediatePropagation();
    const { submitter } = event;
    void sending.then(() => form.requestSubmit(submitter));
  });
}

const isSending = (part) => !part.querySelector('progress').hidden;

/** Whether the chosen file is small enough; shows why it is not. */
function isUsable(part) {
  const { size = 0 } = fileOf(part).files[0] ?? {};
  const isSmall = size <= Number(part.dataset.largest);
  if (!isSmall) showError(part, part.dataset.unusable);
  return isSmall;
}

/** Sends a picture, and shows the progress. Resolves when it was answered. */
function send(part, action, body) {
  const progress = part.querySelector('progress');
  const request = new XMLHttpRequest();
  const { promise, resolve } = Promise.withResolvers();
  request.open('POST', action);
  request.responseType = 'document';
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    progress.value = loaded / total;
  });
  request.addEventListener('loadend', () => {
    progress.hidden = true;
    const { status, response: page, responseURL: url } = request;
    const current = currentOf(part);
    const next = page?.getElementById(current.id);
    if (status !== 200) {
      const { upload } = part.dataset;
      const textOf = (id) => page?.getElementById(id)?.textContent;
      const error = textOf(errorOf(part).id) || textOf(`${upload}-alt-wrong`);
      showError(part, error || part.dataset.unsent);
    } else if (next) {
      history.replaceState(null, '', url);
      fileOf(part).value = '';
      if (part.reset) part.reset();
      replace(current, next);
      void poll(current);
    } else {
      // Redirected, for example to the login.
      location.assign(url);
    }
    resolve();
  });
  showError(part, '');
  progress.value = 0;
  progress.hidden = false;
  request.send(body);
  return promise;
}

function fileOf(part) {
  return part.querySelector('[name="file"]');
}

const currentOf = (part) => document.getElementById(`${part.dataset.upload}-shown`);
const errorOf = (part) => document.getElementById(`${part.dataset.upload}-wrong`);

function showError(part, text) {
  errorOf(part).textContent = text;
  fileOf(part).ariaInvalid = String(text !== '');
}

/** Replaces an element by that of a page that was just loaded. */
function replace(current, next) {
  for (const one of next.querySelectorAll('[data-without-script]')) one.hidden = true;
  current.replaceChildren(...next.childNodes);
  if (next.dataset.coming) current.dataset.coming = next.dataset.coming;
  else delete current.dataset.coming;
}

/** Polls every second until the picture is processed; after 30 attempts it shows a link for reloading. */
async function poll(current, attempts = 30) {
  const url = current.dataset.coming;
  if (!url) return;
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const answer = await fetch(url).catch(() => null);
  const text = answer?.ok ? await answer.text() : '';
  // Another picture was sent meanwhile.
  if (current.dataset.coming !== url) return;
  const next = new DOMParser().parseFromString(text, 'text/html').getElementById(current.id);
  if (next && !next.dataset.coming) replace(current, next);
  else if (attempts > 1) await poll(current, attempts - 1);
  else current.querySelector('[data-without-script]').hidden = false;
}

for (const one of document.querySelectorAll('[data-coming]')) void poll(one);
