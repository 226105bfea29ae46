// What somebody who knows her finds in a table of people: the same as verification.py.
const IMPLAUSIBLE = 0.05, MOST_SHOWN = 10, ROUNDING = 1e-9, FURTHEST_NOISE = 6, MADE_UP = 1000, PRIOR = 0.1, TELLING = 0.5;

const zeros = size => new Float64Array(size);
const total = array => array.reduce((sum, x) => sum + x, 0);

function groupWeights(view, known) {
  const groups = view.sizes.length;
  const weights = Float64Array.from(view.sizes);
  // rows stand whole: the share of those with all of her values in the group
  for (const { columns, groupOf } of view.parts) {
    const wanted = columns.filter(key => key in known).map(key => [view.people[key], known[key].code]);
    if (!wanted.length) continue;
    const found = zeros(groups);
    for (let i = 0; i < groupOf.length; i++) if (wanted.every(([codes, code]) => codes[i] === code)) found[groupOf[i]]++;
    for (let g = 0; g < groups; g++) weights[g] = weights[g] * found[g] / view.sizes[g];
  }
  for (const [name, { code, place }] of Object.entries(known)) {
    const column = view.columns[name], told = view.spans[name];
    if (!told) continue;
    for (let g = 0; g < groups; g++) {
      let possible = false;
      if (told.starts) {
        for (let i = told.starts[g]; i < told.starts[g + 1]; i++) if (told.codes[i] === code) possible = true;
      } else if (place === Infinity) possible = Boolean(told.has_missing[g]);
      else possible = !told.is_empty[g] && column.places[told.low[g]] <= place && place <= column.places[told.high[g]];
      if (!possible) weights[g] = 0;
    }
  }
  // whoever fits another group than that of which nothing is told is in it
  const fits = weights.some((weight, g) => weight > 0 && g !== view.hidden);
  if (view.hidden >= 0 && fits && view.known.every(key => key in known)) weights[view.hidden] = 0;
  return weights;
}

// Sums of products of all choices of so many numbers.
function choices(numbers, count) {
  const sums = zeros(count + 1);
  sums[0] = 1;
  for (const x of numbers) for (let k = count; k > 0; k--) sums[k] += sums[k - 1] * x;
  return sums[count];
}

function comb(n, k) {
  if (k < 0 || k > n) return 0;
  let result = 1;
  for (let i = 0; i < k; i++) result = result * (n - i) / (i + 1);
  return Math.round(result);
}

// The chance that what differs was replaced, and what does not was not or became the same.
function chance(view, names, own, differs) {
  const { replaced, attributes } = view.transition;
  const differing = names.filter((_, j) => differs[j]), same = names.map((_, j) => j).filter(j => !differs[j]);
  if (attributes === 1) {
    if (differing.length > 1) return 0;
    if (differing.length === 1) return replaced[differing[0]];
    const unknown = 1 - total(names.map(name => replaced[name]));
    return unknown + total(same.map(j => replaced[names[j]] * own[j]));
  }
  const all = Object.keys(replaced).length;
  let result = 0;
  for (let more = 0; more <= attributes - differing.length; more++) {
    const rest = attributes - differing.length - more;
    result += comb(all - names.length, rest) * (more > same.length ? 0 : choices(same.map(j => own[j]), more));
  }
  return result / comb(all, attributes);
}

function rowWeights(view, known) {
  const weights = zeros(view.rows).fill(1);
  if (view.transition) {
    const codes = Object.fromEntries(Object.entries(known).map(([name, { code }]) => [name, code]));
    const names = Object.keys(known).filter(name => name in view.marginals);
    const shares = Object.fromEntries(names.map(name => { const sum = total(view.marginals[name]); return [name, Float64Array.from(view.marginals[name], c => c / sum)]; }));
    const own = names.map(name => codes[name] < 0 ? 0 : shares[name][codes[name]]);
    const chances = new Map();
    for (let i = 0; i < view.rows; i++) {
      const differs = names.map(name => view.people[name][i] !== codes[name]);
      const key = differs.map(Number).join("");
      if (!chances.has(key)) chances.set(key, chance(view, names, own, differs));
      weights[i] = chances.get(key);
      names.forEach((name, j) => { if (differs[j]) weights[i] *= shares[name][view.people[name][i]]; });
    }
  }
  for (const [name, { code, place }] of Object.entries(known)) {
    if (name in view.marginals) continue;
    const people = view.people[name], column = view.columns[name], masking = view.masked[name];
    if (!masking) {
      for (let i = 0; i < view.rows; i++) if (people[i] !== code) weights[i] = 0;
    } else if (masking.within !== null) {
      if (code < 0) return weights.fill(0);
      const middles = middlesOf(view, name), furthest = 2 * masking.within * view.rows * (1 + ROUNDING);
      for (let i = 0; i < view.rows; i++) if (Math.abs(middles[people[i]] - middles[code]) > furthest) weights[i] = 0;
    } else if (masking.noise !== null) {
      for (let i = 0; i < view.rows; i++) {
        const there = people[i] < column.places.length;
        if (place === Infinity || !there) { if ((place === Infinity) === there) weights[i] = 0; continue; }
        const away = (column.places[people[i]] - place) / (masking.noise || ROUNDING);
        weights[i] *= Math.abs(away) <= FURTHEST_NOISE ? Math.exp(-0.5 * away * away) : 0;
      }
    } else if (masking.isMoved) {
      const share = Math.max(code >= 0 ? countsOf(view, name)[code] : 0, 1) / view.rows;
      for (let i = 0; i < view.rows; i++) weights[i] *= 1 - masking.kept + (people[i] === code ? masking.kept / share : 0);
    }
  }
  return weights;
}

