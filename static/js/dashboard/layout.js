/* Where the concepts of a ladder stand: one band a level, lowest at the bottom, few crossings.
 *
 * The whole interview is laid out once and a replay only shows and hides, so that nothing moves
 * while one watches. Pure functions over plain values.
 */

const LINE = 17;
const PAD_X = 14;
const PAD_Y = 8;
const GAP_X = 22;
const GAP_Y = 26;
const BAND_PAD = 22;
const EMPTY_BAND = 34;
const MAX_TEXT = 132;
const MAX_LINES = 3;
const SWEEPS = 8;

/* Break a label into at most three lines; `measure` gives a text's width in px. */
export function wrap(label, measure) {
  const lines = [];
  let line = "";
  for (const word of label.split(/\s+/).flatMap((w) => pieces(w, measure))) {
    const longer = line ? `${line} ${word}` : word;
    if (line && measure(longer) > MAX_TEXT) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  lines.push(line);
  if (lines.length > MAX_LINES) {
    lines.length = MAX_LINES;
    lines[MAX_LINES - 1] = `${lines[MAX_LINES - 1].replace(/.$/u, "")}…`;
  }
  return lines;
}

/* A word too long for a line, cut to fit. */
function pieces(word, measure) {
  const found = [];
  let part = "";
  for (const letter of word) {
    if (part && measure(part + letter) > MAX_TEXT) {
      found.push(part);
      part = "";
    }
    part += letter;
  }
  found.push(part);
  return found;
}

/* The size of a node that holds these lines. */
export function sizeOf(lines, measure) {
  return {
    width: Math.max(44, Math.ceil(Math.max(...lines.map(measure))) + 2 * PAD_X),
    height: lines.length * LINE + 2 * PAD_Y,
  };
}

/* Place `boxes` ({id, band, width, height}) in bands, given `links` ({source, target}), so that
 * the drawing is as large as it can be in a canvas of this width and height.
 *
 * Returns the positions of centres by id, and for each band its top and bottom; y grows downwards.
 */
export function layOut(boxes, links, bandCount, canvas) {
  let best = null;
  // From wide to narrow: long rows leave links more room, unless short ones are clearly larger.
  for (let room = 1560; room >= 360; room -= 120) {
    const tried = layInto(boxes, links, bandCount, room, 0);
    const zoom = Math.min(canvas.width / tried.width, canvas.height / tried.height, 1.1);
    if (!best || zoom > best.zoom * 1.12) best = { zoom, room, tried };
  }
  // Bands share the height that is left over.
  const spare = Math.max(0, canvas.height / best.zoom - best.tried.height);
  return layInto(boxes, links, bandCount, best.room, spare / bandCount / 2);
}

/* Place the boxes in rows of at most `width`, each band with `extra` more room above and below. */
function layInto(boxes, links, bandCount, width, extra) {
  const near = neighbours(boxes, links);
  const bands = Array.from({ length: bandCount }, () => []);
  for (const box of boxes) bands[box.band].push(box);
  order(bands, near);
  const rows = bands.map((band) => intoRows(band, width));
  const positions = new Map();
  const extents = [];
  let bottom = 0;
  rows.forEach((band, index) => {
    let y = bottom - BAND_PAD - extra;
    for (const row of band) {
      const height = Math.max(...row.map((box) => box.height));
      placeRow(row, y - height / 2, positions);
      y -= height + GAP_Y;
    }
    const top = (band.length ? y + GAP_Y : y - EMPTY_BAND) - BAND_PAD - extra;
    extents.push({ index, top, bottom });
    bottom = top;
  });
  relax(rows, near, positions, width);
  const sides = boxes.flatMap((box) => {
    const { x } = positions.get(box.id);
    return [x - box.width / 2, x + box.width / 2];
  });
  return {
    positions,
    bands: extents,
    width: sides.length ? Math.max(...sides) - Math.min(...sides) : 1,
    height: -bottom || 1,
  };
}

function neighbours(boxes, links) {
  const near = new Map(boxes.map((box) => [box.id, []]));
  for (const { source, target } of links) {
    if (near.has(source) && near.has(target)) {
      near.get(source).push(target);
      near.get(target).push(source);
    }
  }
  return near;
}

/* Barycentre sweeps: each concept moves towards the middle of what it is linked to. */
function order(bands, near) {
  const rank = new Map();
  const rerank = (band) => band.forEach((box, i) => rank.set(box.id, (i + 0.5) / band.length));
  bands.forEach(rerank);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const turn = sweep % 2 ? [...bands].reverse() : bands;
    for (const band of turn) {
      const wish = new Map(band.map((box) => [box.id, middle(near.get(box.id), rank, box.id)]));
      band.sort((a, b) => wish.get(a.id) - wish.get(b.id));
      rerank(band);
    }
  }
}

