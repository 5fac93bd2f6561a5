// Shows the widget of a CAPTCHA service. Loads its script when the form gets focus, so that the service learns of no
// other visitors. A form that is submitted without a token is submitted again once the widget is solved. If the
// service is unavailable, the form is sent without a token, and the server decides.

const timeoutMs = 10_000;

for (const place of document.querySelectorAll('[data-captcha-widget]'))
  protect(place.closest('form'), place);

function protect(form, place) {
  const { script, api, parameters, working, waiting } = place.dataset;
  const isInvisible = place.hasAttribute('data-scores');
  const [box, state] = place.children;
  const options = JSON.parse(parameters);
  /** Of the service, until it is used or expires. */
  let token;
  /** The service is unavailable. */
  let isUnavailable = false;
  let loading;
  /** Id of the rendered widget. */
  let widget;
  /** A submit that waits for a token. */
  let pendingSubmit;

  const send = () => {
    state.textContent = '';
    if (!pendingSubmit) return;
    const { submitter } = pendingSubmit;
    pendingSubmit = undefined;
    // Deferred: a form cannot be submitted while it is being submitted.
    setTimeout(() => form.requestSubmit(submitter));
  };
  const setToken = (newToken) => {
    token = newToken;
    isUnavailable = false;
    send();
  };
  const clearToken = () => (token = undefined);
  const reset = () => {
    clearToken();
    if (widget !== undefined) window[api].reset(widget);
  };
  const giveUp = () => {
    clearToken();
    isUnavailable = true;
    send();
    // Turnstile: the error was handled.
    return true;
  };
  const render = () => {
    if (isInvisible) return;
    const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
    widget = window[api].render(box, {
      ...options,
      theme: isDark ? 'dark' : 'light',
      // The narrowest normal widget is 304 pixels wide.
      size: box.clientWidth < 304 ? 'compact' : 'normal',
      callback: setToken,
      'expired-callback': clearToken,
      'error-callback': giveUp,
    });
  };
  const loadAndRender = async () => {
    state.textContent = working;
    await withTimeout(timeoutMs, load(script));
    if (!pendingSubmit) state.textContent = '';
    render();
  };
  const start = () => {
    if (!loading) {
      loading = loadAndRender();
      loading.catch(giveUp);
    }
    return loading;
  };
  const solveThenSubmit = async (submitter) => {
    pendingSubmit = { submitter };
    state.textContent = waiting;
    try {
      await start();
      // The widget may have been skipped before.
      box.querySelector('iframe')?.focus();
      if (isInvisible) {
        setToken(
          await withTimeout(timeoutMs, window[api].execute(options.sitekey, { action: 'sign' })),
        );
      }
    } catch {
      giveUp();
    }
  };

  form.addEventListener('focusin', start);
  form.addEventListener('submit', (event) => {
    if (token || isUnavailable) return;
    event.preventDefault();
    if (!pendingSubmit) void solveThenSubmit(event.submitter);
  });
  form.addEventListener('formdata', ({ formData }) => {
    // Widgets add response fields of their own.
    const names = Array.from(formData.keys());
    for (const name of names) if (name.endsWith('-response')) formData.delete(name);
    if (!token) return;
    formData.set('recaptchaToken', token);
    reset();
  });
  // A page restored from the back/forward cache needs a new token.
  addEventListener('pageshow', ({ persisted }) => persisted && reset());
}

/** Loads the script of the service; resolves once it calls back. */
function load(address) {
  return new Promise((resolve, reject) => {
    window.captchaIsReady = resolve;
    const script = document.createElement('script');
    script.src = `${address}&onload=captchaIsReady`;
    script.addEventListener('error', reject);
    document.head.append(script);
  });
}

function withTimeout(ms, promise) {
  const timeout = new Promise((_, reject) => {
    setTimeout(() => reject(new Error('no answer in time')), ms);
  });
  return Promise.race([promise, timeout]);
}