function countsOf(view, name) {
  const counts = zeros(view.columns[name].texts.length + 1);
  for (const code of view.people[name]) counts[code]++;
  return counts;
}

// Twice the middle rank of each code.
function middlesOf(view, name) {
  let end = 0;
  return countsOf(view, name).map(count => { end += count; return 2 * end - count + 1; });
}

// What is believed about a value, where the published ones stand for others.
function movedBack(view, name, published) {
  if (!(name in view.masked)) return published;
  const { within, kept } = view.masked[name], counts = countsOf(view, name), all = total(counts);
  if (within === null) return published.map((x, code) => kept * x + (1 - kept) * counts[code] / all);
  const middles = middlesOf(view, name), furthest = 2 * within * all * (1 + ROUNDING);
  const believed = zeros(counts.length);
  let first = 0, last = 0, inside = 0;
  for (let code = 0; code < counts.length; code++) {
    while (last < counts.length && middles[last] <= middles[code] + furthest) inside += counts[last++];
    while (middles[first] < middles[code] - furthest) inside -= counts[first++];
    if (published[code] > 0) for (let other = first; other < last; other++) believed[other] += published[code] * counts[other] / inside;
  }
  return believed;
}

function beliefOf(view, name, weights, own) {
  const column = view.columns[name], size = column.texts.length + 1, sum = total(weights);
  let believed = zeros(size);
  const whole = zeros(size);
  if (name in view.counts) {
    const told = view.counts[name];
    for (let i = 0; i < told.code.length; i++) {
      const g = told.group[i];
      believed[told.code[i]] += weights[g] / sum * told.count[i] / view.sizes[g];
      whole[told.code[i]] += told.count[i];
    }
  } else {
    const codes = view.people[name];
    for (let i = 0; i < view.rows; i++) { believed[codes[i]] += weights[i] / sum; whole[codes[i]]++; }
    believed = movedBack(view, name, believed);
  }
  const all = total(whole);
  const likely = code => ({ value: code < column.texts.length ? column.texts[code] : null, probability: believed[code], before: whole[code] / all });
  const order = [...believed.keys()].filter(code => believed[code] > 0);
  const rounded = code => Math.round(believed[code] * 1e12);
  order.sort((a, b) => rounded(b) - rounded(a) || a - b);
  let mine = null;
  if (own !== undefined) mine = own.code < 0 ? { value: null, probability: 0, before: 0 } : likely(own.code);
  const between = betweenOf(column, believed), of_all = betweenOf(column, whole);
  return { attribute: column.name, key: name, likeliest: order.slice(0, MOST_SHOWN).map(likely), possible: order.length, own: mine, between, of_all };
}

// The least and the greatest amount or date with any weight.
function betweenOf(column, weights) {
  const there = column.isMeasured ? [...weights.keys()].filter(code => code < column.texts.length && weights[code] > 0) : [];
  return there.length ? [column.texts[there[0]], column.texts[there[there.length - 1]]] : null;
}

// The code of the value closest to a place; of two, the lower.
function closest(column, counts, place) {
  let best = -1, near = Infinity;
  for (let code = 0; code < counts.length; code++) {
    if (counts[code] === 0) continue;
    const at = code < column.places.length ? column.places[code] : Infinity;
    const away = at === place ? 0 : Math.abs(at - place);
    if (best < 0 || away < near || (place === Infinity && code > best)) { best = code; near = away; }
  }
  return best;
}

