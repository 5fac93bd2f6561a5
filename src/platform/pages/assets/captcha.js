// Does the proof of work of a form by itself, from when somebody turns to the form, so that sending it waits
// for nothing. Where it cannot be done the form goes without, and the service says what to do.

for (const state of document.querySelectorAll('[data-captcha]'))
  prove(state.closest('form'), state);

function prove(form, state) {
  const { captcha: address, worker, working, waiting, done } = state.dataset;
  /** The solution, and until when it counts. */
  let proof;
  let solving;
  /** What was pressed before there was a solution. */
  let sending;

  const isReady = () => proof !== undefined && Date.now() < proof.until;
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
  const begin = () => {
    if (!isReady()) solving ??= solve();
    return solving;
  };
  const sendOnceSolved = async (submitter) => {
    const solved = begin();
    state.textContent = waiting;
    await solved;
    form.requestSubmit(submitter);
    sending = undefined;
  };

  form.addEventListener('focusin', begin);
  form.addEventListener('submit', (event) => {
    if (isReady() || (sending && !solving)) return;
    event.preventDefault();
    sending ??= sendOnceSolved(event.submitter);
  });
  form.addEventListener('formdata', ({ formData }) => {
    if (isReady()) formData.set('recaptchaToken', proof.token);
  });
  // Whoever comes back to the page has used the solution.
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    proof = undefined;
    state.textContent = '';
  });
}

async function solveAt(address, worker) {
  const begun = Date.now();
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  const challenge = await answer.json();
  // By the clock of the service, as that of the browser may be wrong; with a minute for sending the form.
  const lifetime = challenge.parameters.expiresAt * 1000 - Date.parse(answer.headers.get('date'));
  const solution = await work(challenge, worker);
  const token = btoa(JSON.stringify({ challenge, solution }));
  return { token, until: begun + lifetime - 60_000 };
}

function work(challenge, script) {
  const worker = new Worker(script);
  const solution = new Promise((resolve, reject) => {
    worker.addEventListener('message', ({ data }) =>
      data?.derivedKey ? resolve(data) : reject(new Error('there is no solution')),
    );
    worker.addEventListener('error', reject);
    // A worker has no origin to be named.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage({ type: 'work', challenge });
  });
  return solution.finally(() => worker.terminate());
}
