// Keys that move between reports and choose what to do with one. They send nothing.

const reports = [...document.querySelectorAll('[data-report]')];
const help = document.querySelector('[data-report-keys]');
const isOn = help?.querySelector('input');
const storageKey = 'report-keys';

// Storage may be blocked: then the keys are on.
const stored = () => {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
};
if (isOn) {
  isOn.checked = stored() !== 'off';
  isOn.addEventListener('change', () => {
    try {
      localStorage.setItem(storageKey, isOn.checked ? 'on' : 'off');
    } catch {
      // It holds for this page.
    }
  });
}

/** The report that has the focus; the only one, if there is no other. */
const current = () =>
  document.activeElement?.closest('[data-report]') ?? (reports.length === 1 ? reports[0] : null);

const move = (step) => {
  const index = reports.indexOf(document.activeElement?.closest('[data-report]'));
  const next = index < 0 ? 0 : index + step;
  const report = reports[Math.min(Math.max(next, 0), reports.length - 1)];
  report?.focus({ preventScroll: true });
  report?.scrollIntoView({ block: 'start' });
};

const choiceOf = (action) => current()?.querySelector(`input[name="action"][value="${action}"]`);

const choose = (action) => {
  const choice = choiceOf(action);
  if (!choice) return;
  choice.checked = true;
  choice.focus();
};

const actions = {
  j: () => move(1),
  k: () => move(-1),
  a: () => choose('dismiss'),
  d: () => choiceOf('dismiss')?.focus(),
  h: () => choose('hide_content'),
  '?': () => {
    help.open = !help.open;
    if (help.open) help.querySelector('summary').focus();
  },
};

const isTyping = ({ target }) =>
  target.isContentEditable ||
  target.matches('textarea, select, input:not([type="radio"], [type="checkbox"])');

document.addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (!isOn?.checked || ctrlKey || metaKey || altKey || isTyping(event)) return;
  if (!Object.hasOwn(actions, key)) return;
  event.preventDefault();
  actions[key]();
});
