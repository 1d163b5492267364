// SPDX-License-Identifier: BSL-1.0
// The edges between boxes. Edges with the same ends share a line, edges that others imply have none, and edges between lanes of one
// module are one dashed line: a barrier.

const most_pairs = 4000;  // of boxes that one join connects with lines of their own

// The call whose different instances contain the lanes; null if the lanes are not parallel.
function call_between(a, b) {
  if (a === b) return null;
  const above = new Set();
  for (let g = a.group; g; g = g.parent) above.add(g);
  let common = b.group;
  while (!above.has(common)) common = common.parent;
  return common.kind === 'call' && common !== a.group && common !== b.group ? common : null;
}

// Pairs of boxes with an edge between them, and barriers.
function relate(boxes, box_of) {
  const pairs = new Map();
  const hubs = [];
  const barriers = new Map();
  boxes.forEach((box, i) => { box.number = i; });
  const calls = new Map();
  const call_of = (a, b) => {
    if (a === b) return null;
    const key = a.number * 100003 + b.number;
    if (!calls.has(key)) calls.set(key, call_between(a, b));
    return calls.get(key);
  };
  const bar = (call, from, to, edge) => {
    const key = call.key + '\u0000' + to.column;
    if (!barriers.has(key)) barriers.set(key, { call, column: to.column, edges: [], known: new Set() });
    const found = barriers.get(key);
    if (found.edges.length < 300 && !found.known.has(edge)) found.edges.push(edge);
    found.known.add(edge);
  };
  const pair = (from, to, edge, call) => {
    if (from === to) return;
    const key = from.number * boxes.length + to.number;
    let found = pairs.get(key);
    if (!found) pairs.set(key, found = { from, to, all: [], on_path: false, call, net: null });
    if (found.all.length < 300 && found.all[found.all.length - 1] !== edge) found.all.push(edge);
    found.on_path = found.on_path || critical_edges.has(edge.dependent.number + '<' + edge.dependency.number);
  };
  const behind = new Map();  // of joins: the boxes that they wait for
  const behind_of = (join) => {
    const seen = new Set([join]);
    const found = new Set();
    for (const one of seen) {
      if (one !== join && behind.has(one)) for (const box of behind.get(one)) found.add(box);
      else for (const e of one.dependencies) e.dependency.kind === 'join' ? seen.add(e.dependency) : found.add(box_of[e.dependency.number]);
    }
    behind.set(join, found);
    return found;
  };
  for (const e of edges) if (e.dependent.kind !== 'join' && e.dependency.kind !== 'join') {
    const from = box_of[e.dependency.number];
    const to = box_of[e.dependent.number];
    pair(from, to, e, call_of(from.lane, to.lane));
  }
  for (const join of vertices) {
    if (join.kind !== 'join') continue;
    const targets = new Map();
    for (const e of join.dependents) if (e.dependent.kind !== 'join') targets.set(box_of[e.dependent.number], e);
    if (!targets.size) continue;
    const sources = [...behind_of(join)];
    const many = sources.length * targets.size > most_pairs;
    const by_lane = new Map();
    for (const from of sources) {
      if (!by_lane.has(from.lane)) by_lane.set(from.lane, []);
      by_lane.get(from.lane).push(from);
    }
    const hub_of = new Map();
    for (const [to, e] of targets)
      for (const [lane, all] of by_lane) {
        const call = call_of(lane, to.lane);
        if (call && many) bar(call, all[0], to, e);
        else if (many && all.length * targets.size > most_pairs) {
          const key = lane.number + ' ' + to.column;
          if (!hub_of.has(key)) hub_of.set(key, { sources: all, targets: [], column: to.column, all: [] });
          hub_of.get(key).targets.push(to);
          if (hub_of.get(key).all.length < 300) hub_of.get(key).all.push(e);
        } else for (const from of all) pair(from, to, e, call);
      }
    hubs.push(...hub_of.values());
  }
  return { pairs: [...pairs.values()], hubs, barriers, bar };
}

// Marks pairs that a way over other boxes implies.
function mark_implied(pairs, boxes) {
  if (boxes.length > 3000 || pairs.length > 60000) return;
  const words = (boxes.length + 31) >> 5;
  const reach = boxes.map(() => null);
  const after = boxes.map(() => []);
  for (const one of pairs) after[one.from.number].push(one);
  for (const box of [...boxes].sort((a, b) => b.column - a.column)) {
    const own = new Uint32Array(words);
    for (const one of after[box.number].sort((a, b) => a.to.column - b.to.column)) {
      const to = one.to.number;
      if ((own[to >> 5] >>> (to & 31)) & 1) {
        one.implied = true;
        continue;
      }
      own[to >> 5] |= 1 << (to & 31);
      const further = reach[to];
      for (let i = 0; i < words; ++i) own[i] |= further[i];
    }
    reach[box.number] = own;
  }
}

