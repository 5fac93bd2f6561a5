// Pictures are sent without leaving the page, and shown there once they are prepared.

for (const form of document.querySelectorAll('[data-upload]')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!form.querySelector('progress').hidden) return;
    const { size = 0 } = form.elements.file.files[0] ?? {};
    if (size > Number(form.dataset.largest)) tell(form, form.dataset.unusable);
    else send(form);
  });
}

/** Sends the form's file, and shows how much of it has arrived. */
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
    const { status, response: page, responseURL: address } = request;
    const shown = shownOf(form);
    const now = page?.getElementById(shown.id);
    if (status !== 200) {
      const wrong = page?.getElementById(wrongOf(form).id)?.textContent;
      tell(form, wrong || form.dataset.unsent);
    } else if (now) {
      history.replaceState(null, '', address);
      form.reset();
      show(shown, now);
      void follow(shown);
    } else {
      // It led elsewhere, such as to the login.
      location.assign(address);
    }
  });
  tell(form, '');
  progress.value = 0;
  progress.hidden = false;
  request.send(new FormData(form));
}

const shownOf = (form) => document.getElementById(`${form.dataset.upload}-shown`);
const wrongOf = (form) => document.getElementById(`${form.dataset.upload}-wrong`);

function tell(form, text) {
  wrongOf(form).textContent = text;
  form.elements.file.ariaInvalid = String(text !== '');
}

/** Shows what a page that was just loaded has in this place. */
function show(shown, now) {
  for (const one of now.querySelectorAll('[data-without-script]')) one.hidden = true;
  shown.replaceChildren(...now.childNodes);
  if (now.dataset.coming) shown.dataset.coming = now.dataset.coming;
  else delete shown.dataset.coming;
}

/** Looks whether a picture is prepared, which takes moments, until whoever waits may look themselves. */
async function follow(shown, looks = 30) {
  const address = shown.dataset.coming;
  if (!address) return;
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const answer = await fetch(address).catch(() => null);
  const text = answer?.ok ? await answer.text() : '';
  // Another picture was sent meanwhile.
  if (shown.dataset.coming !== address) return;
  const now = new DOMParser().parseFromString(text, 'text/html').getElementById(shown.id);
  if (now && !now.dataset.coming) show(shown, now);
  else if (looks > 1) await follow(shown, looks - 1);
  else shown.querySelector('[data-without-script]').hidden = false;
}

for (const shown of document.querySelectorAll('[data-coming]')) void follow(shown);
