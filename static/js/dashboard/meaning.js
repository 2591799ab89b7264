/* Zoom by meaning: where all labels would be too small to read, the concepts with the most links
 * keep theirs, at a size that can be read, and the others are boxes without words. Pure. */

/* Which of `boxes` ({id, x, y, width, height, weight}) may be enlarged by `factor` without covering
 * one another: greedily, the weightiest first. */
export function named(boxes, factor) {
  const order = [...boxes].sort((a, b) => b.weight - a.weight || a.id.localeCompare(b.id));
  const kept = [];
  for (const box of order) {
    const wide = box.width * factor;
    const high = box.height * factor;
    const free = kept.every(
      (other) =>
        Math.abs(other.x - box.x) * 2 > wide + other.wide || Math.abs(other.y - box.y) * 2 > high + other.high,
    );
    if (free) kept.push({ id: box.id, x: box.x, y: box.y, wide, high });
  }
  return kept;
}
