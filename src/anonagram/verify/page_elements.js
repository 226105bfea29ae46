// What people see and fill in, whatever the release is.
const MOST_IN_A_LIST = 200, MOST_SUGGESTED = 50;

function element(tag, text, parent, className) {
  const made = document.createElement(tag);
  if (text !== null) made.textContent = text;
  if (className) made.className = className;
  if (parent) parent.append(made);
  return made;
}

// A list of one number is drawn as a bar, of two as a bar with a line across it.
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
      if (cell.length > 1) element("i", null, place).style.left = (100 * cell[1]) + "%";
    }
  }
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
  if (column.original.format) hint.textContent += ` Written as in the table: ${column.original.format}.`;
  // a field shows no line breaks
  return { control: input, read: () => column.texts.includes(input.value) ? input.value : column.texts.find(text => text.replace(/[\r\n]/g, "") === input.value) ?? read() };
}

function complain(text) {
  const result = document.getElementById("result");
  result.replaceChildren();
  element("p", text, result, "headline bad");
}

// The sentences first; what follows them goes below.
function showLines(lines, isBad) {
  const result = document.getElementById("result");
  result.replaceChildren();
  const headline = element("div", null, result, isBad ? "headline bad" : "headline");
  const list = element("ul", null, headline);
  lines.forEach(line => element("li", line, list));
  return result;
}

// A field for a column: its key, its element and what is in it.
function fieldOf(view, key, parent) {
  const column = view.columns[key], label = element("label", null, parent);
  element("span", titleOf(column), label);
  // what is published coarser is written as she has it herself
  const isChoice = !column.isMeasured && column.texts.length <= MOST_IN_A_LIST && !column.original.told;
  return { key, ...(isChoice ? choiceField : writtenField)(view, key, label) };
}

// What the release tells of, and the files this page was made beside.
function showMade(view, about) {
  document.getElementById("about").textContent = `This release tells of ${about}. It was made with the method ${view.method}.`;
  const made = document.getElementById("made");
  const tell = (name, text) => { element("dt", name, made); return element("dd", text, made); };
  tell("Made on", view.created);
  tell("Made with", `${view.software}, ${view.method}`);
  tell("Columns", Object.values(view.columns).map(column => column.label ? `${column.label} (${column.name})` : column.name).join(", "));
  for (const file of view.files) {
    const told = tell(`${file.path}, ${howMany(file.bytes, "byte")}`, "SHA-256 ");
    element("code", file.hash.replace("sha256:", ""), told);
  }
}

// There is no form: what nothing can submit cannot leave in an address.
function listen(fields, look) {
  const tryTo = () => {
    try { look(); }
    catch (error) { complain(error.message); }
    document.getElementById("result").scrollIntoView({ block: "nearest" });
  };
  document.getElementById("look").addEventListener("click", tryTo);
  for (const { control } of fields) {
    control.addEventListener("keydown", event => { if (event.key === "Enter" && !event.isComposing && control.tagName === "INPUT") tryTo(); });
  }
}

const filledIn = fields => fields.map(field => [field.key, field.read()]).filter(([, text]) => text !== undefined);
const cannotOpen = error => complain(`This browser cannot open the release (${error.message}). Try a newer one.`);
