
const MOST_IN_A_LIST = 200, MOST_SUGGESTED = 50;

function element(tag, text, parent, className) {
  const made = document.createElement(tag);
  if (text !== null) made.textContent = text;
  if (className) made.className = className;
  if (parent) parent.append(made);
  return made;
}

// A number is drawn as a bar, a pair as a bar with a line across it.
function showTable(result, caption, head, rows, className) {
  const table = element("table", null, result, className);
  element("caption", caption, table);
  const body = element("tbody", null, table), first = element("tr", null, body);
  head.forEach(text => element("th", text, first));
  for (const cells of rows) {
    const line = element("tr", null, body);
    for (const cell of cells) {
      if (typeof cell === "string") { element("td", cell, line); continue; }
      const place = element("div", null, element("td", null, line, "bar"));
      element("span", null, place).style.width = (100 * cell[0]) + "%";
      element("i", null, place).style.left = (100 * cell[1]) + "%";
    }
  }
}

function show(view, found) {
  const result = document.getElementById("result");
  result.replaceChildren();
  const { lines, isBad } = summaryOf(view, found);
  const headline = element("div", null, result, isBad ? "headline bad" : "headline");
  const list = element("ul", null, headline);
  lines.forEach(line => element("li", line, list));
  for (const belief of found.beliefs) showBelief(view, belief, result);
  const near = found.distance;
  if (!near) { if (view.distances && found.candidates.rows) element("p", "Fill in all columns to see how far the nearest row is from yours.", result); return; }
  showTable(result, `How far the nearest row is from yours: ${near.record} ranks`, ["column", "ranks", "diversity up to there"],
    near.byColumn.map(({ key, d, v }) => [titleOf(view.columns[key]), String(d), v.toPrecision(4)]));
}

function showBelief(view, belief, result) {
  const column = view.columns[belief.key];
  showTable(result, `What somebody who knows you would believe about ${titleOf(column)}`, ["value", "believed", "", "in the table"],
    belief.likeliest.map(x => [toldIn(column, x.value), percent(x.probability), [x.probability, x.before], percent(x.before)]), "beliefs");
  const key = element("p", null, result, "key");
  element("b", "■", key);
  key.append(" believed of you   ");
  element("i", "|", key);
  key.append(" in the whole table");
  if (belief.possible > belief.likeliest.length) key.append(`. And ${belief.possible - belief.likeliest.length} more values`);
}

// Whether a missing value is possible.
function hasMissing(view, key) {
  const missing = view.columns[key].texts.length, told = view.spans[key];
  if (key in view.people) return view.people[key].includes(missing);
  if (key in view.counts) return view.counts[key].code.includes(missing);
  return Boolean(told) && (told.starts ? told.codes.includes(missing) : told.has_missing.includes(1));
}

// A list to choose from, whose choices are numbered: what is in the data is only ever shown.
function choiceField(view, key, place) {
  const column = view.columns[key], select = element("select", null, place);
  const order = [...column.texts.keys()], shown = column.texts.map(text => toldIn(column, text));
  if (column.kind === "nominal") order.sort((a, b) => shown[a].localeCompare(shown[b], "en", { numeric: true }));
  const add = (text, value) => { element("option", text, select).value = value; };
  add(view.known.includes(key) ? "– nobody knows –" : "– not told –", "");
  order.forEach(code => add(shown[code], String(code)));
  if (hasMissing(view, key)) add("(missing)", "missing");
  add("none of these", "other");
  let other = "none of these";
  while (column.texts.includes(other)) other += "…";
  const meant = { "": undefined, missing: null, other };
  return { control: select, read: () => select.value in meant ? meant[select.value] : column.texts[Number(select.value)] };
}

