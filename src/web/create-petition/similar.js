// Lists similar petitions while a title is typed, so that people can sign one instead.

const idleMs = 600;
/** Shorter titles are like everything. */
const minLength = 8;

for (const panel of document.querySelectorAll('[data-similar-to]')) {
  const field = document.getElementById(panel.dataset.similarTo);
  let timer;
  let newest = 0;

  async function list() {
    const title = field.value.trim();
    newest += 1;
    const request = newest;
    const found = title.length < minLength ? [] : await similarTo(title);
    // A later title was asked for meanwhile.
    if (request !== newest) return;
    panel.querySelector('ul').replaceChildren(...found.slice(0, 3).map(itemOf));
    panel.hidden = found.length === 0;
  }

  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void list(), idleMs);
  });
  if (field.value !== '') void list();
}

async function similarTo(title) {
  try {
    const answer = await fetch(`/v1/petitions/similar?${new URLSearchParams({ title })}`);
    return answer.ok ? (await answer.json()).data : [];
  } catch {
    // The network is away. The list is an offer only.
    return [];
  }
}

/** The link opens beside the form, which keeps what was typed. */
function itemOf({ slug, title, language }) {
  const link = document.createElement('a');
  link.href = `/p/${slug}`;
  link.target = '_blank';
  link.dir = 'auto';
  link.lang = language ?? '';
  link.textContent = title;
  const item = document.createElement('li');
  item.append(link);
  return item;
}
