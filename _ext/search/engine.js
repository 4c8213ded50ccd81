// Configures how MiniSearch reads words and ranks sections. A page loads this script when the reader first searches.
// The build runs it in node, so that the index has the same words.
(() => {
  const FIELDS = ["title", "about", "name", "text", "code"];
  const BM25 = { k: 0.8, b: 0.4, d: 0.8 }; // with this b, length counts little against a long section

  let ignored = new Set();
  let spellings = {};

  // A name with underscores is one word, as in "rope_theta", and so is a number with commas, as in "10,000"
  const WORD = /\d+(?:[.,]\d+)*|[\p{L}\p{N}_]+/gu;
  const split = (text) => text.replace(/([a-z])-(?=\d)/gi, "$1").match(WORD) ?? []; // so "GPT-2" is read as "GPT2"

  // Return the term under which the index has a word, without the s of a plural; "" for a word that is ignored
  function term(text) {
    const word = text.toLowerCase();
    const usual = spellings[word] ?? word.replace(/,|(?<=...)s$/g, "");
    return ignored.has(usual) ? "" : usual;
  }
  const listTerms = (text) => split(text).map(term).filter(Boolean);

  // Return the terms of the ends of a name such as "position_from_encoding" or "PositionalEncoding". With them a
  // reader finds every part of the name, since each part begins the name or one of its ends, and the search finds
  // beginnings.
  function endTerms(name) {
    const starts = [...name.matchAll(/(?<=[^_])_+(?=[^_])|(?<=[a-z])(?=[A-Z])/g)];
    return starts.map(({ 0: between, index }) => term(name.slice(index + between.length)));
  }

  // Return the terms under which a text is found: those of its words, and of the ends of its names
  const listAllTerms = (text) =>
    split(text)
      .flatMap((word) => [term(word), ...endTerms(word)])
      .filter(Boolean);

  // Return the terms that the index holds for a field: each word once, but no measured number. The names in titles
  // add no ends, because their parts stand in "about", and each name of a section is one term as a whole.
  function terms(text, field) {
    if (field === "name") return text.split("\n").map((name) => listTerms(name).join(" "));
    return dropMeasured(["text", "code"].includes(field) ? listAllTerms(text) : listTerms(text));
  }
  const dropMeasured = (terms) => [...new Set(terms)].filter((word) => !/^\d+\.\d\d/.test(word));

  // Return the options of MiniSearch, which must be the same when it makes the index and when it reads the index
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

  // Return two functions: `search` gives the sections for a query, the best first, each with the terms that match;
  // `missing` gives the words of a query with which nothing in any section begins
  async function start(MiniSearch, { reading, index }) {
    const library = await MiniSearch.loadJSAsync(index, options(reading));
    const has = (term, prefix) => library.search(term, { tokenize: (whole) => [whole], prefix }).length > 0;
    // the reader may still be typing the last word, and so the whole query, which comes after it
    const isBeginning = (term, isLast) => term.length > (isLast ? 1 : 3);

    function search(query) {
      const queryTerms = dropMeasured(listTerms(query));
      const last = queryTerms.length - 1;
      const sections = library.search(query, {
        tokenize: () => [...new Set([...queryTerms, queryTerms.join(" ")])],
        bm25: BM25,
        boostDocument: (_id, _term, { weight }) => weight,
        prefix: (term, n) => isBeginning(term, n >= last),
        // only a word that no section has counts as mistyped
        maxFuzzy: 2,
        fuzzy: (term) => term.length > 3 && !/\d/.test(term) && !has(term, false) && 0.2,
      });
      return sections.map((section) => ({ ...section, address: section.id, words: new Set(section.terms) }));
    }

    function missing(query) {
      const words = split(query);
      return words.filter((word, n) => {
        const [wordTerm] = dropMeasured([term(word)]);
        return wordTerm && !has(wordTerm, isBeginning(wordTerm, n === words.length - 1));
      });
    }
    return { search, missing };
  }

  globalThis.omSearchEngine = { options, start, terms: listAllTerms };
})();