function distanceOf(view, known) {
  if (!view.distances || view.distances.columns.some(name => !(name in known) || Number.isNaN(known[name].place))) return null;
  const columns = view.distances.columns.map(name => {
    const counts = countsOf(view, name), middles = middlesOf(view, name);
    return { name, counts, middles, codes: view.people[name], wanted: middles[closest(view.columns[name], counts, known[name].place)] };
  });
  let record = -1, least = Infinity, matches = 0;
  for (let i = 0; i < view.rows; i++) {
    let furthest = 0;
    for (const c of columns) furthest = Math.max(furthest, Math.abs(c.middles[c.codes[i]] - c.wanted));
    if (furthest < least) { least = furthest; record = i; matches = 0; }
    if (furthest === least) matches++;
  }
  const byColumn = columns.map(c => {
    const away = Math.abs(c.middles[c.codes[record]] - c.wanted), column = view.columns[c.name];
    return { name: column.name, key: c.name, d: away / 2, v: diversity(column, c.counts, c.middles, c.wanted, away) };
  });
  const { random, isSample } = view.distances;
  let within = 0;
  while (within < random.length && random[within] <= least) within++;
  const plausible = (within + isSample) / (random.length + isSample);
  return { record: least / 2, byColumn, matches, plausible, is_plausible: plausible >= IMPLAUSIBLE };
}

// The variance of the values within a distance, or how many they are where they are no numbers.
function diversity(column, counts, middles, wanted, away) {
  const inside = [...counts.keys()].filter(code => counts[code] > 0 && Math.abs(middles[code] - wanted) <= away);
  if (!column.isMeasured) return inside.length;
  const there = inside.filter(code => code < column.places.length);
  const n = total(there.map(code => counts[code]));
  if (inside.length < 2 || n === 0) return 0;
  const mean = total(there.map(code => counts[code] * column.places[code])) / n;
  return total(there.map(code => counts[code] * (column.places[code] - mean) ** 2)) / n;
}

// What it says that a group fits her, where columns were permuted inside groups: the same as fit.py.
function fitOf(view, known) {
  const names = Object.keys(known), parts = view.parts.filter(({ columns }) => columns.some(name => name in known));
  if (!names.every(name => view.columns[name].isMoved) || parts.length < names.length) return null;
  const { groupOf } = parts[0], rows = groupOf.length;
  if (parts.some(part => part.groupOf !== groupOf && part.groupOf.some((group, i) => group !== groupOf[i]))) return null;
  // for each code of a column the groups in which it stands, and how often
  const cells = names.map(name => {
    const found = new Map();
    view.people[name].forEach((code, i) => {
      if (!found.has(code)) found.set(code, new Map());
      const of = found.get(code);
      of.set(groupOf[i], (of.get(groupOf[i]) || 0) + 1);
    });
    return found;
  });
  // with one row fewer in the group that is hers; of two groups one is not
  const fits = codes => {
    const columns = codes.map((code, j) => cells[j].get(code) || new Map()).sort((a, b) => a.size - b.size);
    let all = 0;
    for (const group of columns[0].keys()) {
      if (!columns.every(of => of.has(group))) continue;
      if (++all > 1 || columns.every(of => of.get(group) > 1)) return true;
    }
    return false;
  };
  const count = Math.min(MADE_UP, rows);
  let fitting = 0;
  for (let k = 0; k < count; k++) if (fits(names.map(name => view.people[name][Math.floor(k * rows / count)]))) fitting++;
  const outside = (fitting + 1) / (count + 1), believed = PRIOR / (PRIOR + (1 - PRIOR) * outside);
  const is_alone = !fits(names.map(name => known[name].code));
  return { outsiders: fitting / count, believed, is_alone, is_telling: is_alone || believed >= TELLING };
}

// A record is a list of keys and texts.
function verify(view, record) {
  const values = Object.fromEntries(record.map(([key, text]) => [key, soughtIn(view.columns[key], text)]));
  const known = Object.fromEntries(view.known.filter(key => key in values).map(key => [key, values[key]]));
  if (!Object.keys(known).length) throw new Error("Fill in something that somebody may know about you.");
  const hasGroups = view.sizes.length > 0;
  const weights = hasGroups ? groupWeights(view, known) : rowWeights(view, known);
  let rows = 0, groups = 0;
  weights.forEach((weight, g) => { if (weight > 0) { groups++; rows += hasGroups ? view.sizes[g] : 1; } });
  const unknown = record.filter(([key]) => view.known.includes(key) && view.columns[key].keepsValues && values[key].code < 0);
  return {
    known: Object.keys(known),
    unknown,
    strange: Object.fromEntries(record.filter(([key]) => values[key].code < 0)),
    open_rows: view.hasExactRows ? openRows(view, known) : null,
    also_open: view.hasExactRows ? view.known.filter(key => !(key in known)) : [],
    candidates: { rows, groups: hasGroups ? groups : null },
    beliefs: rows ? view.sensitive.map(key => beliefOf(view, key, weights, values[key])) : [],
    distance: rows ? distanceOf(view, known) : null,
    fit: rows ? fitOf(view, known) : null,
  };
}

// Where rows stand as they are: how many have exactly what is known.
function openRows(view, known) {
  const wanted = Object.entries(known).map(([key, { code }]) => [view.people[key], code]);
  let rows = 0;
  for (let i = 0; i < view.rows; i++) if (wanted.every(([codes, code]) => codes[i] === code)) rows++;
  return rows;
}
