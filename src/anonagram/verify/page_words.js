
// What it means for her, in plain words: the same as words.py says.
const LITTLE = 0.1, TIMES = 3, NEARLY_SURE = 0.9, MOST_LISTED = 12;
// a rare share has as many digits as it takes to tell it from none
const shareTold = x => percent(x, x >= 0.0005 || !x ? 1 : -Math.floor(Math.log10(100 * x)));
const quotedIn = (column, value) => value === null ? "a missing value" : `“${toldIn(column, value)}”`;
const timesOf = likely => likely.before ? likely.probability / likely.before : 0;

function nothingTold(view, found) {
  if (!found.unknown.length) return "Nothing in this release can be you: no row or group has all of these values together.";
  const shown = found.unknown.map(([key, text]) => `${titleOf(view.columns[key])} “${text}”`).join(" and ");
  const date = found.unknown.map(([key]) => view.columns[key]).find(column => column.kind === "date");
  const how = date ? ` (a date is written ${date.original.format ? date.original.format + ", as in the table, or " : ""}2024-01-31)` : "";
  const told = found.unknown.map(([key, text]) => insteadTold(view.columns[key], text)).join("");
  return `Nothing can be said: no row has ${shown}. Check how it is written${how}, or you are not in it.${told}`;
}

// What to give instead of a value that nobody has: all of few, those of many that begin like it.
function valuesLike({ texts, isMeasured }, text) {
  if (isMeasured) return [...new Set([texts[0], texts[texts.length - 1]])];
  if (texts.length <= MOST_LISTED) return texts;
  const wanted = [...text.trim().toLowerCase()];
  for (let length = wanted.length; length > 0; length--) {
    const like = texts.filter(each => each.toLowerCase().startsWith(wanted.slice(0, length).join("")));
    if (like.length) return like.slice(0, MOST_LISTED);
  }
  return [];
}

// Which values there are, where somebody gave another.
function insteadTold(column, text) {
  const values = column.texts.length ? valuesLike(column, text ?? "") : [];
  if (!values.length) return "";
  if (column.isMeasured) return ` ${titleOf(column)} goes from ${values[0]} to ${values[values.length - 1]}.`;
  return ` There are rows with ${titleOf(column)} ${values.map(value => quotedIn(column, value)).join(", ")}.`;
}

function openTold(view, found) {
  const names = found.known.map(key => titleOf(view.columns[key])), last = names.pop();
  const isOne = found.open_rows === 1, also = found.also_open.map(key => titleOf(view.columns[key])).join(", ");
  const shown = also ? `; ${isOne ? "it also shows" : "they also show"} ${also}` : "";
  return `With ${names.length ? names.join(", ") + " and " + last : last} alone ${isOne ? "one row" : whole(found.open_rows) + " rows"} can be yours${shown}.`;
}

function candidatesTold(view, { rows, groups }) {
  if (groups === null) return `${whole(rows)} of ${howMany(view.rows, "row")} can be yours.`;
  const where = groups === 1 ? "one group; it has" : `${howMany(groups, "group")}; they have`;
  return `You can be in ${where} ${whole(rows)} of ${howMany(view.rows, "row")}.`;
}

function beliefTold(view, belief, strange) {
  const top = belief.likeliest[0], column = view.columns[belief.key];
  let told = `${titleOf(column)}: somebody who knows you believes most in ${quotedIn(column, top.value)} (${shareTold(top.probability)}; it is ${shareTold(top.before)} of the table)`;
  if (belief.own && belief.own.before) told += `, and in your own with ${shareTold(belief.own.probability)}`;
  if (belief.between && belief.of_all && belief.possible > 1) told += `. What is possible lies between ${belief.between.join(" and ")} (in the table ${belief.of_all.join(" to ")})`;
  if (belief.possible === 1) told += ". No other value is possible: this is known of you";
  if (belief.own && !belief.own.before) {
    const instead = belief.key in strange ? insteadTold(column, strange[belief.key]) : "";
    return `${told}. Nobody has what you gave as your own: check how it is written.${instead}`;
  }
  return told + ".";
}

