/**
 * Offers suggestions below a field while somebody types: a combobox of the ARIA Authoring Practices. `find` answers a
 * text with the address to read suggestions from, or nothing. `textOf` gives the text of a suggestion. `choose` gets the
 * one that is taken. The list stands below `container`.
 */
globalThis.offerSuggestions = (input, { container, id, label, find, textOf, choose }) => {
  const list = document.createElement('ul');
  list.id = id;
  list.className = 'suggestions';
  list.hidden = true;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', label);
  container.append(list);
  for (const [name, value] of Object.entries({
    role: 'combobox',
    autocomplete: 'off',
    'aria-autocomplete': 'list',
    'aria-controls': list.id,
    'aria-expanded': 'false',
  })) {
    input.setAttribute(name, value);
  }

  let timer;
  let request;
  let shown = [];
  /** Index of the selected option; -1 for the field itself. */
  let selected = -1;
  const show = (suggestions) => {
    selected = -1;
    shown = suggestions;
    input.removeAttribute('aria-activedescendant');
    list.replaceChildren(...suggestions.map(optionOf));
    list.hidden = suggestions.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
    // The field may be at the bottom of the screen.
    if (!list.hidden) list.scrollIntoView({ block: 'nearest' });
  };
  const optionOf = (suggestion, index) => {
    const option = document.createElement('li');
    option.id = `${id}-${index}`;
    option.setAttribute('role', 'option');
    option.setAttribute('aria-selected', 'false');
    option.dir = 'auto';
    if (suggestion.language) option.lang = suggestion.language;
    option.textContent = textOf(suggestion);
    // Not `click`: the field loses focus first, which closes the list.
    option.addEventListener('mousedown', (event) => {
      event.preventDefault();
      take(suggestion);
    });
    return option;
  };
  const select = (index) => {
    list.children[selected]?.setAttribute('aria-selected', 'false');
    selected = index;
    const option = list.children[selected];
    option?.setAttribute('aria-selected', 'true');
    if (option) input.setAttribute('aria-activedescendant', option.id);
    else input.removeAttribute('aria-activedescendant');
  };

  const close = () => {
    clearTimeout(timer);
    request?.abort();
    show([]);
  };
  const take = (suggestion) => {
    close();
    choose(suggestion);
  };
  const suggest = async () => {
    request?.abort();
    const address = find(input.value.trim());
    if (!address) return show([]);
    request = new AbortController();
    const { signal } = request;
    try {
      const answer = await fetch(address, { signal });
      const { data } = answer.ok ? await answer.json() : { data: [] };
      if (!signal.aborted && document.activeElement === input) show(data);
    } catch {
      if (!signal.aborted) show([]);
    }
  };
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(suggest, 150);
  });
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    // Keys that choose among the candidates of an input method.
    if (event.isComposing) return;
    const count = shown.length;
    if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault();
      close();
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && count > 0) {
      event.preventDefault();
      // The field itself is one more position.
      const step = event.key === 'ArrowDown' ? 1 : -1;
      select(((selected + 1 + step + count + 1) % (count + 1)) - 1);
    } else if (event.key === 'Enter' && selected >= 0) {
      event.preventDefault();
      take(shown[selected]);
    }
  });
};

// Suggests petitions for the search field.
for (const form of document.querySelectorAll('form[data-suggest]')) {
  globalThis.offerSuggestions(form.querySelector('input[name=q]'), {
    container: form,
    id: 'suggestions',
    label: form.dataset.suggest,
    find: (q) =>
      q.length >= 2 &&
      `/v1/search/suggest?${new URLSearchParams({ q, language: document.documentElement.lang })}`,
    textOf: ({ title }) => title,
    choose: ({ slug }) => location.assign(`/p/${slug}`),
  });
}
