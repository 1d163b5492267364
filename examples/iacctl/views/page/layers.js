// SPDX-License-Identifier: BSL-1.0
// Gives each vertex a layer, so that each edge goes from a lower layer to a higher one. Instances of one resource are in one layer,
// also those of different instances of a module: their lanes have the same columns. A join takes no layer of its own.

const class_of = (v) => (v.kind === 'join' ? 'join ' + v.number
  : v.module.map(without_key).join('.') + '\u0000' + (v.resource || v.name) + '\u0000' + (v.operation === 'destroy' ? 'destroy' : ''));

// Components of classes that depend on each other, dependencies first (Tarjan).
function components_of(count, out) {
  const index = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const component = new Int32Array(count).fill(-1);
  const open = [];
  const found = [];
  let next = 0;
  for (let first = 0; first < count; ++first) {
    if (index[first] >= 0) continue;
    const stack = [[first, 0]];
    index[first] = low[first] = next++;
    open.push(first);
    while (stack.length) {
      const top = stack[stack.length - 1];
      const [v] = top;
      if (top[1] < out[v].length) {
        const d = out[v][top[1]++];
        if (index[d] < 0) {
          index[d] = low[d] = next++;
          open.push(d);
          stack.push([d, 0]);
        } else if (component[d] < 0) low[v] = Math.min(low[v], index[d]);
        continue;
      }
      stack.pop();
      if (stack.length) low[stack[stack.length - 1][0]] = Math.min(low[stack[stack.length - 1][0]], low[v]);
      if (low[v] !== index[v]) continue;
      const members = [];
      let member;
      do {
        member = open.pop();
        component[member] = found.length;
        members.push(member);
      } while (member !== v);
      found.push(members);
    }
  }
  return found;
}

// All vertices, dependencies first.
function topological_order() {
  const left = vertices.map((v) => v.dependencies.length);
  const order = vertices.filter((v) => !left[v.number]);
  for (let i = 0; i < order.length; ++i)
    for (const e of order[i].dependents) if (!--left[e.dependent.number]) order.push(e.dependent);
  return order;
}

(function make_layers() {
  const numbers = new Map();
  const class_number = vertices.map((v) => {
    const key = class_of(v);
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    return numbers.get(key);
  });
  const members = Array.from({ length: numbers.size }, () => []);
  for (const v of topological_order()) members[class_number[v.number]].push(v);
  const out = members.map(() => new Set());
  const inner = new Uint8Array(numbers.size);
  for (const e of edges) {
    const from = class_number[e.dependent.number];
    const to = class_number[e.dependency.number];
    if (from === to) inner[from] = 1;
    else out[from].add(to);
  }
  const layer_after = (v) => v.dependencies.reduce((most, e) => Math.max(most, e.dependency.layer + (v.kind === 'join' ? 0 : 1)), v.kind === 'join' ? -1 : 0);
  const position = new Int32Array(vertices.length);
  topological_order().forEach((v, i) => { position[v.number] = i; });
  for (const component of components_of(numbers.size, out.map((one) => [...one]))) {
    const all = component.flatMap((one) => members[one]);
    if (component.length === 1 && !inner[component[0]]) {
      const layer = all.reduce((most, v) => Math.max(most, layer_after(v)), -1);
      for (const v of all) v.layer = layer;
    } else for (const v of all.sort((a, b) => position[a.number] - position[b.number])) v.layer = layer_after(v);
  }
})();
