function show(view, found) {
  const { lines, isBad } = summaryOf(view, found), result = showLines(lines, isBad);
  for (const belief of found.beliefs) showBelief(view, belief, result);
  const near = found.distance;
  if (!near) { if (view.distances && found.candidates.rows) element("p", "Fill in all columns to see how far the nearest row is from yours.", result); return; }
  showTable(result, `How far the nearest row is from yours: ${near.record} ranks`, ["column", "ranks", "diversity up to there"],
    near.byColumn.map(({ key, d, v }) => [titleOf(view.columns[key]), String(d), v.toPrecision(4)]));
}

function showBelief(view, belief, result) {
  const column = view.columns[belief.key];
  showTable(result, `What somebody who knows you would believe about ${titleOf(column)}`, ["value", "believed", "", "in the table"],
    belief.likeliest.map(x => [toldIn(column, x.value), shareTold(x.probability), [x.probability, x.before], shareTold(x.before)]), "beliefs");
  const key = element("p", null, result, "key");
  element("b", "■", key);
  key.append(" believed of you   ");
  element("i", "|", key);
  key.append(" in the whole table");
  if (belief.possible > belief.likeliest.length) key.append(`. And ${howMany(belief.possible - belief.likeliest.length, "more value")}`);
}

// A field for each column, in the order shown.
function makeFields(view) {
  const known = document.getElementById("known"), own = document.getElementById("own");
  return [...view.known.map(key => fieldOf(view, key, known)), ...view.sensitive.map(key => fieldOf(view, key, own))];
}

let verifyRecord; // for who looks from outside: takes pairs of a column's name and a text
const ready = load().then(view => {
  const fields = makeFields(view);
  showMade(view, howMany(view.rows, "person", "people"));
  listen(fields, () => show(view, verify(view, filledIn(fields))));
  const keyOf = new Map(Object.entries(view.columns).map(([key, column]) => [column.name, key]));
  verifyRecord = pairs => {
    const found = verify(view, pairs.filter(([name]) => keyOf.has(name)).map(([name, text]) => [keyOf.get(name), text]));
    return { ...found, summary: summaryOf(view, found).lines };
  };
  return true;
});
ready.catch(cannotOpen);
