/**
 * Filters the html of an unknown oEmbed provider as WordPress does (`wp_filter_oembed_result`): keeps links, blockquotes
 * and frames with a few attributes, takes the first blockquote and a frame, and hides the frame until it posts a message
 * with the secret. Returns undefined where WordPress would embed nothing.
 */
export function asWordPressFilters(html: string, secret: string): string | undefined {
  const kept = html.replaceAll(
    /<(\/?)([a-z]+)([^>]*)>/g,
    (_tag, slash: string, name: string, attributes: string) => {
      const allowed = allowedAttributes[name];
      if (!allowed) return '';
      const shown = [...attributes.matchAll(/ ([a-z-]+)="[^"]*"/g)]
        .filter(([, attribute]) => allowed.includes(attribute!))
        .map(([text]) => text);
      return `<${slash}${name}${shown.join('')}>`;
    },
  );
  const [, quote, frame] =
    /(<blockquote>.*?<\/blockquote>)?.*(<iframe.*?><\/iframe>)/s.exec(kept) ?? [];
  if (!frame) return undefined;
  const hidden = quote ? ' style="position: absolute; visibility: hidden;"' : '';
  return (
    (quote ?? '').replace(
      '<blockquote',
      `<blockquote class="wp-embedded-content" data-secret="${secret}"`,
    ) +
    frame
      .replace(/ src="([^"]*)"/, ` src="$1#?secret=${secret}" data-secret="${secret}"`)
      .replace(
        '<iframe',
        `<iframe class="wp-embedded-content" sandbox="allow-scripts" security="restricted"${hidden}`,
      )
  );
}

const allowedAttributes: Record<string, readonly string[]> = {
  a: ['href'],
  blockquote: [],
  iframe: [
    'src',
    'width',
    'height',
    'frameborder',
    'marginwidth',
    'marginheight',
    'scrolling',
    'title',
  ],
};

/**
 * What WordPress's page does with messages of frames (wp-embed.js): for those with the secret of the frame, it hides the
 * blockquote, shows the frame in the posted height (200 to 1,000 pixels), and follows links to the host of the frame.
 */
export const wordPressScript = `
addEventListener('message', ({ data, source }) => {
  if (!data?.secret || /[^a-zA-Z0-9]/.test(data.secret)) return;
  for (const quote of document.querySelectorAll('blockquote[data-secret="' + data.secret + '"]'))
    quote.style.display = 'none';
  for (const frame of document.querySelectorAll('iframe[data-secret="' + data.secret + '"]')) {
    if (source !== frame.contentWindow) continue;
    frame.removeAttribute('style');
    if (data.message === 'height') frame.height = Math.min(1000, Math.max(200, parseInt(data.value, 10)));
    const isOurs = data.message === 'link' && new URL(data.value).host === new URL(frame.src).host;
    if (isOurs && document.activeElement === frame) window.top.location.href = data.value;
  }
});`;
