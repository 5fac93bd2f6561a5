// The desk where scripts run: counts that move, uploads that show how far they are.

/** The number of signatures, kept as it is told. */
for (const place of document.querySelectorAll('[data-live]')) {
  const count = place.querySelector('[data-count]');
  const progress = place.querySelector('progress');
  const format = new Intl.NumberFormat(document.documentElement.lang);
  const show = ({ data }) => {
    const { signature_count: now } = JSON.parse(data);
    if (typeof now !== 'number') return;
    count.textContent = format.format(now);
    if (progress) progress.value = Math.min(now, progress.max);
  };
  const types = ['subscribed', 'signature.created', 'signature.removed'];
  globalThis.followWhileSeen(place.dataset.live, types, show);
}

for (const form of document.querySelectorAll('form[data-upload]')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const { size = 0 } = form.elements.file.files[0] ?? {};
    if (size > Number(form.dataset.largest)) tell(form, form.dataset.tooLarge);
    else send(form);
  });
}

/** Sends the form's file, and shows how much of it has arrived. */
function send(form) {
  const progress = form.querySelector('progress');
  const button = form.querySelector('button');
  const request = new XMLHttpRequest();
  request.open('POST', form.action);
  request.responseType = 'document';
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    progress.value = loaded / total;
  });
  request.addEventListener('loadend', () => {
    if (request.status === 200) {
      // The answer is the page that the form leads to.
      history.replaceState(null, '', request.responseURL);
      location.reload();
      return;
    }
    progress.hidden = true;
    button.disabled = false;
    const alert = request.response?.querySelector('main [role=alert]:not([hidden])');
    tell(form, alert?.textContent ?? form.dataset.tooLarge);
  });
  progress.hidden = false;
  progress.value = 0;
  button.disabled = true;
  form.querySelector('[role=alert]').hidden = true;
  request.send(new FormData(form));
}

function tell(form, text) {
  const alert = form.querySelector('[role=alert]');
  alert.textContent = text;
  alert.hidden = false;
}

// A picture is prepared within moments.
if (document.querySelector('[data-waiting]')) setTimeout(() => location.reload(), 1500);
