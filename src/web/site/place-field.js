// Suggests places while they are typed. Stands after search.js.
const { lang } = document.documentElement;
/** In these scripts, two characters name a place. */
const syllables = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u;

for (const field of document.querySelectorAll('input[data-places]')) {
  globalThis.offerSuggestions(field, {
    container: field.parentElement,
    id: `${field.id}-places`,
    label: field.dataset.places,
    find(q) {
      if (q.length < (syllables.test(q) ? 2 : 3) || q.length > 100) return undefined;
      return `/v1/places?${new URLSearchParams({ q, language: lang })}`;
    },
    textOf: ({ label }) => label,
    choose({ label }) {
      field.value = label;
    },
  });
}
