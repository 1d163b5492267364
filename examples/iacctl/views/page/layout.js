// SPDX-License-Identifier: BSL-1.0
// Places boxes in a grid: a lane for each module, a column for each layer. A closed group has one box in each column of its vertices,
// so that all edges go from left to right, whichever groups are open. It takes linear time. Libraries of general layouts need seconds for
// 300 changes in five regions (dagre 3 s, ELK 11 s, this one 0.03 s), and draw lanes that depend on each other as a sequence.

const metrics = { height: 28, gap_y: 12, gap_x: 40, pad: 8, head: 24, lane_gap: 7, least: 92, most: 300, indent: 12, sub_gap: 8 };

// The lanes from top to bottom. A lane without boxes has a title only.
function lanes_of() {
  const lanes = [];
  const frames = [];
  (function visit(group, depth, parent) {
    const lane = { group, depth, owners: [], boxes: [], rows: 0, closed: !group.open && group !== root };
    const frame = { of: group, title: title_of(group), depth, first: lanes.length, last: 0, parent };
    if (group !== root) frames.push(frame);
    lanes.push(lane);
    if (!lane.closed) for (const g of group.groups.values()) if (is_lane(g)) visit(g, depth + 1, frame);
    frame.last = lanes.length - 1;
  })(root, 0, null);
  return { lanes, frames };
}

// The boxes of a lane, by owner and layer: an owner is a vertex or a closed group.
function add_boxes(lane) {
  const boxes = new Map();
  const add = (owner, v) => {
    const key = owner.groups ? owner.key + '\u0000' + owner.kind + v.layer : v;
    if (!boxes.has(key)) boxes.set(key, { of: owner, layer: v.layer, vertices: [], lane, row: 0, column: 0, sub: 0, near: null });
    boxes.get(key).vertices.push(v);
  };
  if (lane.closed) for (const v of vertices_in(lane.group)) add(lane.group, v);
  else {
    for (const v of lane.group.vertices) add(v, v);
    for (const g of lane.group.groups.values()) if (!is_lane(g)) for (const v of vertices_in(g)) add(visible_of(v), v);
  }
  lane.boxes = [...boxes.values()];
}

// The name without the key of a deposed object, which can be on a line of its own.
const name_in_box = (box) => (box.of.groups || !box.of.deposed ? box.label : box.of.own_name + ' deposed');

// A name for several vertices: that of their resource, else their number.
function label_of(box) {
  const { of } = box;
  if (!of.groups) return of.label;
  if (of.kind === 'resource') return of.label;
  const names = new Map();
  for (const v of box.vertices) names.set(v.resource || v.label, (names.get(v.resource || v.label) || 0) + 1);
  if (names.size > 2) return of.kind === 'type' ? of.label : count_text(names.size, 'resource');
  return [...names].map(([name, n]) => (names.size > 1 && n > 1 ? short_of(name) + ' \u00d7' + n : short_of(name))).join(', ');
}

// Rows of boxes in a column of a lane: if possible, a box is in the row of its dependencies.
function place_rows(lane, columns, limit) {
  const cells = new Map();
  for (const box of lane.boxes) {
    if (!cells.has(box.column)) cells.set(box.column, []);
    cells.get(box.column).push(box);
  }
  lane.rows = [...cells.values()].reduce((most, cell) => Math.max(most, Math.min(limit, cell.length)), lane.boxes.length ? 1 : 0);
  for (let c = 0; c < columns; ++c) {
    const cell = cells.get(c);
    if (!cell) continue;
    for (const box of cell) {
      const rows = (box.before || []).filter((one) => one.lane === lane).map((one) => one.row);
      box.wanted = rows.length ? rows.reduce((sum, row) => sum + row, 0) / rows.length : -1;
    }
    if (cell.length > limit) {
      cell.forEach((box, i) => Object.assign(box, { row: i % limit, sub: Math.floor(i / limit) }));
      continue;
    }
    cell.forEach((box, i) => { box.order = i; });
    cell.sort((a, b) => a.wanted - b.wanted || a.order - b.order);
    let next = 0;
    cell.forEach((box, i) => {
      box.row = Math.min(lane.rows - (cell.length - i), Math.max(next, Math.round(box.wanted)));
      box.sub = 0;
      next = box.row + 1;
    });
  }
}

