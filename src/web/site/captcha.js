// Computes the proof of work of a form when it gets focus, so that it is ready before the form is submitted. If it
// fails, the form is sent without one, and the server decides.

for (const state of document.querySelectorAll('[data-captcha]'))
  prove(state.closest('form'), state);

function prove(form, state) {
  const { captcha: address, worker, working, waiting, done } = state.dataset;
  /** The token, and the time in ms at which it expires. */
  let proof;
  let solving;
  /** A submit that waits for the solution. */
  let pendingSubmit;

  const isReady = () => proof !== undefined && Date.now() < proof.expiresAt;
  const solve = async () => {
    state.textContent = working;
    try {
      proof = await solveAt(address, worker);
      state.textContent = done;
    } catch {
      proof = undefined;
      state.textContent = '';
    }
    solving = undefined;
  };
  const start = () => {
    if (!isReady()) solving ??= solve();
    return solving;
  };
  const submitOnceSolved = async (submitter) => {
    const solved = start();
    state.textContent = waiting;
    await solved;
    form.requestSubmit(submitter);
    pendingSubmit = undefined;
  };

  form.addEventListener('focusin', start);
  form.addEventListener('submit', (event) => {
    if (isReady() || (pendingSubmit && !solving)) return;
    event.preventDefault();
    pendingSubmit ??= submitOnceSolved(event.submitter);
  });
  form.addEventListener('formdata', ({ formData }) => {
    if (isReady()) formData.set('recaptchaToken', proof.token);
  });
  // A page restored from the back/forward cache has used its solution.
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    proof = undefined;
    state.textContent = '';
  });
}

async function solveAt(address, worker) {
  const startedAt = Date.now();
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  const challenge = await answer.json();
  // By the server's clock, since that of the browser may be wrong; leaves a minute for sending the form.
  const lifetimeMs = challenge.parameters.expiresAt * 1000 - Date.parse(answer.headers.get('date'));
  const solution = await work(challenge, worker);
  const token = btoa(JSON.stringify({ challenge, solution }));
  return { token, expiresAt: startedAt + lifetimeMs - 60_000 };
}

function work(challenge, script) {
  const worker = new Worker(script);
  const solution = new Promise((resolve, reject) => {
    worker.addEventListener('message', ({ data }) =>
      data?.derivedKey ? resolve(data) : reject(new Error('no solution')),
    );
    worker.addEventListener('error', reject);
    // Workers have no target origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage({ type: 'work', challenge });
  });
  return solution.finally(() => worker.terminate());
}
