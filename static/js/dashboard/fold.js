/* Which concepts stand between the ends of finished chains, and what is drawn in their place.
 * Pure functions over plain values. */

/* Those that lie on a chain, are no end of it, and lead to ends of chains alone; with a link from
 * each concept before them to each after them, which says how many it hides (`count`).
 *
 * `nodes` have `id`, `terminal`, `turn` and `revised`, `edges` `source`, `target`, `turn`. */
export function folded(nodes, edges) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ahead = new Map(nodes.map((node) => [node.id, []]));
  const behind = new Set();
  for (const edge of edges) {
    if (edge.revises || !byId.has(edge.source) || !byId.has(edge.target)) continue;
    ahead.get(edge.source).push(edge.target);
    behind.add(edge.target);
  }
  const finished = ends(byId, ahead);
  const hidden = new Set(
    nodes
      .filter((node) => !node.terminal && behind.has(node.id) && finished(node.id) && isLive(node))
      .map((node) => node.id),
  );
  const links = [];
  for (const node of nodes) {
    if (!hidden.has(node.id)) links.push(...across(node.id, ahead, hidden, byId));
  }
  return { hidden, links };
}

function isLive(node) {
  return node.revised === null || node.revised === undefined;
}

/* Whether all that a concept leads to comes to an end of a chain; what runs in a circle does not. */
function ends(byId, ahead) {
  const known = new Map();
  const finished = (id) => {
    if (!known.has(id)) {
      known.set(id, false);
      const next = ahead.get(id);
      known.set(id, Boolean(byId.get(id).terminal) || (next.length > 0 && next.every(finished)));
    }
    return known.get(id);
  };
  return finished;
}

function across(start, ahead, hidden, byId) {
  const before = new Map(); // to each concept after the folded ones, those that lie between
  const walk = (id, path) => {
    for (const next of ahead.get(id)) {
      if (hidden.has(next)) {
        if (!path.includes(next)) walk(next, [...path, next]);
      } else if (path.length) {
        if (!before.has(next)) before.set(next, new Set());
        path.forEach((one) => before.get(next).add(one));
      }
    }
  };
  walk(start, []);
  return [...before].map(([target, between]) => ({
    id: `fold:${start}:${target}`,
    source: start,
    target,
    fold: true,
    count: between.size,
    turn: Math.max(byId.get(target).turn, ...[...between].map((id) => byId.get(id).turn)),
  }));
}