// The widths of columns for an area: boxes get the room that their labels need, and share the rest.
function column_widths(wanted, least, subs, room) {
  const sum_of = (list) => list.reduce((sum, w) => sum + w, 0);
  const gap_x = sum_of(wanted) + (wanted.length - 1) * metrics.gap_x > room ? metrics.gap_x * 0.7 : metrics.gap_x;
  const gaps = (wanted.length - 1) * gap_x;
  const inner = subs.map((n) => (n - 1) * metrics.sub_gap);
  const total = (list) => list.reduce((sum, w, i) => sum + w * subs[i] + inner[i], 0);
  let widths = wanted.map((w) => Math.min(metrics.most, Math.max(metrics.least, w)));
  const free = room - gaps;
  // Names are rather small than cut.
  if (total(least) > free * 1.5) least = least.map((w) => Math.max(metrics.least, (w * free * 1.5) / total(least)));
  if (total(widths) > free) {
    const by = Math.max(0, (free - total(least)) / Math.max(1, total(widths) - total(least)));
    widths = widths.map((w, c) => least[c] + Math.max(0, w - least[c]) * Math.min(1, by));
  } else {
    const by = Math.min(1.3, free / Math.max(1, total(widths)));
    widths = widths.map((w) => Math.min(metrics.most * 1.1, w * by));
  }
  const left = free - total(widths);
  const gap = gap_x + Math.max(0, Math.min(110, left / Math.max(1, wanted.length - 1)));
  return { widths: widths.map(Math.floor), gap: Math.floor(gap) };
}