// A field to write into, which offers the values that fit what is written so far.
function writtenField(view, key, place) {
  const column = view.columns[key], input = element("input", null, place), hint = element("small", null, place);
  // what is typed stays here: browsers keep histories of fields, and may have spelling checked elsewhere
  input.autocomplete = "off";
  input.spellcheck = false;
  const read = () => input.value === "" ? undefined : input.value;
  if (column.input === "date" || column.input === "moment") {
    input.type = column.input === "date" ? "date" : "datetime-local";
    input.step = column.input === "date" ? "1" : "any";
    return { control: input, read: () => column.input === "moment" && /T[0-9]{2}:[0-9]{2}$/.test(input.value) ? input.value + ":00" : read() };
  }
  if (column.input === "number") input.inputMode = "decimal";
  const list = element("datalist", null, place), shown = column.texts.map(text => toldIn(column, text));
  list.id = "values-" + key;
  input.setAttribute("list", list.id);
  const offer = () => {
    const sought = input.value.toLowerCase(), fitting = [];
    for (let code = 0; code < shown.length && fitting.length < MOST_SUGGESTED; code++) if (shown[code].toLowerCase().includes(sought)) fitting.push(code);
    list.replaceChildren(...fitting.map(code => {
      const option = element("option", null, null);
      option.value = column.texts[code];
      if (shown[code] !== column.texts[code]) option.label = shown[code];
      return option;
    }));
    const exact = column.texts.indexOf(input.value);
    hint.textContent = exact >= 0 && shown[exact] !== input.value ? shown[exact] : "";
  };
  input.addEventListener("input", offer);
  offer();
  if (column.input === "number" && column.texts.length) hint.textContent = `${column.texts[0]} to ${column.texts[column.texts.length - 1]}`;
  if (column.original.told) hint.textContent = `Your own value is enough; it is published coarser: ${column.original.told}.`;
  // a field shows no line breaks
  return { control: input, read: () => column.texts.includes(input.value) ? input.value : column.texts.find(text => text.replace(/[\r\n]/g, "") === input.value) ?? read() };
}

// A field for each column, in the order shown: its key, its element and what is in it.
function makeFields(view) {
  const field = (key, parent) => {
    const column = view.columns[key], label = element("label", null, parent);
    element("span", titleOf(column), label);
    // what is published coarser is written as she has it herself
    const isChoice = !column.isMeasured && column.texts.length <= MOST_IN_A_LIST && !column.original.told;
    return { key, ...(isChoice ? choiceField : writtenField)(view, key, label) };
  };
  const known = document.getElementById("known"), own = document.getElementById("own");
  return [...view.known.map(key => field(key, known)), ...view.sensitive.map(key => field(key, own))];
}

function showMade(view) {
  document.getElementById("about").textContent = `This release tells of ${whole(view.rows)} people. It was made with the method ${view.method}.`;
  const made = document.getElementById("made");
  const tell = (name, text) => { element("dt", name, made); return element("dd", text, made); };
  tell("Made on", view.created);
  tell("Made with", `${view.software}, ${view.method}`);
  tell("Columns", Object.values(view.columns).map(column => column.label ? `${column.label} (${column.name})` : column.name).join(", "));
  for (const file of view.files) {
    const told = tell(`${file.path}, ${whole(file.bytes)} bytes`, "SHA-256 ");
    element("code", file.hash.replace("sha256:", ""), told);
  }
}

function complain(text) {
  const result = document.getElementById("result");
  result.replaceChildren();
  element("p", text, result, "headline bad");
}

// There is no form: what nothing can submit cannot leave in an address.
function listen(view, fields) {
  const look = () => {
    const given = fields.map(field => [field.key, field.read()]).filter(([, text]) => text !== undefined);
    try { show(view, verify(view, given)); }
    catch (error) { complain(error.message); }
    document.getElementById("result").scrollIntoView({ block: "nearest" });
  };
  document.getElementById("look").addEventListener("click", look);
  for (const { control } of fields) {
    control.addEventListener("keydown", event => { if (event.key === "Enter" && !event.isComposing && control.tagName === "INPUT") look(); });
  }
}

let verifyRecord; // for who looks from outside: takes pairs of a column's name and a text
const ready = load().then(view => {
  showMade(view);
  listen(view, makeFields(view));
  const keyOf = new Map(Object.entries(view.columns).map(([key, column]) => [column.name, key]));
  verifyRecord = pairs => {
    const found = verify(view, pairs.filter(([name]) => keyOf.has(name)).map(([name, text]) => [keyOf.get(name), text]));
    return { ...found, summary: summaryOf(view, found).lines };
  };
  return true;
});
ready.catch(error => complain(`This browser cannot open the release (${error.message}). Try a newer one.`));
