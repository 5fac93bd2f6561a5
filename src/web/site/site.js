// Enhancements of all pages, which work without scripts too.

// Controls for browsers without scripts.
for (const one of document.querySelectorAll('[data-without-script]')) one.hidden = true;
// Controls that only work with scripts.
for (const one of document.querySelectorAll('[data-with-script]')) one.hidden = false;

// Prevents a second submit by a double click.
document.addEventListener('submit', ({ target, submitter, defaultPrevented }) => {
  if (defaultPrevented || target.method !== 'post') return;
  // Deferred: the name and value of a disabled button are not sent.
  setTimeout(() => submitter?.setAttribute('disabled', ''));
});
addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('button[disabled]')) {
    button.removeAttribute('disabled');
  }
});

// Closes menus by a click elsewhere and by Escape.
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

// <button data-copy="id of a field"> copies the field; the element after it shows the result. With data-own-link, the
// user's own link, which that path gives, takes the place of data-link in the field first.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', () => void copy(button));
}
async function copy(button) {
  const { copy: id, copied, refused } = button.dataset;
  const field = document.getElementById(id);
  const status = button.nextElementSibling;
  if (button.dataset.ownLink) await insertOwnLink(button, field);
  try {
    // Pages over plain HTTP have no clipboard.
    await navigator.clipboard.writeText(field.value);
    status.textContent = copied;
  } catch {
    field.select();
    status.textContent = document.execCommand('copy') ? copied : refused;
  }
}
async function insertOwnLink({ dataset }, field) {
  const { link, ownLink } = dataset;
  delete dataset.ownLink;
  const answer = await fetch(ownLink, { headers: { accept: 'text/plain' } }).catch(() => undefined);
  if (answer?.ok) field.value = field.value.replace(link, await answer.text());
}
