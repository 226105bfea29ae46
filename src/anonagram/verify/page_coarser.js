
// How a person writes a value herself, and what it is published as.
const NUMBER = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/;
const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const MOMENT = /^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?$/;

const DAY_LENGTH = 86400000;

// A day or a moment in milliseconds, NaN where there is none; format says where day and month stand.
function readTime(text, input, format) {
  if (format && !/^[0-9]{4}-/.test(text)) {
    const parts = text.match(/^([0-9]{1,4})[.\/-]([0-9]{1,2})[.\/-]([0-9]{1,4})$/);
    if (!parts) return NaN;
    const named = Object.fromEntries(format.split("/").map((part, i) => [part, parts[i + 1]]));
    if (named.year.length !== 4) return NaN;
    text = `${named.year}-${named.month.padStart(2, "0")}-${named.day.padStart(2, "0")}`;
  }
  if (!DAY.test(text) && !(input === "moment" && MOMENT.test(text))) return NaN;
  const day = text.slice(0, 10), moment = new Date(day + "T00:00:00Z");
  // a day that there is not, such as 30 February, comes back as another
  if (Number.isNaN(moment.getTime()) || !moment.toISOString().startsWith(day)) return NaN;
  return Date.parse(DAY.test(text) ? day + "T00:00:00Z" : text.replace(" ", "T") + "Z");
}

function readNumber(text, column, format) {
  if (format === "1,234.5") text = text.replace(/[$€£¥ ,]/g, "");
  if (format === "1.234,5") text = text.replace(/[$€£¥ .]/g, "").replace(",", ".");
  if (!NUMBER.test(text)) return NaN;
  return column.isSingle ? Math.fround(Number(text)) : Number(text);
}

const INTERVAL = /^(?:< (?<below>[-0-9.e+]+)|>= (?<above>[-0-9.e+]+)|\[(?<low>[-0-9.e+]+), (?<high>[-0-9.e+]+)\))$/;
function intervalWith(labels, x) {
  return labels.find(label => {
    const ends = label.match(INTERVAL)?.groups;
    if (!ends) return false;
    if (ends.below) return x < Number(ends.below);
    return ends.above ? x >= Number(ends.above) : Number(ends.low) <= x && x < Number(ends.high);
  });
}

// What a value of the original is published as, step by step.
const COARSER = {
  round(x, { to, decimals }, column) {
    const scale = 10 ** decimals;
    if (column.isWhole) return Math.floor((2 * x + to) / (2 * to)) * to;
    const rounded = Math.round(Math.floor(x / to + 0.5) * to * scale) / scale;
    return column.isSingle ? Math.fround(rounded) : rounded;
  },
  clip: (x, { low, high }) => Math.min(Math.max(x, low ?? -Infinity), high ?? Infinity),
  period(x, { unit }) {
    const day = Math.floor(x / DAY_LENGTH);
    if (unit === "day") return day * DAY_LENGTH;
    if (unit === "week") return (day - ((day + 3) % 7 + 7) % 7) * DAY_LENGTH;
    const then = new Date(x), year = then.getUTCFullYear(), month = then.getUTCMonth(), begin = new Date(0);
    begin.setUTCFullYear(unit === "decade" ? Math.floor(year / 10) * 10 : year, unit === "month" ? month : unit === "quarter" ? month - month % 3 : 0, 1);
    return begin.getTime();
  },
  mask(text, { keep, side, symbol }) {
    const letters = [...text];
    while (letters.length < keep) side === "right" ? letters.push(symbol) : letters.unshift(symbol);
    return side === "right" ? letters.slice(0, keep).join("") + symbol : symbol + letters.slice(letters.length - keep).join("");
  },
  level(text, _, column) {
    const label = new Map(column.original.coarser).get(text) ?? (column.original.kind === "numeric" ? intervalWith(column.texts, Number(text)) : undefined);
    if (label === undefined) throw mustChoose(column);
    return label;
  },
};
const mustChoose = column => new Error(`${titleOf(column)} is published coarser (${column.original.told}): choose one of the values that the list shows.`);

// What was probably meant: the only number in a text such as 75y; else what values look like.
function rather(column, text) {
  const numbers = column.original.input === "number" ? text.match(/[0-9.,]*[0-9]/g) ?? [] : [];
  if (numbers.length !== 1 || !NUMBER.test(numbers[0])) return `For example ${column.texts[Math.floor(column.texts.length / 2)]}.`;
  return `Perhaps ${/^\s*-/.test(text) ? "-" : ""}${numbers[0]}?`;
}

function published(column, text) {
  const { input, format, steps } = column.original;
  const misfit = () => new Error(`${titleOf(column)} is ${column.original.kind}: “${text}” is no value of it. ${rather(column, text)}`);
  let value = input === "number" ? readNumber(text.trim(), column, format) : input === "text" ? text : readTime(text.trim(), input, format);
  if (typeof value === "number" && !Number.isFinite(value)) throw misfit();
  for (const step of steps) {
    if (!Object.hasOwn(COARSER, step.call)) throw mustChoose(column); // a step of another package
    if ((step.call === "mask" || step.call === "level") && typeof value === "number") value = input === "number" ? String(value) : new Date(value).toISOString().slice(0, 10);
    value = COARSER[step.call](value, step, column);
  }
  return value;
}
