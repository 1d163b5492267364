// SPDX-License-Identifier: BSL-1.0
// Places boxes in layers, group by group: what runs first is on the left. A closed group is one box.

const metrics = { height: 30, gap_x: 46, gap_y: 10, pad: 14, head: 28, join: 8, least: 70, most: 250 };

// Layers by the longest path. Groups can depend on each other: an edge that closes a cycle is ignored.
function layers_of(count, out) {
  const state = new Uint8Array(count);
  const layer = new Int32Array(count);
  const stack = [];
  for (let first = 0; first < count; ++first) {
    if (state[first]) continue;
    stack.push([first, 0]);
    state[first] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1];
      const [v, next] = top;
      if (next < out[v].length) {
        top[1] += 1;
        const d = out[v][next];
        if (state[d] === 0) {
          state[d] = 1;
          stack.push([d, 0]);
        } else if (state[d] === 2) layer[v] = Math.max(layer[v], layer[d] + 1);
      } else {
        state[v] = 2;
        stack.pop();
        if (stack.length) {
          const above = stack[stack.length - 1][0];
          layer[above] = Math.max(layer[above], layer[v] + 1);
        }
      }
    }
  }
  return layer;
}

// Orders each layer by the mean position of its neighbors.
function order_layers(layers, out, into) {
  const position = [];
  const place = () => layers.forEach((one) => one.forEach((v, i) => { position[v] = one.length > 1 ? i / (one.length - 1) : 0.5; }));
  place();
  for (let round = 0; round < 4; ++round) {
    const sequence = round % 2 ? [...layers].reverse() : layers;
    for (const one of sequence) {
      const weight = new Map();
      for (const v of one) {
        const near = round % 2 ? into[v] : out[v];
        weight.set(v, near.length ? near.reduce((sum, n) => sum + position[n], 0) / near.length : position[v]);
      }
      one.sort((a, b) => weight.get(a) - weight.get(b) || a - b);
    }
    place();
  }
}

// Columns of one layer: more than one where it is higher than the limit.
function columns_of(layer, items, limit) {
  const columns = [];
  let column = null;
  for (const v of layer) {
    if (!column || (column.height + items[v].h > limit && column.members.length)) {
      column = { members: [], height: 0, width: 0 };
      columns.push(column);
    }
    column.members.push(v);
    column.height += items[v].h + metrics.gap_y;
    column.width = Math.max(column.width, items[v].w);
  }
  return columns;
}

function arrange(layers, items, limit) {
  let width = 0;
  let height = 0;
  const placed = layers.map((layer) => {
    const columns = columns_of(layer, items, limit);
    for (const c of columns) height = Math.max(height, c.height - metrics.gap_y);
    const wide = columns.reduce((sum, c) => sum + c.width + metrics.gap_y, -metrics.gap_y);
    const at = width;
    width += wide + metrics.gap_x;
    return { columns, at };
  });
  return { placed, width: Math.max(0, width - metrics.gap_x), height };
}

