
// What it means for her, the worst first: the same as verification.py says.
const NEARLY_SURE = 0.9;
const edgesTold = number => howMany(number, "edge");

function bySurroundings(found) {
  const fitting = found.with_degree ?? found.nodes, own = found.own_surroundings;
  if (!own) return [];
  const which = fitting === 1 ? "The only node that can be yours looks"
    : own === fitting ? `All ${howMany(fitting, "node")} that can be yours look`
    : `${whole(own)} of the ${howMany(fitting, "node")} that can be yours ${own === 1 ? "looks" : "look"}`;
  return [`${which} like no other of the group by the graph around (how many edges you have, those you are connected with, and theirs): whoever knows that of you ${own === fitting ? "knows" : "may know"} your node.`];
}

function byDegree(found) {
  if (found.with_degree === 1) return [`Whoever knows that you have ${edgesTold(found.told_degree)} knows your node in the graph, and for each of your edges the group of ${found.across} it leads to.`];
  if (found.with_degree !== null) return [`For somebody who knows that you have ${edgesTold(found.told_degree)}, ${howMany(found.with_degree, "node")} can be yours.`];
  if (!found.own_degree) return [];
  const isOne = found.own_degree === 1;
  return [`${whole(found.own_degree)} of the ${howMany(found.nodes, "node")} that can be yours ${isOne ? "has" : "have"} a number of edges that no other of the group has: if ${isOne ? "it" : "one of them"} is yours, whoever knows how many edges you have knows your node. Give their number (degree) to see.`];
}

function byEdge(found) {
  const left = howMany(found.after_edge, "node is", "nodes are");
  const told = `For somebody who knows one of your edges, ${left} left at worst`;
  return found.sure_after_edge ? `${told}; of another of your edges he can then be sure with up to ${percent(found.sure_after_edge)}.` : `${told}.`;
}

function byGroups(found) {
  const where = found.group === null ? howMany(found.groups, "group") : `group ${whole(found.group)}`;
  return `By the groups alone, ${howMany(found.nodes, "node")} of ${where} can be yours (${whole(found.alike)} in ${found.table} look${found.alike === 1 ? "s" : ""} like you).`;
}

// All sentences, and whether the release gives something away.
function summaryOf(found) {
  if (!found.alike) return { lines: [`Nobody in ${found.table} has these values: you are not in the release.`], isBad: false };
  if (found.with_degree === 0) return { lines: [`No node that can be yours has ${edgesTold(found.told_degree)}: you are not in the release.`], isBad: false };
  const first = found.with_degree === 1 ? [...byDegree(found), byEdge(found)] : [byEdge(found), ...byDegree(found)];
  const lines = [...bySurroundings(found), ...first, byGroups(found)], top = found.likeliest[0];
  if (top) lines.push(`Somebody who knows you would believe at most with ${percent(top.probability)} that you are connected with a certain one of ${found.across}.`);
  return { lines, isBad: found.with_degree === 1 || found.own_surroundings * 2 > (found.with_degree ?? found.nodes) || found.after_edge === 1 || Boolean(top && top.probability >= NEARLY_SURE) };
}