function middle(ids, rank, own) {
  if (!ids.length) return rank.get(own);
  return ids.reduce((sum, id) => sum + rank.get(id), 0) / ids.length;
}

/* Rows of nearly equal length that fit the width. Neighbours go to different rows, so that each
 * stays beside what it is linked to and links find a way between the boxes. */
function intoRows(band, width) {
  if (!band.length) return [];
  const total = band.reduce((sum, box) => sum + box.width + GAP_X, -GAP_X);
  const count = Math.max(1, Math.ceil(total / width));
  const rows = Array.from({ length: count }, () => []);
  band.forEach((box, i) => rows[i % count].push(box));
  return rows;
}

function placeRow(row, y, positions) {
  const total = row.reduce((sum, box) => sum + box.width + GAP_X, -GAP_X);
  let x = -total / 2;
  for (const box of row) {
    positions.set(box.id, { x: x + box.width / 2, y });
    x += box.width + GAP_X;
  }
}

/* Pull each row towards what it is linked to, keeping order and distances. */
function relax(rows, near, positions, width) {
  const all = rows.flat();
  for (let pass = 0; pass < 6; pass += 1) {
    for (const row of pass % 2 ? [...all].reverse() : all) {
      const wishes = row.map((box) => {
        const linked = near.get(box.id);
        if (!linked.length) return positions.get(box.id).x;
        return linked.reduce((sum, id) => sum + positions.get(id).x, 0) / linked.length;
      });
      settle(row, wishes, positions, width);
    }
  }
}

/* The wished-for places, pushed apart from left to right and from right to left, and averaged. */
function settle(row, wishes, positions, width) {
  const gap = (i) => (row[i - 1].width + row[i].width) / 2 + GAP_X;
  const left = [...wishes];
  for (let i = 1; i < row.length; i += 1) left[i] = Math.max(left[i], left[i - 1] + gap(i));
  const right = [...wishes];
  for (let i = row.length - 2; i >= 0; i -= 1) right[i] = Math.min(right[i], right[i + 1] - gap(i + 1));
  const both = row.map((box, i) => (left[i] + right[i]) / 2);
  const first = both[0] - row[0].width / 2;
  const last = both[row.length - 1] + row[row.length - 1].width / 2;
  let shift = 0;
  if (last > width / 2) shift = width / 2 - last;
  if (first + shift < -width / 2) shift = -width / 2 - first;
  row.forEach((box, i) => {
    positions.get(box.id).x = both[i] + shift;
  });
}

/* Control points of a link that leaves and arrives upright, as Cytoscape wants them. */
export function sCurve(from, to) {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const length = Math.hypot(dx, dy) || 1;
  const points = [
    { x: from.x, y: from.y + dy * 0.45 },
    { x: to.x, y: to.y - dy * 0.45 },
  ];
  const weights = [];
  const distances = [];
  for (const point of points) {
    const px = point.x - from.x;
    const py = point.y - from.y;
    weights.push(((px * dx + py * dy) / (length * length)).toFixed(4));
    distances.push(((px * -dy + py * dx) / length).toFixed(2));
  }
  return { weights: weights.join(" "), distances: distances.join(" ") };
}
