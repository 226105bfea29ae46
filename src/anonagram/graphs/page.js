
// What somebody who knows her finds in a graph: the same as verification.py.
const MOST_SHOWN = 5, DECIMALS = 1e12;

function degreesOf(side) {
  const degrees = new Uint32Array(side.groupOfNode.length);
  for (const node of side.ends) degrees[node]++;
  return degrees;
}

// The entities that have these values.
function alikeIn(view, side, record) {
  const wanted = record.map(([key, text]) => [view.people[key], soughtIn(view.columns[key], text).code]);
  const alike = [];
  for (let i = 0; i < side.groupOfEntity.length; i++) if (wanted.every(([codes, code]) => codes[i] === code)) alike.push(i);
  return alike;
}

// Everybody alike is as likely to be her, and every node of a group to be that of one in it.
function chancesOf(side, alike, nodes) {
  const people = new Float64Array(side.sizes.length), chance = new Float64Array(side.groupOfNode.length);
  for (const i of alike) people[side.groupOfEntity[i]]++;
  let sum = 0;
  for (const node of nodes) sum += chance[node] = people[side.groupOfNode[node]] / side.sizes[side.groupOfNode[node]];
  for (const node of nodes) chance[node] /= sum;
  return chance;
}

// For each node of hers the groups across that its edges lead to.
function groupsAcross(side, across, chance) {
  const into = new Map();
  for (let i = 0; i < side.ends.length; i++) {
    const node = side.ends[i];
    if (!(chance[node] > 0)) continue;
    if (!into.has(node)) into.set(node, []);
    into.get(node).push(across.groupOfNode[across.ends[i]]);
  }
  return into;
}

// For somebody who knows one of her edges: nodes left, and how sure another edge of hers is, at worst.
function afterEdge(side, across, chance) {
  const into = groupsAcross(side, across, chance), nodesOf = new Map();
  for (const [node, groups] of into) for (const group of groups) {
    if (!nodesOf.has(group)) nodesOf.set(group, []);
    nodesOf.get(group).push(node);
  }
  let left = Infinity, sure = 0;
  for (const [known, nodes] of nodesOf) {
    left = Math.min(left, nodes.length);
    const others = new Map();
    let all = 0;
    for (const node of nodes) {
      all += chance[node];
      for (const group of into.get(node)) if (group !== known) others.set(group, (others.get(group) ?? 0) + chance[node]);
    }
    for (const [group, weight] of others) sure = Math.max(sure, weight / all / across.sizes[group]);
  }
  if (!nodesOf.size) left = chance.reduce((count, each) => count + (each > 0), 0);
  return { left, sure };
}

function entityTold(view, side, row) {
  return side.columns.map(key => [...view.columns[key].texts, "–"][view.people[key][row]]).join(", ");
}

function likeliestOf(view, side, across, chance) {
  const into = new Float64Array(across.sizes.length);
  for (let i = 0; i < side.ends.length; i++) into[across.groupOfNode[across.ends[i]]] += chance[side.ends[i]];
  const likely = into.map((each, group) => each / across.sizes[group]);
  const rounded = group => Math.round(likely[group] * DECIMALS);
  const best = [...likely.keys()].filter(group => likely[group] > 0).sort((a, b) => rounded(b) - rounded(a) || a - b);
  return best.slice(0, MOST_SHOWN).map(group => ({ group: group + 1, probability: likely[group], entities: inGroup(view, across, group) }));
}

// The first entities of a group; how many they are where nothing else is told of them.
function inGroup(view, across, group) {
  if (!across.columns.length) return [`${whole(across.sizes[group])} of whom nothing else is told`];
  const entities = [];
  for (let i = 0; i < across.groupOfEntity.length && entities.length < MOST_SHOWN; i++) if (across.groupOfEntity[i] === group) entities.push(entityTold(view, across, i));
  return entities;
}

function readDegree(text) {
  if (text === null) return null;
  if (!/^[0-9]+$/.test(text.trim())) throw new Error(`“${text}” is no number of edges.`);
  return Number(text.trim());
}

// A record is a list of keys and texts; who only says how many edges she has gives none.
function verify(view, place, record, degreeText) {
  const side = view.sides[place], across = view.sides[1 - place], degree = readDegree(degreeText);
  if (!record.length && degree === null) throw new Error("Fill in something that somebody may know about you.");
  const alike = alikeIn(view, side, record), degrees = degreesOf(side);
  const groups = new Set(alike.map(i => side.groupOfEntity[i]));
  const nodes = [...side.groupOfNode.keys()].filter(node => groups.has(side.groupOfNode[node]));
  const fitting = degree === null ? nodes : nodes.filter(node => degrees[node] === degree);
  const chance = chancesOf(side, alike, fitting), { left, sure } = afterEdge(side, across, chance);
  return {
    table: side.table,
    across: across.table,
    alike: alike.length,
    groups: groups.size,
    group: groups.size === 1 ? [...groups][0] + 1 : null,
    nodes: nodes.length,
    told_degree: degree,
    with_degree: degree === null ? null : fitting.length,
    own_surroundings: fitting.filter(node => side.alone[node]).length,
    own_degree: ownDegrees(side, degrees, nodes),
    after_edge: left,
    sure_after_edge: sure,
    likeliest: likeliestOf(view, side, across, chance),
  };
}

// Nodes with a number of edges that no other node of their group has.
function ownDegrees(side, degrees, nodes) {
  const count = new Map(), keyOf = node => `${side.groupOfNode[node]} ${degrees[node]}`;
  for (const node of nodes) count.set(keyOf(node), (count.get(keyOf(node)) ?? 0) + 1);
  return nodes.filter(node => count.get(keyOf(node)) === 1).length;
}
