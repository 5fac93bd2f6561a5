// The editor of fields that take Markdown: buttons, keys, a preview by the server, and pasting of formatted text.

for (const editor of document.querySelectorAll('.editor')) enhance(editor);

function enhance(editor) {
  const area = editor.querySelector('textarea');
  const tools = editor.querySelector('.tools');
  const preview = editor.querySelector('.preview');
  const button = (act) => tools.querySelector(`[data-act=${act}]`);
  const selection = () => ({ start: area.selectionStart, end: area.selectionEnd });
  const isWriting = () => !area.hidden;

  const changes = {
    bold: () => toggleEmphasis(area.value, selection(), '**'),
    italics: () => toggleEmphasis(area.value, selection(), '*'),
    heading: () => toggleLines(area.value, selection(), 'heading'),
    list: () => toggleLines(area.value, selection(), 'list'),
    quote: () => toggleLines(area.value, selection(), 'quote'),
    link: () => toggleLink(area.value, selection()),
  };

  function show(isPreview) {
    area.hidden = isPreview;
    preview.hidden = !isPreview;
    button('write').ariaPressed = String(!isPreview);
    button('preview').ariaPressed = String(isPreview);
    tools.querySelector('[data-tools]').hidden = isPreview;
  }

  async function showPreview() {
    const text = area.value;
    preview.style.minHeight = `${area.offsetHeight}px`;
    show(true);
    preview.textContent = '';
    const rendered = text.trim() === '' ? undefined : await render(editor.dataset.preview, text);
    if (isWriting() || area.value !== text) return;
    if (rendered) preview.replaceChildren(...rendered);
    else preview.textContent = text.trim() === '' ? editor.dataset.empty : editor.dataset.notShown;
  }

  tools.addEventListener('click', ({ target }) => {
    const act = target.closest('button')?.dataset.act;
    if (act === 'write') {
      show(false);
      area.focus();
    } else if (act === 'preview') void showPreview();
    else if (changes[act]) apply(area, changes[act]());
  });

  area.addEventListener('keydown', (event) => {
    const hasModifier = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    const act = hasModifier && { b: 'bold', i: 'italics', k: 'link' }[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    apply(area, changes[act]());
  });

  // The browser shows what is wrong with a field only where it is visible.
  area.addEventListener('invalid', () => show(false));

  area.addEventListener('paste', (event) => {
    const markdown = toMarkdown(event.clipboardData?.getData('text/html') ?? '');
    if (!markdown) return;
    event.preventDefault();
    apply(area, insertBlocks(area.value, selection(), markdown));
  });

  // Other scripts insert blocks by this event.
  editor.addEventListener('insert', ({ detail }) => {
    apply(area, insertBlocks(area.value, selection(), detail));
  });

  tools.hidden = false;
}

/** Changes the text area so that the browser can undo it, and selects what the change says. */
function apply(area, { from, to, text, start, end }) {
  area.focus();
  area.setSelectionRange(from, to);
  // Deprecated, but the only way that keeps the list of what can be undone.
  const isDone =
    text === '' ? document.execCommand('delete') : document.execCommand('insertText', false, text);
  if (!isDone && (text !== '' || from !== to)) {
    area.setRangeText(text, from, to, 'end');
    area.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }
  area.setSelectionRange(start, end);
}

/** Returns the elements that the server makes of a text; undefined if it does not answer. */
async function render(path, text) {
  const answer = await fetch(path, { method: 'POST', body: new URLSearchParams({ text }) }).catch(
    () => null,
  );
  if (!answer?.ok) return undefined;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  return page.body.childNodes;
}
