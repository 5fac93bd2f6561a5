/*
 * For pages that embed petitions: fits each frame to the height of its content, and hides the link before it, which is
 * for pages without this script. Add it to the page once, with frames from GET /v1/oembed or POST /v1/petitions/{id}/embed, or with links, which it turns into
 * frames (without JavaScript they stay links):
 *
 *   <a data-petition-embed data-theme="dark" href="https://…/p/river-path">Sign: the river path</a>
 *   <script async src="https://…/embed.js"></script>
 */
(() => {
  const base = document.currentScript.src.replace(/\/embed\.js.*$/, '');
  const { origin } = new URL(base);
  const petitionFrames = () =>
    [...document.querySelectorAll('iframe')].filter((frame) =>
      frame.src.startsWith(`${base}/embed/p/`),
    );

  addEventListener('message', (event) => {
    const { type, height } = event.data ?? {};
    if (event.origin !== origin || type !== 'petition:resize' || !(height > 0)) return;
    const frame = petitionFrames().find(({ contentWindow }) => contentWindow === event.source);
    if (!frame) return;
    frame.style.height = `${height}px`;
    const quote = frame.previousElementSibling;
    if (quote?.matches(`blockquote:has(> a[href^="${base}/p/"]:only-child)`)) quote.hidden = true;
  });

  const start = () => {
    for (const link of document.querySelectorAll('a[data-petition-embed]')) {
      if (!link.href.startsWith(`${base}/p/`)) continue;
      const frame = document.createElement('iframe');
      const theme = link.dataset.theme === 'dark' ? '?theme=dark' : '';
      frame.src =
        link.href.replace(/[?#].*$/, '').replace(`${base}/p/`, `${base}/embed/p/`) + theme;
      frame.title = link.textContent;
      frame.width = '600';
      frame.style.cssText = 'border:0;border-radius:.5rem;max-width:100%';
      link.replaceWith(frame);
    }
    // Frames that loaded before this script have posted their height already.
    for (const { contentWindow } of petitionFrames())
      contentWindow.postMessage({ type: 'petition:measure' }, '*');
  };
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', start);
  else start();
})();
