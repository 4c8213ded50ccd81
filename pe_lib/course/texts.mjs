// What a reader is told, in the language of the page. The English sentence is its own key; a translated
// site brings a table of sentences, a list of forms where a number decides. Made in pe_lib/course/texts.py, too.
const plural = (n) => (globalThis.omPlural ?? ((k) => Number(k !== 1)))(n);
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);

// say("Position {t}, “{word}”", { t, word })
export const say = (text, values = {}) => filled(globalThis.omTexts?.[text] ?? text, values);

// many("{n} step", "{n} steps", n): the form that belongs to the number n
export function many(one, other, n, values = {}) {
  const forms = [globalThis.omTexts?.[one] ?? [one, other]].flat();
  return filled(forms[Math.min(plural(n), forms.length - 1)], { n, ...values });
}