// Places the boxes of a group relative to it. `measure(text)` is the width of a label.
function layout_group(group, links, measure) {
  const items = [];
  const number = new Map();
  const add = (of, w, h) => {
    number.set(of, items.length);
    items.push({ of, w, h, x: 0, y: 0 });
  };
  for (const g of group.groups.values()) {
    if (g.open) {
      const inner = layout_group(g, links, measure);
      g.inner = inner;
      add(g, inner.w, inner.h);
    } else add(g, Math.min(metrics.most, Math.max(metrics.least, measure(g.label) * 1.08 + 92)), metrics.height + 10);
  }
  for (const v of group.vertices) {
    if (v.kind === 'join') add(v, metrics.join, metrics.join);
    else add(v, Math.min(metrics.most, Math.max(metrics.least, measure(v.label) + 38)), metrics.height);
  }
  const out = items.map(() => []);
  const into = items.map(() => []);
  const seen = new Set();
  for (const [a, b] of links.get(group) || []) {
    const from = number.get(a);
    const to = number.get(b);
    const key = from * items.length + to;
    if (from === undefined || to === undefined || from === to || seen.has(key)) continue;
    seen.add(key);
    out[from].push(to);
    into[to].push(from);
  }
  const layer = layers_of(items.length, out);
  const layers = [];
  const alone = [];
  items.forEach((_, v) => {
    if (!out[v].length && !into[v].length) alone.push(v);
    else (layers[layer[v]] = layers[layer[v]] || []).push(v);
  });
  const used = layers.filter(Boolean);
  order_layers(used, out, into);

  // The limit of the height that gives a shape like a screen. Layers are side by side, so that groups in them are rather high.
  const aspect = group.parent ? 0.75 : 1.7;
  const best = (candidates) => {
    const highest = items.reduce((most, one) => Math.max(most, one.h), 0);
    const whole = candidates.reduce((most, one) => Math.max(most, one.reduce((sum, v) => sum + items[v].h + metrics.gap_y, 0)), 0);
    let chosen = null;
    for (let limit = Math.max(whole, highest), n = 0; n < 14; limit = Math.max(highest, limit * 0.72), ++n) {
      const made = arrange(candidates, items, limit);
      const badness = Math.max(made.width / aspect, made.height);
      if (!chosen || badness < chosen.badness) chosen = { ...made, badness };
      if (limit === highest) break;
    }
    return chosen || { placed: [], width: 0, height: 0 };
  };
  const place = (made, x, y) => {
    for (const { columns, at } of made.placed) {
      let left = x + at;
      for (const c of columns) {
        let top = y + (made.height - (c.height - metrics.gap_y)) / 2;
        for (const v of c.members) {
          const one = items[v];
          const is_leaf = one.of.kind === 'operation' || one.of.kind === 'resource' || one.of.kind === 'value';
          if (is_leaf && !one.of.groups) one.w = c.width <= metrics.most ? c.width : one.w;
          one.x = left + (one.of.kind === 'join' ? (c.width - one.w) / 2 : 0);
          one.y = top;
          top += one.h + metrics.gap_y;
        }
        left += c.width + metrics.gap_y;
      }
    }
  };
  const connected = best(used);
  const is_root = !group.parent;
  const left = is_root ? 0 : metrics.pad;
  const top = is_root ? 0 : metrics.head + metrics.pad / 2;
  place(connected, left, top);
  let width = connected.width;
  let height = connected.height;
  if (alone.length) {
    const rest = best([alone]);
    const below = connected.width >= connected.height * aspect || !connected.width;
    const gap = connected.width ? metrics.pad * 2 : 0;
    place(rest, left + (below ? 0 : width + gap), top + (below ? height + gap : 0));
    width = below ? Math.max(width, rest.width) : width + gap + rest.width;
    height = below ? height + gap + rest.height : Math.max(height, rest.height);
  }
  const title = is_root ? 0 : measure(group.label) + 70;
  return { items, w: Math.max(width + 2 * left, title), h: height + top + (is_root ? 0 : metrics.pad) };
}

// For each group, the pairs of its children between which there are edges.
function links_by_group() {
  const links = new Map();
  const depth = new Map([[root, 0]]);
  for (const g of all_groups) depth.set(g, depth.get(g.parent) + 1);
  for (const e of edges) {
    let a = e.dependent;
    let b = e.dependency;
    let ga = a.group;
    let gb = b.group;
    while (depth.get(ga) > depth.get(gb)) { a = ga; ga = ga.parent; }
    while (depth.get(gb) > depth.get(ga)) { b = gb; gb = gb.parent; }
    while (ga !== gb) { a = ga; ga = ga.parent; b = gb; gb = gb.parent; }
    if (a === b) continue;
    if (!links.has(ga)) links.set(ga, []);
    links.get(ga).push([a, b]);
  }
  return links;
}
