// What a reader is told, in the language of the page. The English sentence is its own key; a translated
// site brings a table of sentences, a list of forms where a number decides, and what stands for the comma of
// 10,000, which in many languages would be a decimal point. Made in pe_lib/course/texts.py, too.
const plural = (n) => (globalThis.omPlural ?? ((k) => Number(k !== 1)))(n);
const put = (value) => String(value).replace(/(\d),(?=\d{3}(?!\d))/g, `$1${globalThis.omComma ?? ","}`);
const filled = (text, values) =>
  text.replace(/\{(\w+)\}/g, (place, name) => (name in values ? put(values[name]) : place));

// say("Position {t}, “{word}”", { t, word })
export const say = (text, values = {}) => filled(globalThis.omTexts?.[text] ?? text, values);

// many("{n} step", "{n} steps", n): the form that belongs to the number n
export function many(one, other, n, values = {}) {
  const forms = [globalThis.omTexts?.[one] ?? [one, other]].flat();
  return filled(forms[Math.min(plural(n), forms.length - 1)], { n, ...values });
}
