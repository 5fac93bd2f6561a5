// Asks below a field for an address whether a mistyped domain was meant otherwise. Stands after mail-domains.js.
for (const field of document.querySelectorAll('input[data-suggest]')) suggestFor(field);

function suggestFor(field) {
  // It has to be there before it speaks.
  const status = document.createElement('div');
  status.setAttribute('role', 'status');
  field.parentElement.append(status);
  /** The value that was looked at last. */
  let checked = field.value;
  const ask = (suggestion) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'second';
    const address = document.createElement('bdi');
    address.textContent = suggestion;
    const [before, after] = field.dataset.suggest.split('…');
    button.append(before, address, after);
    button.addEventListener('click', () => {
      field.value = suggestion;
      checked = suggestion;
      status.replaceChildren();
      field.focus();
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
    status.replaceChildren(button);
    const asked = hiddenField(`_asked_${field.name}`, field.value.trim());
    // A click on the button of the form may have moved the focus, and nobody has seen the suggestion.
    setTimeout(() => button.isConnected && status.append(asked), 500);
  };
  // Not `change`, which the Enter key fires before it sends the form.
  field.addEventListener('blur', () => {
    if (field.value === checked) return;
    checked = field.value;
    // The service asked about the one before.
    field.parentElement.querySelector('[data-suggested]')?.remove();
    const suggestion = suggestAddress(field.value.trim());
    if (suggestion === undefined) status.replaceChildren();
    else ask(suggestion);
  });
}

/** The service does not ask again about this address. */
function hiddenField(name, value) {
  const field = document.createElement('input');
  Object.assign(field, { type: 'hidden', name, value });
  return field;
}
