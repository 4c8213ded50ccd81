// How the search reads a question and ranks sections. A page loads this on first use; the build
// runs it in node, so that the index is made of the same words.
(() => {
  const BOOST = { title: 2.5, about: 5, page: 1, within: 0.3, text: 1, code: 0.2 };
  const BM25 = { k: 0.8, b: 0.4, d: 0.8 };
  const SYNONYM = 0.7; // what a word counts that the reader did not write
  const WEAK = 0.3; // what one counts that says little here
  const SHOWN = 12;
  let same = {}; // other spellings of a word

  const STOP = new Set(
    words(`
    a about actually al an and any anyone are as at be because been but by can cannot could d did
    do does doesn doing don et exactly explain explained explanation for from get give gives going
    had happen happens has have how if in into is isn it its just like ll m make makes me mean
    means more my now of on one or our per please plus question re really s so t than that the
    their them then there these they this to used using ve versus very vs want was way we what
    when where while who whose will with would you your`).map(stem),
  );
  // ... and what says little in a course on positional encoding
  const COMMON = new Set(
    words(`
    all already also always another approach basically best better between bit both case clarify
    clear code compare compared comparison concept confused correct detail difference different
    each enough every example exist find first general given good great guide help idea important
    instead issue keep kind know let look main many matter maybe method might model most much
    necessary need new no not often once one only other own part point possible problem purpose
    quite rather real reason same say second seem several should show simple simply solve some
    someone something still such take tell thing think too total try tutorial two type under
    understand use useful usual usually via way which why wonder word work
    attention embedding encoding position positional sinusoid sinusoidal transformer`).map(stem),
  );

  // --- Words ---

  // "GPT-2" and "gpt 2" are one word, "10,000" is 10000, and "1, 2" are two
  function words(text) {
    return (
      text
        .toLowerCase()
        .replace(/[’']s?\b/g, " ")
        .replace(/([a-z])-(?=\d)/g, "$1")
        .replace(/\b(gemma|gpt|llama|phi|qwen) (?=\d)/g, "$1")
        .match(/\d+(?:,\d{3})+\b|\d+(?:\.\d+)+|[a-z0-9_\u00c0-\u024f\u0370-\u03ff]+/g) ?? []
    );
  }

  // "concatenation" and "concatenating" are one word here, "frequencies" and "frequency" too
  function stem(spelled) {
    const word = same[spelled] ?? spelled;
    if (word.length < 4 || /[\d_]/.test(word)) return word.replace(/,/g, "");
    return word
      .replace(/ies$/, "y")
      .replace(/(ss|us|is)$|s$/, "$1")
      .replace(/(.{5})(?:al|able|ly)$/, "$1")
      .replace(/(.{4})at(?:ion|ive|ing|e|ed|or)$/, "$1")
      .replace(/(.{3}[ai])ti(?:on|ve|ng)$/, "$1t")
      .replace(/(.{3})(?:ing|ed|er)$/, "$1")
      .replace(/(.{3})e$/, "$1")
      .replace(/([bdgmnprt])\1$/, "$1")
      .replace(/i[sz]$/, "is");
  }

  // A name is found by its parts, too: "rope_theta", and "Llama 3" by "llama"
  const terms = (text) =>
    words(text).flatMap((word) =>
      word.includes("_")
        ? [
            word,
            ...word
              .split("_")
              .filter((part) => part.length > 1)
              .map(stem),
          ]
        : /^[a-z]{3,}\d/.test(word)
          ? [word, family(word)]
          : [stem(word)],
    );
  const family = (name) => name.replace(/\d.*/, "");

  // What the library is told, when it makes the index and when it reads it
  function options(spellings) {
    same = spellings;
    return {
      fields: Object.keys(BOOST),
      tokenize: (text) => [...new Set(terms(text))],
      processTerm: (term) => (STOP.has(term) || /^\d+\.\d\d/.test(term) ? null : term),
      searchOptions: {
        bm25: BM25,
        boost: BOOST,
        tokenize: (term) => [term],
        processTerm: (term) => term,
      },
    };
  }

  // --- Ranking ---

  async function start(Library, { pages, sections, spellings, synonyms, engine }) {
    const settings = options(spellings);
    const records = sections.map(([page, at, title, text, weight, about]) => ({
      title,
      text,
      weight,
      about,
      page: pages[page][1],
      address: pages[page][0] + (at && `#${at}`),
    }));
    const phrases = Object.entries(synonyms).map(([asked, meant]) => [words(asked).map(stem), meant.map(terms)]);
    const index = { records, phrases, engine: await Library.loadJSAsync(engine, settings) };
    return (query) => rank(index, query).slice(0, SHOWN);
  }

  function rank({ engine, records, phrases }, query) {
    const all = words(query).map(stem);
    const asked = [...new Set(all.filter((term) => !STOP.has(term)))];
    const parts = (asked.length ? asked : all).map((term, n, { length }) => ({
      term,
      counts: COMMON.has(term) ? WEAK : 1,
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
      const rarity = Math.log(1 + records.length / (best.size || records.length));
      const rare = counts * rarity;
      whole += rare;
      for (const [id, { score, seen }] of best) {
        const sum = found.get(id) ?? { score: 0, covered: 0, seen: [] };
        found.set(id, {
          score: sum.score + (counts || 1) * Math.sqrt(rarity) * score,
          covered: sum.covered + rare,
          seen: [...sum.seen, ...seen],
        });
      }
    }
    const ranked = [...found]
      .map(([id, { score, covered, seen }]) => {
        const record = records[id],
          share = whole ? covered / whole : 1;
        return { record, words: new Set(seen), score: score * record.weight * (0.2 + 0.8 * share) };
      })
      .sort((a, b) => b.score - a.score)
      .slice(0, 5 * SHOWN);
    return ranked
      .map(({ record, words, score }) => {
        record.names ??= names(record.title);
        record.asked ??= names(record.about);
        const named = Math.max(
          1.5 * likeness(record.names, words, asked.length, false),
          likeness(record.asked, words, asked.length, true),
        );
        return { ...record, words, score: score * (1 + named) };
      })
      .sort((a, b) => b.score - a.score);
  }

  // What each section scores for one part of the question: the best of the ways to say it
  function scores(engine, ways) {
    const best = new Map();
    for (const { way, weight, typing } of ways) {
      const each = way.map((term, n) => matches(engine, term, typing && n === way.length - 1));
      for (const id of each[0].keys()) {
        if (!each.every((found) => found.has(id))) continue;
        const hits = each.map((found) => found.get(id)),
          before = best.get(id);
        const score = (weight * hits.reduce((sum, hit) => sum + hit.score, 0)) / way.length;
        best.set(id, {
          score: Math.max(score, before?.score ?? 0),
          seen: [...(before?.seen ?? []), ...hits.flatMap((hit) => hit.terms)],
        });
      }
    }
    return best;
  }

  // The sections with a word; with its beginning while it is typed; if none has it, with the
  // longest beginning of it that is a word (an ending is mistyped), with what a name with a number
  // has before it, with two letters swapped, or a similar word
  function matches(engine, term, typing) {
    let hits = engine.search(term, { prefix: typing && term.length > 1 });
    const least = /\d/.test(term) ? term.length : Math.max(5, 0.6 * term.length);
    for (let end = term.length - 1; !hits.length && end >= least; end--) hits = engine.search(term.slice(0, end));
    if (!hits.length && /^[a-z]{3,}\d/.test(term)) hits = engine.search(family(term));
    if (!hits.length && term.length > 3)
      hits = [...term]
        .slice(1)
        .flatMap((letter, n) => engine.search(term.slice(0, n) + letter + term[n] + term.slice(n + 2)));
    if (!hits.length && term.length > 3 && !/\d/.test(term)) hits = engine.search(term, { prefix: true, fuzzy: 0.25 });
    return new Map(hits.map((hit) => [hit.id, hit]));
  }

  // The words of each name in a title, or of each entry under which a section is looked up
  const names = (listed) =>
    listed.split(/, (?!and )/).map((name) => terms(name).filter((term) => !STOP.has(term) && !/^\d+$/.test(term)));

  // How far the question has the words of one of the names, and, if `both`, no others; 2 if it is
  // that name
  function likeness(names, seen, length, both) {
    return Math.max(
      ...names.map((own) => {
        const has = own.filter((term) => seen.has(term)).length;
        if (has && has === own.length && has === length) return 2;
        return has && (both ? (2 * has) / (own.length + length) : has / own.length);
      }),
    );
  }

  globalThis.omSearchEngine = { options, start, terms };
})();
