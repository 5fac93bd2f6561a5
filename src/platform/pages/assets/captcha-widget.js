// Shows the widget of the service that tells people from robots, from when somebody turns to the form: before
// that the service hears of nobody. Whoever sends the form without having solved it is shown where, and need
// not send it again. Where the service cannot be reached the form goes without, and ours says what to do.

const patience = 10_000;

for (const place of document.querySelectorAll('[data-captcha-widget]'))
  guard(place.closest('form'), place);

function guard(form, place) {
  const { script, api, parameters, working, waiting } = place.dataset;
  const scores = place.hasAttribute('data-scores');
  const [box, state] = place.children;
  const told = JSON.parse(parameters);
  /** What the service gave, until it is used or too old. */
  let token;
  /** The service is away: the form goes without. */
  let isAway = false;
  let loading;
  /** The widget, where there is one. */
  let widget;
  /** What was pressed before there was a token. */
  let sending;

  const send = () => {
    state.textContent = '';
    if (!sending) return;
    const { submitter } = sending;
    sending = undefined;
    // Later, since a form that is just being sent cannot be sent again.
    setTimeout(() => form.requestSubmit(submitter));
  };
  const take = (given) => {
    token = given;
    isAway = false;
    send();
  };
  const drop = () => (token = undefined);
  const renew = () => {
    drop();
    if (widget !== undefined) window[api].reset(widget);
  };
  const giveUp = () => {
    drop();
    isAway = true;
    send();
    // As Turnstile wants to hear of an error that was seen to.
    return true;
  };
  const show = () => {
    if (scores) return;
    const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
    widget = window[api].render(box, {
      ...told,
      theme: isDark ? 'dark' : 'light',
      // The narrowest of them takes 304 pixels.
      size: box.clientWidth < 304 ? 'compact' : 'normal',
      callback: take,
      'expired-callback': drop,
      'error-callback': giveUp,
    });
  };
  const loadAndShow = async () => {
    state.textContent = working;
    await within(patience, load(script));
    if (!sending) state.textContent = '';
    show();
  };
  const begin = () => {
    if (!loading) {
      loading = loadAndShow();
      loading.catch(giveUp);
    }
    return loading;
  };
  const askFor = async (submitter) => {
    sending = { submitter };
    state.textContent = waiting;
    try {
      await begin();
      // Also where it was shown before, and passed over.
      box.querySelector('iframe')?.focus();
      if (scores) {
        take(await within(patience, window[api].execute(told.sitekey, { action: 'sign' })));
      }
    } catch {
      giveUp();
    }
  };

  form.addEventListener('focusin', begin);
  form.addEventListener('submit', (event) => {
    if (token || isAway) return;
    event.preventDefault();
    if (!sending) void askFor(event.submitter);
  });
  form.addEventListener('formdata', ({ formData }) => {
    // Widgets add fields of their own, which say the same.
    const names = Array.from(formData.keys());
    for (const name of names) if (name.endsWith('-response')) formData.delete(name);
    if (!token) return;
    formData.set('recaptchaToken', token);
    renew();
  });
  // Whoever comes back to the page needs another, as one who was here all the time would have.
  addEventListener('pageshow', ({ persisted }) => persisted && renew());
}

/** Loads the script of the service, which calls back once it is ready. */
function load(address) {
  return new Promise((resolve, reject) => {
    window.captchaIsReady = resolve;
    const script = document.createElement('script');
    script.src = `${address}&onload=captchaIsReady`;
    script.addEventListener('error', reject);
    document.head.append(script);
  });
}

function within(milliseconds, promise) {
  const tooLate = new Promise((_, reject) => {
    setTimeout(() => reject(new Error('no answer in time')), milliseconds);
  });
  return Promise.race([promise, tooLate]);
}