// Lays out all lanes for an area of the screen.
function layout_lanes(lanes, frames, columns, area, measure) {
  const has_titles = frames.length > 0;
  const titles = has_titles ? Math.ceil(Math.min(230, frames.reduce((most, f) => Math.max(most, Math.max(measure(f.title), measure(count_text(f.of.count, word_of_vertex)) + 6) + f.depth * metrics.indent + 30), 90))) : 0;
  const wanted = new Array(columns).fill(metrics.least);
  const least = new Array(columns).fill(metrics.least);
  const most_in_cell = new Array(columns).fill(1);
  const few = lanes.reduce((sum, lane) => sum + lane.boxes.length, 0) <= 48;
  for (const lane of lanes) {
    const count = new Array(columns).fill(0);
    for (const box of lane.boxes) {
      wanted[box.column] = Math.max(wanted[box.column], measure(box.label) + (box.vertices.length > 1 ? 92 : 42));
      least[box.column] = Math.max(least[box.column], Math.min(210, measure(short_of(name_in_box(box))) + (box.vertices.length > 1 ? 44 + 8 * String(box.vertices.length).length : 42) + 12));
      count[box.column] += 1;
      // Reasons are shown where there are few boxes.
      if (few && !box.of.groups && box.of.change && box.of.action !== 'destroy' && ['replace', 'update'].includes(box.of.change.action)) {
        const [row] = box.of.change.rows.filter((one) => one.forces || box.of.change.action === 'update');
        const text = row ? row_text(row) : '';
        const parts = text ? [row.path + ':', text.slice(text.indexOf(': ') + 2)] : [];
        for (const part of parts) least[box.column] = Math.max(least[box.column], Math.min(220, measure(part) * 0.92 + 54));
      }
    }
    count.forEach((n, c) => { most_in_cell[c] = Math.max(most_in_cell[c], n); });
  }
  // On a narrow screen the graph is moved, as names could not be read otherwise.
  const room = { w: Math.max(narrow.matches ? 900 : 240, area.w - titles - 2 * metrics.pad), h: Math.max(160, area.h) };
  const attempt = (limit) => {
    const subs = most_in_cell.map((n) => Math.max(1, Math.ceil(n / limit)));
    let rows = 0;
    let fixed = 0;
    for (const lane of lanes) {
      const count = new Map();
      for (const box of lane.boxes) count.set(box.column, (count.get(box.column) || 0) + 1);
      lane.rows = [...count.values()].reduce((most, n) => Math.max(most, Math.min(limit, n)), 0);
      rows += lane.rows;
      fixed += lane.rows ? 2 * metrics.pad + metrics.lane_gap - metrics.gap_y : lane.group === root ? 0 : metrics.head + metrics.lane_gap;
    }
    const floor = fixed + rows * (metrics.height + metrics.gap_y);
    const shrunk = Math.max(0.6, Math.min(1, room.h / floor));
    // If the height makes everything smaller, columns have more room, and the other way.
    const { widths, gap } = column_widths(wanted, least, subs, room.w / shrunk + (1 / shrunk - 1) * titles);
    const width = widths.reduce((sum, w, i) => sum + w * subs[i] + (subs[i] - 1) * metrics.sub_gap + gap, -gap);
    const high = room.h / Math.max(0.6, Math.min(1, room.w / width));
    const most = rows > 8 ? 60 : rows > 2 ? 78 : 170;
    const each = Math.floor(Math.max(metrics.height, Math.min(most, (high - fixed) / Math.max(1, rows) - metrics.gap_y)));
    const height = fixed + rows * (each + metrics.gap_y);
    return { limit, subs, widths, gap, each, width, height, high, scale: Math.min(1, room.w / width, room.h / height) };
  };
  let best = attempt(Infinity);
  for (const limit of [400, 200, 120, 80, 50, 30, 20, 12]) {
    if (best.scale > 0.8 || limit >= most_in_cell.reduce((most, n) => Math.max(most, n), 0)) continue;
    const one = attempt(limit);
    if (one.scale > best.scale) best = one;
  }
  for (const lane of lanes) place_rows(lane, columns, best.limit);
  const gap_y = metrics.gap_y + Math.floor(Math.max(0, Math.min(44, (best.high - best.height) / Math.max(1, lanes.reduce((sum, l) => sum + l.rows, 0)))));
  const at = [];
  let x = titles + metrics.pad;
  best.widths.forEach((w, c) => {
    at.push(x);
    x += w * best.subs[c] + (best.subs[c] - 1) * metrics.sub_gap + best.gap;
  });
  let y = 0;
  for (const lane of lanes) {
    lane.y = y;
    lane.h = lane.rows ? lane.rows * (best.each + gap_y) - gap_y + 2 * metrics.pad : lane.group === root ? 0 : metrics.head;
    for (const box of lane.boxes) {
      box.w = best.widths[box.column];
      box.h = best.each;
      box.x = at[box.column] + box.sub * (box.w + metrics.sub_gap);
      box.y = lane.y + metrics.pad + box.row * (best.each + gap_y);
      box.gap = gap_y;
    }
    y += lane.h + (lane.h ? metrics.lane_gap : 0);
  }
  const width = Math.max(titles + metrics.pad, x - best.gap + metrics.pad);
  for (const f of frames) {
    f.x = (f.depth - 1) * metrics.indent;
    f.w = width - f.x - (f.depth - 1) * 4;
    f.y = lanes[f.first].y;
    f.h = lanes[f.last].y + lanes[f.last].h - f.y;
    f.own_h = lanes[f.first].h;
    f.title_w = Math.max(60, titles - f.x - 6);
  }
  return { width, height: Math.max(metrics.height, y - metrics.lane_gap), at, gap: best.gap, columns: best.widths.map((w, c) => w * best.subs[c] + (best.subs[c] - 1) * metrics.sub_gap), titles };
}

// Of some modules not all instances have changes.
function instances_text(group) {
  const all = (data.instances || {})[group.key] || 0;
  return group.groups.size + (all > group.groups.size ? ' of ' + all : '');
}

// The name of a lane without the word that all lanes begin with.
const title_of = (group) => (is_lane(group) && group.label.startsWith('module.') ? group.label.slice(7) : group.label) + (group.kind === 'call' ? ' \u00d7 ' + instances_text(group) : '');
