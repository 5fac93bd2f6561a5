// What makes the pages better where scripts run; each says all without it.

// Controls that only those without scripts need.
for (const one of document.querySelectorAll('[data-without-script]')) one.hidden = true;
// Controls that only work with scripts.
for (const one of document.querySelectorAll('[data-with-script]')) one.hidden = false;

// A form that was sent is not sent twice by an impatient click.
document.addEventListener('submit', ({ target, submitter, defaultPrevented }) => {
  if (defaultPrevented || target.method !== 'post') return;
  // Later, since a disabled button's own name and value would not be sent.
  setTimeout(() => submitter?.setAttribute('disabled', ''));
});
addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('button[disabled]')) {
    button.removeAttribute('disabled');
  }
});

// Menus close as people expect.
const menus = document.querySelectorAll('details.menu');
addEventListener('click', ({ target }) => {
  for (const menu of menus) if (!menu.contains(target)) menu.open = false;
});
addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  for (const menu of menus) {
    if (menu.open) menu.querySelector('summary').focus();
    menu.open = false;
  }
});

// Texts that can be copied: <button data-copy="id of a field">, and after it where it says how that went.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', () => void copy(button));
}
async function copy(button) {
  const { copy: id, copied, refused } = button.dataset;
  const field = document.getElementById(id);
  const told = button.nextElementSibling;
  try {
    // There is none where the page came by plain HTTP.
    await navigator.clipboard.writeText(field.value);
    told.textContent = copied;
  } catch {
    field.select();
    told.textContent = document.execCommand('copy') ? copied : refused;
  }
}
