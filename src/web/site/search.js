// Suggests petitions for the search field: a combobox of the ARIA Authoring Practices.
for (const form of document.querySelectorAll('form[data-suggest]')) suggestIn(form);

function suggestIn(form) {
  const input = form.querySelector('input[name=q]');
  const list = document.createElement('ul');
  list.id = 'suggestions';
  list.className = 'suggestions';
  list.hidden = true;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', form.dataset.suggest);
  form.append(list);
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
  /** Index of the selected option; -1 for the field itself. */
  let selected = -1;
  const open = ({ dataset }) => location.assign(`/p/${dataset.slug}`);
  const show = (suggestions) => {
    selected = -1;
    input.removeAttribute('aria-activedescendant');
    list.replaceChildren(...suggestions.map(optionOf));
    list.hidden = suggestions.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
  };
  const optionOf = ({ title, language, slug }, index) => {
    const option = document.createElement('li');
    option.id = `suggestion-${index}`;
    option.setAttribute('role', 'option');
    option.setAttribute('aria-selected', 'false');
    option.dir = 'auto';
    if (language) option.lang = language;
    option.dataset.slug = slug;
    option.textContent = title;
    // Not `click`: the field loses focus first, which closes the list.
    option.addEventListener('mousedown', (event) => {
      event.preventDefault();
      open(option);
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
  const suggest = async () => {
    request?.abort();
    const q = input.value.trim();
    if (q.length < 2) return show([]);
    request = new AbortController();
    const { signal } = request;
    try {
      const query = new URLSearchParams({ q, language: document.documentElement.lang });
      const answer = await fetch(`/v1/search/suggest?${query}`, { signal });
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
    const count = list.children.length;
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
      open(list.children[selected]);
    }
  });
}
