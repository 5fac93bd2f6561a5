// Filters the operations of the index, and copies examples.
const form = document.querySelector('form.filter');
if (form) {
  const field = form.elements.namedItem('q');
  const status = form.querySelector('[role=status]');
  const groups = [...document.querySelectorAll('.group:has(.endpoints)')].map((group) => ({
    group,
    items: [...group.querySelectorAll('li')].map((item) => ({
      item,
      text: `${group.querySelector('h2').textContent} ${item.textContent} ${item.dataset.id}`.toLowerCase(),
    })),
  }));
  const filter = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { group, items } of groups) {
      const shown = items.filter(({ item, text }) => {
        item.hidden = !words.every((word) => text.includes(word));
        return !item.hidden;
      });
      group.hidden = shown.length === 0;
      count += shown.length;
    }
    const { one, other } = status.dataset;
    status.textContent = count === 1 ? one : other.replace('#', count);
  };
  const remember = () => {
    const query = field.value ? `?${new URLSearchParams({ q: field.value })}` : '';
    history.replaceState(null, '', location.pathname + query);
  };
  field.value = new URLSearchParams(location.search).get('q') ?? '';
  field.addEventListener('input', () => {
    filter();
    remember();
  });
  // Enter opens the only operation that is left.
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const links = document.querySelectorAll('.group:not([hidden]) .endpoints li:not([hidden]) a');
    if (links.length === 1) links[0].click();
  });
  form.hidden = false;
  filter();
}

if (navigator.clipboard) {
  for (const figure of document.querySelectorAll('figure.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'plain';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      const text = figure.querySelector('code').textContent;
      void navigator.clipboard.writeText(text).then(() => (button.textContent = 'Copied'));
    });
    figure.querySelector('figcaption').append(button);
  }
}
