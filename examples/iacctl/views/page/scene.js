// SPDX-License-Identifier: BSL-1.0
// All that is visible, with its place: lanes, boxes of vertices and closed groups, frames of modules, and edges.

const scene = { lanes: [], boxes: [], frames: [], pairs: [], nets: [], barriers: [], at: [], width: 0, height: 0, titles: 0, filtered: false, kept: new Set() };
$('graph').scene = scene;  // for tests of its structure

function build_scene(measure, area) {
  const { lanes, frames } = lanes_of();
  lanes.forEach((lane, i) => {
    lane.number = i;
    add_boxes(lane);
  });
  const boxes = lanes.flatMap((lane) => lane.boxes);
  const layers = [...new Set(boxes.map((box) => box.layer))].sort((a, b) => a - b);
  const column = new Map(layers.map((layer, i) => [layer, i]));
  const box_of = new Array(vertices.length).fill(null);
  for (const box of boxes) {
    box.column = column.get(box.layer);
    box.label = label_of(box);
    for (const v of box.vertices) box_of[v.number] = box;
  }
  const related = relate(boxes, box_of);
  mark_implied(related.pairs, boxes);
  for (const one of related.pairs) {
    if (one.call && !one.implied) for (const e of one.all) related.bar(one.call, one.from, one.to, e);
    if (one.implied) continue;
    (one.to.before = one.to.before || []).push(one.from);
  }
  Object.assign(scene, { lanes, frames, boxes, box_of, pairs: related.pairs, nets: nets_of(related.pairs, related.hubs), barriers: [...related.barriers.values()] });
  const made = layout_lanes(lanes, frames, layers.length, area, measure);
  Object.assign(scene, { width: made.width, height: made.height, at: made.at, gap: made.gap, columns: made.columns, titles: made.titles });
  route(boxes, lanes, made);
  scene.paths = null;
  canvas.dataset.boxes = String(boxes.length);
}

const box_of_vertex = (v) => scene.box_of[v.number];
const box_or_frame_of = (group) => scene.frames.find((f) => f.of === group) || scene.boxes.find((box) => box.of === group) || null;

// The action that stands for several vertices: the riskiest.
function action_of(box) {
  if (box.action === undefined) box.action = order_of_risk.find((one) => box.vertices.some((v) => v.action === one)) || '';
  return box.action;
}

const inside = (box, x, y) => x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h;
const box_at = (x, y) => scene.boxes.find((box) => inside(box, x, y)) || null;

// The title of a frame: the innermost one.
function frame_at(x, y) {
  let found = null;
  for (const f of scene.frames) if (x >= f.x && x <= f.x + f.title_w && y >= f.y && y <= f.y + (f.of.open ? metrics.head + 8 : f.h)) found = f;
  return found;
}

function distance_to(line, x, y) {
  let least = Infinity;
  for (let i = 0; i + 1 < line.length; ++i) {
    const [px, py] = line[i];
    const [qx, qy] = line[i + 1];
    const along = Math.max(0, Math.min(1, ((x - px) * (qx - px) + (y - py) * (qy - py)) / ((qx - px) ** 2 + (qy - py) ** 2 || 1)));
    least = Math.min(least, Math.hypot(x - px - along * (qx - px), y - py - along * (qy - py)));
  }
  return least;
}

// The edges at a point: those of a net, or of a barrier.
function edges_at(x, y, reach) {
  let nearest = null;
  let least = reach;
  for (const net of scene.nets)
    for (const line of net.lines) {
      const distance = distance_to(line, x, y);
      if (distance < least) {
        least = distance;
        nearest = { net, all: net.all || net.pairs.flatMap((one) => one.all) };
      }
    }
  for (const one of scene.barriers) {
    if (one.x === undefined) continue;
    const distance = distance_to([[one.x, one.top], [one.x, one.bottom]], x, y);
    if (distance < least) {
      least = distance;
      nearest = { barrier: one, all: one.edges };
    }
  }
  return nearest;
}
