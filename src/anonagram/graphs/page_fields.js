
function show(found) {
  const { lines, isBad } = summaryOf(found), result = showLines(lines, isBad);
  if (!found.likeliest.length) return;
  showTable(result, `With whom of ${found.across} you are most likely connected`, ["group", "each of them", "", `${found.across} in it`],
    found.likeliest.map(x => [whole(x.group), percent(x.probability, 2), [x.probability], x.entities.filter(text => text).join("; ")]), "likely");
}

// How many edges she has: the same for both sides.
function degreeField(parent) {
  const label = element("label", null, parent);
  element("span", "How many edges you have", label);
  const input = element("input", null, label);
  element("small", "In how many lines of the edges you stand, if somebody may know it.", label);
  input.autocomplete = "off";
  input.inputMode = "numeric";
  return { control: input, read: () => input.value.trim() === "" ? null : input.value };
}

// A field for each column of a side, in a place of their own that is shown when it is chosen.
function makeSides(view) {
  const known = document.getElementById("known");
  return view.sides.map(side => {
    const place = element("div", null, known, "fields");
    return { place, fields: side.columns.map(key => fieldOf(view, key, place)), degree: degreeField(place) };
  });
}

function chooseSide(view, sides) {
  const select = document.getElementById("table");
  view.sides.forEach((side, i) => { element("option", side.table, select).value = String(i); });
  const choose = () => {
    sides.forEach(({ place }, i) => { place.hidden = i !== Number(select.value); });
    document.getElementById("result").replaceChildren();
  };
  select.addEventListener("change", choose);
  choose();
  return () => Number(select.value);
}

let verifyRecord; // for who looks from outside: a table, pairs of a column's name and a text, a degree
const ready = load().then(view => {
  const sides = makeSides(view), chosen = chooseSide(view, sides);
  const told = view.sides.map(side => `${whole(side.groupOfEntity.length)} ${side.table}`).join(", ");
  showMade(view, `${told} and ${howMany(view.edges, "edge")} between them`);
  listen(sides.flatMap(({ fields, degree }) => [...fields, degree]), () => {
    const { fields, degree } = sides[chosen()];
    show(verify(view, chosen(), filledIn(fields), degree.read()));
  });
  verifyRecord = (table, pairs, degree) => {
    const place = view.sides.findIndex(side => side.table === table);
    const keyOf = new Map(view.sides[place].columns.map(key => [view.columns[key].name, key]));
    const found = verify(view, place, pairs.map(([name, text]) => [keyOf.get(name), text]), degree);
    return { ...found, summary: summaryOf(found).lines };
  };
  return true;
});
ready.catch(cannotOpen);