// Whether she is in the table at all.
function fitTold({ outsiders, believed, is_alone }) {
  const everybody = `Everybody in the table fits a group, and so do ${shareTold(outsiders)} of people like them who are not in it: whoever believed 10% beforehand that you are in it, now believes ${shareTold(believed)}.`;
  if (!is_alone) return everybody;
  const rare = believed >= TELLING ? everybody : `Of people like those in the table who are not in it ${shareTold(outsiders)} fit one.`;
  return `Without you no group would have all of these values together: that one has them tells of you. ${rare}`;
}

const ranksAway = near => `${Number(near.record.toPrecision(6))} ranks away`;

// Where groups are: a row of a group is nobody's, so whether the group fits is what tells.
const nearTold = near => near.matches > 1
  ? `${howMany(near.matches, "record is", "records are")} nearest to yours, ${ranksAway(near)}.`
  : `The record nearest to yours is ${ranksAway(near)}.`;

// Where every row is somebody's: which of them a linkage attack takes for hers.
function linkedTold(near) {
  const nearest = near.matches > 1 ? `one of the ${howMany(near.matches, "row")}` : "the one row";
  const taken = `Whoever links rows with people takes ${nearest} nearest to you for yours, ${ranksAway(near)}`;
  return near.is_plausible
    ? `${taken}. ${shareTold(near.plausible)} of records made up at random have a match as near, so its nearness does not show that it is yours, nor that it is not: how many people are found like that, anonagram audit tells whoever has the original.`
    : `${taken}; only ${percent(near.plausible, 2)} of records made up at random have a match as near: it may well be you.`;
}

// Whether the release says much about her that the table does not say of everybody.
function conclusion(view, beliefs) {
  if (Math.max(...beliefs.map(belief => belief.likeliest[0].probability)) >= NEARLY_SURE)
    return { text: "This is nearly certain: the release gives it away about you.", isBad: true };
  const likely = beliefs.flatMap(({ key, likeliest }) => likeliest.map(x => [key, x]));
  likely.push(...beliefs.filter(belief => belief.own).map(({ key, own }) => [key, own]));
  const rounded = ([, x]) => Number(timesOf(x).toPrecision(9));
  const [key, risen] = likely.reduce((best, pair) => rounded(pair) > rounded(best) ? pair : best);
  const learned = view.surer ? " " + view.surer : "";
  if (timesOf(risen) >= TIMES) {
    const value = quotedIn(view.columns[key], risen.value);
    return { text: `For ${titleOf(view.columns[key])}, ${value} is ${timesOf(risen).toFixed(0)} times as likely for you as for anybody (${shareTold(risen.before)} before, ${shareTold(risen.probability)} now): that is what the release gives away.${learned}`, isBad: true };
  }
  const isLittle = Math.max(...likely.map(([, x]) => x.probability - x.before)) <= LITTLE;
  return { text: isLittle ? `That is hardly more than the table says of everybody.${learned}` : `That is more than the table says of everybody, and far from certain.${learned}`, isBad: false };
}

// All sentences, what stands open first; and whether the release gives something away.
function summaryOf(view, found) {
  const leftOut = view.leftOut ? [view.leftOut] : [];
  if (!found.candidates.rows) return { lines: [nothingTold(view, found), ...leftOut], isBad: false };
  const lines = found.open_rows ? [openTold(view, found)] : [];
  const { fit, distance } = found, isLinked = Boolean(distance && found.candidates.groups === null);
  const isTelling = (isLinked && !distance.is_plausible) || Boolean(fit && fit.is_telling);
  if (fit && fit.is_telling) lines.push(fitTold(fit));
  if (isLinked) lines.push(linkedTold(distance));
  lines.push(candidatesTold(view, found.candidates), ...leftOut, ...found.beliefs.map(belief => beliefTold(view, belief, found.strange)));
  lines.push(...view.untrue.map(key => `${titleOf(view.columns[key])}: its published values were changed, and are nobody's.`));
  if (distance && !isLinked) lines.push(nearTold(distance));
  if (fit && !fit.is_telling) lines.push(fitTold(fit));
  if (!found.beliefs.length) return { lines, isBad: isTelling };
  const { text, isBad } = conclusion(view, found.beliefs);
  return { lines: [...lines, text], isBad: isBad || isTelling };
}