// Lines that connect all of their sources with all of their targets, which are in one column: first those of sources with many targets,
// then those of targets with the same sources.
function nets_of(pairs, hubs) {
  const nets = hubs.map((hub) => ({ ...hub, pairs: [], trunk: 0, lines: [] }));
  const bundle = (all, own, other, least) => {
    const by_end = new Map();
    for (const one of all) {
      const key = one[own].number + ' ' + one.to.column;
      if (!by_end.has(key)) by_end.set(key, []);
      by_end.get(key).push(one);
    }
    const alike = new Map();
    for (const members of by_end.values()) {
      if (members.length < least) continue;
      const key = members[0].to.column + ':' + members.map((one) => one[other].number).sort((a, b) => a - b).join();
      if (!alike.has(key)) alike.set(key, []);
      alike.get(key).push(...members);
    }
    for (const members of alike.values()) {
      const net = { sources: [...new Set(members.map((one) => one.from))], targets: [...new Set(members.map((one) => one.to))], column: members[0].to.column, pairs: members, trunk: 0, lines: [] };
      for (const one of members) one.net = net;
      nets.push(net);
    }
  };
  const drawn = pairs.filter((one) => !one.implied && !one.call);
  bundle(drawn, 'from', 'to', 3);
  bundle(drawn.filter((one) => !one.net), 'to', 'from', 1);
  return nets;
}

// The height at which a line leaves its source to a column: its middle, or the gap below it if boxes are in between.
function exit_of(box, column) {
  const middle = box.y + box.h / 2;
  for (let c = box.column + 1; c < column; ++c) if (box.lane.taken.has(c + ',' + box.row)) return box.y + box.h + box.gap / 2 + ((box.column % 3) - 1) * Math.min(5, box.gap / 4);
  return box.sub < box.subs - 1 ? box.y + box.h + box.gap / 2 : middle;
}
function exit_line(box, column, trunk) {
  const y = exit_of(box, column);
  const middle = box.y + box.h / 2;
  if (y === middle) return [[box.x + box.w, middle], [trunk, middle]];
  const x = box.sub < box.subs - 1 ? box.x + box.w - 12 : box.x + box.w + 7;
  return box.sub < box.subs - 1 ? [[x, box.y + box.h], [x, y], [trunk, y]] : [[box.x + box.w, middle], [x, middle], [x, y], [trunk, y]];
}
function entry_line(box, trunk) {
  const middle = box.y + box.h / 2;
  if (!box.sub) return [[trunk, middle], [box.x, middle]];
  const y = box.y - box.gap / 2;
  return [[trunk, y], [box.x + 12, y], [box.x + 12, box.y]];
}
const entry_of = (box) => (box.sub ? box.y - box.gap / 2 : box.y + box.h / 2);

// Gives the lines in the gap before each column different places, unless they do not meet.
function place_trunks(nets, made) {
  const by_column = new Map();
  for (const net of nets) {
    const ends = [...net.sources.map((box) => exit_of(box, net.column)), ...net.targets.map(entry_of)];
    net.top = Math.min(...ends.slice(0, 5000));
    net.bottom = Math.max(...ends.slice(0, 5000));
    if (!by_column.has(net.column)) by_column.set(net.column, []);
    by_column.get(net.column).push(net);
  }
  for (const [column, all] of by_column) {
    const slots = [];
    for (const net of all.sort((a, b) => a.top - b.top || b.bottom - a.bottom)) {
      let slot = slots.findIndex((end) => end < net.top - 6);
      if (slot < 0 && slots.length < 24) slot = slots.push(0) - 1;
      if (slot < 0) slot = slots.indexOf(Math.min(...slots));
      slots[slot] = net.bottom;
      net.slot = slot;
    }
    const step = Math.min(7, (made.gap - 16) / Math.max(1, slots.length));
    for (const net of all) net.trunk = made.at[column] - 10 - net.slot * step;
  }
}

function draw_net(net) {
  net.lines = [];
  for (const box of net.sources) net.lines.push(exit_line(box, net.column, net.trunk));
  if (net.bottom - net.top > 0.5) net.lines.push([[net.trunk, net.top], [net.trunk, net.bottom]]);
  for (const box of net.targets) net.lines.push(entry_line(box, net.trunk));
}

// The way of one pair along its net.
function pair_line(one) {
  const trunk = one.net ? one.net.trunk : scene.at[one.to.column] - 10;
  const line = [...exit_line(one.from, one.to.column, trunk), ...entry_line(one.to, trunk)];
  return line.filter((point, i) => !i || Math.hypot(point[0] - line[i - 1][0], point[1] - line[i - 1][1]) > 0.01);
}

function route(boxes, lanes, made) {
  for (const lane of lanes) lane.taken = new Set(lane.boxes.map((box) => box.column + ',' + box.row));
  const subs = new Map();
  for (const box of boxes) subs.set(box.lane.number + ' ' + box.column + ' ' + box.row, (subs.get(box.lane.number + ' ' + box.column + ' ' + box.row) || 0) + 1);
  for (const box of boxes) box.subs = subs.get(box.lane.number + ' ' + box.column + ' ' + box.row);
  place_trunks(scene.nets, made);
  for (const net of scene.nets) draw_net(net);
  for (const one of scene.barriers) {
    const frame = scene.frames.find((f) => f.of === one.call);
    if (!frame) continue;
    one.x = made.at[one.column] - made.gap * 0.5 - 1;
    one.top = frame.y + 3;
    one.bottom = frame.y + frame.h - 3;
  }
}
