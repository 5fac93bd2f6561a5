// Uploads pictures without leaving the page, and shows them once they are processed.

for (const form of document.querySelectorAll('[data-upload]')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!form.querySelector('progress').hidden) return;
    const { size = 0 } = form.elements.file.files[0] ?? {};
    if (size > Number(form.dataset.largest)) showError(form, form.dataset.unusable);
    else send(form);
  });
}

/** Sends the file of the form, and shows the progress. */
function send(form) {
  const progress = form.querySelector('progress');
  const request = new XMLHttpRequest();
  request.open('POST', form.action);
  request.responseType = 'document';
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    progress.value = loaded / total;
  });
  request.addEventListener('loadend', () => {
    progress.hidden = true;
    const { status, response: page, responseURL: url } = request;
    const current = currentOf(form);
    const next = page?.getElementById(current.id);
    if (status !== 200) {
      const { upload } = form.dataset;
      const textOf = (id) => page?.getElementById(id)?.textContent;
      const error = textOf(errorOf(form).id) || textOf(`${upload}-alt-wrong`);
      showError(form, error || form.dataset.unsent);
    } else if (next) {
      history.replaceState(null, '', url);
      form.reset();
      replace(current, next);
      void poll(current);
    } else {
      // Redirected, for example to the login.
      location.assign(url);
    }
  });
  showError(form, '');
  progress.value = 0;
  progress.hidden = false;
  request.send(new FormData(form));
}

const currentOf = (form) => document.getElementById(`${form.dataset.upload}-shown`);
const errorOf = (form) => document.getElementById(`${form.dataset.upload}-wrong`);

function showError(form, text) {
  errorOf(form).textContent = text;
  form.elements.file.ariaInvalid = String(text !== '');
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
