// How the search reads a question and ranks sections. A page loads this on first use; the build runs
// it in node, so that the index is made of the same words.
(() => {
  const BOOST = { title: 2.5, about: 4, page: 2, within: 1, text: 1, code: 0.4 };
  const BM25 = { k: 1.2, b: 0.4, d: 0.8 };
  const SYNONYM = 0.7; // what a word counts that the reader did not write
  const WEAK = 0.3; // what one counts that says little here
  const SHOWN = 20;
  let same = {}; // other spellings of a word

  const STOP = new Set(words(`a about an and any anyone are as at be because been but by can cannot
    could d did do does doesn doing don exactly explain explained for from get give gives going had
    happen happens has have how if in into is isn it its just like ll m make makes me mean means my of
    on one or our please question re really s so t than that the their them then there these they
    this to ve versus very vs want was way we what when where while who whose will with would you
    your actually`).map(stem));
  // ... and what says little in a course on positional encoding
  const COMMON = new Set(words(`all also another approach best better case code compare compared
    comparison difference different every example find good help instead issue kind know look many
    method model more much need new no not only other point possible problem purpose rather reason
    same say seem should
    show some still tell thing think too try type understand use used which why work word
    attention embedding encoding position positional transformer`).map(stem));

  // --- Words ---

  function words(text) {
    return text.toLowerCase().replace(/[’']s?\b/g, " ").replace(/([a-z])-(?=\d)/g, "$1")
      .match(/\d+(?:[.,]\d+)+|[a-z0-9_\u00c0-\u024f\u0370-\u03ff]+/g) ?? [];
  }

  // "concatenation" and "concatenating" are one word here, "frequencies" and "frequency" too
  function stem(spelled) {
    const word = same[spelled] ?? spelled;
    if (word.length < 4 || /[\d_]/.test(word)) return word.replace(/,/g, "");
    return word.replace(/ies$/, "y").replace(/(ss|us|is)$|s$/, "$1")
      .replace(/(.{5})(?:al|able|ly)$/, "$1")
      .replace(/(.{4})at(?:ion|ive|ing|e|ed|or)$/, "$1").replace(/(.{3}[ai])ti(?:on|ve|ng)$/, "$1t")
      .replace(/(.{3})(?:ing|ed|er)$/, "$1").replace(/(.{3})e$/, "$1")
      .replace(/([bdgmnprt])\1$/, "$1").replace(/i[sz]$/, "is");
  }

  const terms = (text) => words(text).flatMap((word) => word.includes("_")
    ? [word, ...word.split("_").filter((part) => part.length > 1).map(stem)] : [stem(word)]);

  // What the library is told, when it makes the index and when it reads it
  function options(spellings) {
    same = spellings;
    return {
      fields: Object.keys(BOOST),
      tokenize: (text) => text ? terms(text) : [],
      processTerm: (term) => STOP.has(term) ? null : term,
      searchOptions: { bm25: BM25, boost: BOOST, tokenize: (term) => [term], processTerm: (term) => term },
    };
  }

  // --- Ranking ---

  async function start(Library, { pages, sections, spellings, synonyms, engine }) {
    const settings = options(spellings);
    const records = sections.map(([page, at, title, text, weight]) => ({
      title, text, weight, page: pages[page][1], address: pages[page][0] + (at && `#${at}`),
    }));
    const phrases = Object.entries(synonyms)
      .map(([asked, meant]) => [words(asked).map(stem), meant.map(terms)]);
    const index = { records, phrases, engine: await Library.loadJSAsync(engine, settings) };
    return (query) => rank(index, query).slice(0, SHOWN);
  }

  function rank({ engine, records, phrases }, query) {
    const all = words(query).map(stem);
    const asked = [...new Set(all.filter((term) => !STOP.has(term)))];
    const parts = (asked.length ? asked : all).map((term, n, { length }) => ({
      term, counts: COMMON.has(term) ? WEAK : 1,
      ways: [{ way: [term], weight: 1, typing: n === length - 1 }],
    }));
    for (const [phrase, meant] of phrases) {
      if (!` ${all.join(" ")} `.includes(` ${phrase.join(" ")} `)) continue;
      const ways = meant.map((way) => ({ way, weight: SYNONYM }));
      const own = parts.filter(({ term }) => phrase.includes(term));
      const part = own.find(({ counts }) => counts === 1) ?? own[0];
      if (part) part.ways.push(...ways);
      else parts.push({ counts: 0, ways });
    }
    const found = new Map();
    let whole = 0;
    for (const { counts, ways } of parts) {
      const best = scores(engine, ways);
      const rare = counts * Math.log(1 + records.length / (best.size || records.length));
      whole += rare;
      for (const [id, { score, seen }] of best) {
        const sum = found.get(id) ?? { score: 0, covered: 0, seen: [] };
        found.set(id, {
          score: sum.score + (counts || 1) * score, covered: sum.covered + rare,
          seen: [...sum.seen, ...seen],
        });
      }
    }
    return [...found].map(([id, { score, covered, seen }]) => {
      const record = records[id], words = new Set(seen), share = whole ? covered / whole : 1;
      const named = share * likeness(record.title, words, asked.length);
      return { ...record, words, score: score * record.weight * (0.2 + 0.8 * share) * (1 + named) };
    }).sort((a, b) => b.score - a.score);
  }

  // What each section scores for one part of the question: the best of the ways to say it
  function scores(engine, ways) {
    const best = new Map();
    for (const { way, weight, typing } of ways) {
      const each = way.map((term, n) => matches(engine, term, typing && n === way.length - 1));
      for (const id of each[0].keys()) {
        if (!each.every((found) => found.has(id))) continue;
        const hits = each.map((found) => found.get(id)), before = best.get(id);
        const score = weight * hits.reduce((sum, hit) => sum + hit.score, 0) / way.length;
        best.set(id, {
          score: Math.max(score, before?.score ?? 0),
          seen: [...before?.seen ?? [], ...hits.flatMap((hit) => hit.terms)],
        });
      }
    }
    return best;
  }

  // The sections with a word; with its beginning while it is typed; if none has it, with the longest
  // beginning of it that is a word (an ending is mistyped), two letters swapped, or a similar word
  function matches(engine, term, typing) {
    let hits = engine.search(term, { prefix: typing && term.length > 1 });
    const least = /\d/.test(term) ? term.length : Math.max(5, 0.6 * term.length);
    for (let end = term.length - 1; !hits.length && end >= least; end--)
      hits = engine.search(term.slice(0, end));
    if (!hits.length && term.length > 3) hits = [...term].slice(1).flatMap((letter, n) =>
      engine.search(term.slice(0, n) + letter + term[n] + term.slice(n + 2)));
    if (!hits.length && term.length > 3 && !/\d/.test(term))
      hits = engine.search(term, { prefix: true, fuzzy: 0.25 });
    return new Map(hits.map((hit) => [hit.id, hit]));
  }

  // How far the question has the words of the title, or of one of the names of an entry; 1.5 if it
  // is the title
  function likeness(title, seen, length) {
    return Math.max(...title.split(/, /).map((name) => {
      const own = terms(name).filter((term) => !STOP.has(term) && !/^\d+$/.test(term));
      const part = own.length ? own.filter((term) => seen.has(term)).length / own.length : 0;
      return part === 1 && own.length === length ? 1.5 : part;
    }));
  }

  globalThis.omSearchEngine = { options, start, terms };
})();
