"use strict";
const KINDS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i4: Int32Array, f8: Float64Array, b1: Uint8Array };

async function load() {
  const packed = Uint8Array.from(atob(document.getElementById("data").textContent), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const content = await new Response(stream).arrayBuffer();
  const size = Number(new DataView(content).getBigUint64(0, true));
  // columns go by keys like c0 in all that follows: their names are data, and only shown
  const view = JSON.parse(new TextDecoder().decode(new Uint8Array(content, 8, size)), (key, x) =>
    x && x.$array ? new KINDS[x.$array](content, 8 + size + x.start, x.length) : x);
  for (const column of Object.values(view.columns)) {
    column.isMeasured = "places" in column;
    if (!column.isMeasured) column.places = Float64Array.from(column.texts.keys());
  }
  return view;
}

// Which of a column's values a text is (-1 for none), and where it lies: Infinity for a missing
// value, NaN for one that has no place. Her own value becomes what it is published as.
function soughtIn(column, text) {
  const known = column.texts.indexOf(text);
  if (known >= 0) return { code: known, place: column.places[known] };
  if (text === null || text.trim() === "" || column.original.missing.includes(text.trim())) return { code: column.texts.length, place: Infinity };
  if (!column.isMeasured && !column.original.steps.length) return { code: -1, place: NaN };
  const value = published(column, text);
  if (!column.isMeasured) {
    const code = column.texts.indexOf(value);
    return { code, place: code < 0 ? NaN : column.places[code] };
  }
  const place = column.input === "number" ? value : value / column.milliseconds;
  return { code: column.places.indexOf(place), place };
}

const whole = x => x.toLocaleString("en");
const howMany = (x, one, many = one + "s") => `${whole(x)} ${x === 1 ? one : many}`;
const percent = (x, digits = 1) => (100 * x).toFixed(digits) + "%";
const titleOf = column => column.label ?? column.name;

// A value as people read it: with its label, where it has one.
function toldIn(column, value) {
  if (value === null) return "(missing)";
  const label = column.labels[column.texts.indexOf(value)] ?? null;
  return label === null ? value : `${label} (${value})`;
}
