// How the search reads words and ranks sections: by MiniSearch, which is told what counts here. A
// page loads this on first use; the build runs it in node, so that the index has the same words.
(() => {
  const FIELDS = ["title", "about", "name", "text", "code"];
  const BM25 = { k: 0.8, b: 0.4, d: 0.8 }; // a long section is hardly the worse for it

  let ignored = new Set();
  let spellings = {};

  // The words of a text, without a plural's s: "GPT-2" is one, and so are "10,000" and "rope_theta"
  const words = (text) =>
    (
      text
        .toLowerCase()
        .replace(/([a-z])-(?=\d)/g, "$1")
        .match(/\d+(?:[.,]\d+)*|[\p{L}\p{N}_]+/gu) ?? []
    )
      .map((word) => spellings[word] ?? word.replace(/,|(?<=...)s$/g, ""))
      .filter((word) => !ignored.has(word));

  // What is looked up: each word once, but no measured number, and each name of a section as a whole
  function terms(text, field) {
    if (field === "name") return text.split("\n").map((name) => words(name).join(" "));
    return [...new Set(words(text))].filter((word) => !/^\d+\.\d\d/.test(word));
  }

  // What the library is told when it makes the index and when it reads it
  function options(reading) {
    ignored = new Set(reading.ignored);
    spellings = reading.spellings;
    return {
      fields: FIELDS,
      storeFields: ["page", "title", "text", "weight"],
      tokenize: terms,
      processTerm: (term) => term || null,
    };
  }

  // The search: a question's sections, the best first, each with the words of it that were found
  async function start(MiniSearch, { reading, index }) {
    const library = await MiniSearch.loadJSAsync(index, options(reading));
    const knows = (term) => library.search(term, { tokenize: (one) => [one] }).length > 0;
    return (query) => {
      const asked = terms(query);
      const last = asked.length - 1; // it is still being typed, and so is the whole behind it
      const found = library.search(query, {
        tokenize: () => [...new Set([...asked, asked.join(" ")])],
        bm25: BM25,
        boostDocument: (_id, _term, { weight }) => weight,
        prefix: (term, n) => term.length > (n < last ? 3 : 1),
        // only what no section has is mistyped
        maxFuzzy: 2,
        fuzzy: (term) => term.length > 3 && !/\d/.test(term) && !knows(term) && 0.2,
      });
      return found.map((one) => ({ ...one, address: one.id, words: new Set(one.terms) }));
    };
  }

  globalThis.omSearchEngine = { options, start, words };
})();
