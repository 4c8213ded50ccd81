// Tells MiniSearch how to read words and rank sections. A page loads this script on first use. The build runs it
// in node, so that the index has the same words.
(() => {
  const FIELDS = ["title", "about", "name", "text", "code"];
  const BM25 = { k: 0.8, b: 0.4, d: 0.8 }; // a long section loses little by its length

  let ignored = new Set();
  let spellings = {};

  // A word as it is written: "rope_theta" is one, and so is "10,000"
  const WORD = /\d+(?:[.,]\d+)*|[\p{L}\p{N}_]+/gu;
  const split = (text) => text.replace(/([a-z])-(?=\d)/gi, "$1").match(WORD) ?? []; // "GPT-2" is "GPT2"

  // What a written word is looked up as: without a plural's s, and nothing for one that does not count
  function term(written) {
    const word = written.toLowerCase();
    const usual = spellings[word] ?? word.replace(/,|(?<=...)s$/g, "");
    return ignored.has(usual) ? "" : usual;
  }
  const words = (text) => split(text).map(term).filter(Boolean);

  // The ends of a name, "position_from_encoding" or "PositionalEncoding": its other parts begin the
  // name or one of its ends, and the search finds beginnings
  function ends(written) {
    const starts = [...written.matchAll(/(?<=[^_])_+(?=[^_])|(?<=[a-z])(?=[A-Z])/g)];
    return starts.map(({ 0: between, index }) => term(written.slice(index + between.length)));
  }

  // Under what a text is found: each of its words, and the ends of those that are names
  const allTerms = (text) =>
    split(text)
      .flatMap((written) => [term(written), ...ends(written)])
      .filter(Boolean);

  // What the index holds: each word once, but no measured number; the ends of names, but not of those in
  // titles, whose parts stand in "about"; and each name of a section as a whole
  function terms(text, field) {
    if (field === "name") return text.split("\n").map((name) => words(name).join(" "));
    return unmeasured(["text", "code"].includes(field) ? allTerms(text) : words(text));
  }
  const unmeasured = (many) => [...new Set(many)].filter((word) => !/^\d+\.\d\d/.test(word));

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

  // `search`: a question's sections, the best first, each with the words of it that were found;
  // `missing`: the words of a question that are in no section, not even as a beginning
  async function start(MiniSearch, { reading, index }) {
    const library = await MiniSearch.loadJSAsync(index, options(reading));
    const has = (term, prefix) => library.search(term, { tokenize: (whole) => [whole], prefix }).length > 0;
    // the last word is still being typed, and so is the whole behind it
    const isBeginning = (term, isLast) => term.length > (isLast ? 1 : 3);

    function search(query) {
      const asked = unmeasured(words(query));
      const last = asked.length - 1;
      const sections = library.search(query, {
        tokenize: () => [...new Set([...asked, asked.join(" ")])],
        bm25: BM25,
        boostDocument: (_id, _term, { weight }) => weight,
        prefix: (term, n) => isBeginning(term, n >= last),
        // only what no section has is mistyped
        maxFuzzy: 2,
        fuzzy: (term) => term.length > 3 && !/\d/.test(term) && !has(term, false) && 0.2,
      });
      return sections.map((section) => ({ ...section, address: section.id, words: new Set(section.terms) }));
    }

    function missing(query) {
      const written = split(query);
      return written.filter((word, n) => {
        const asked = unmeasured([term(word)])[0];
        return asked && !has(asked, isBeginning(asked, n === written.length - 1));
      });
    }
    return { search, missing };
  }

  globalThis.omSearchEngine = { options, start, terms: allTerms };
})();
