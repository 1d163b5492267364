// SPDX-License-Identifier: BSL-1.0
// The data of the page, as a tree of groups: modules, and in them resources with several instances.

const data = JSON.parse(document.getElementById('data').textContent);
const $ = (id) => document.getElementById(id);
const text_at = (number) => data.texts[number];

const actions = {
  destroy: { symbol: '\u2212', word: 'destroy', title: 'Destroyed', risky: true },
  replace: { symbol: '\u00b1', word: 'replace', title: 'Replaced', risky: true },
  forget: { symbol: '\u00d7', word: 'forget', title: 'Forgotten', risky: true },
  update: { symbol: '~', word: 'update', title: 'Updated', risky: false },
  create: { symbol: '+', word: 'create', title: 'Created', risky: false },
  read: { symbol: '\u2190', word: 'read', title: 'Read during the apply', risky: false },
  'no-op': { symbol: '=', word: 'move or import', title: 'Moved or imported', risky: false },
};

const group_of = (key, label, kind, parent) => ({ key, label, kind, parent, groups: new Map(), vertices: [], open: true, count: 0 });
const root = group_of('', '', 'module', null);
const all_groups = [];

function child_group(parent, label, kind) {
  let found = parent.groups.get(kind + label);
  if (!found) {
    found = group_of(parent.key ? parent.key + '.' + label : label, label, kind, parent);
    parent.groups.set(kind + label, found);
    all_groups.push(found);
  }
  return found;
}

const vertices = data.vertices.map((v, number) => {
  const change = v.change === undefined ? null : data.changes[v.change];
  const module = (v.module || []).map(text_at);
  const prefix = module.length ? module.join('.') + '.' : '';
  const name = v.label || v.name || '';
  return {
    number, kind: v.kind, name, change, module, change_number: v.change,
    resource: v.resource === undefined ? '' : text_at(v.resource),
    label: name.startsWith(prefix) ? name.slice(prefix.length) : name,
    // A replacement creates and destroys, and is neither.
    action: change && change.action === 'replace' && v.operation !== 'read' ? (v.operation === 'destroy' ? 'destroy' : 'replace') : v.operation || '',
    operation: v.operation || '', seconds: v.seconds || 0, dependencies: [], dependents: [], group: null, visit: null, on_path: false,
  };
});

const edges = data.edges.map((e, number) => {
  const way = [];
  for (let i = 2; i < e.length; i += 3) way.push({ rule: text_at(e[i]), place: text_at(e[i + 1]), via: i + 2 < e.length ? text_at(e[i + 2]) : null });
  const made = { number, dependent: vertices[e[0]], dependency: vertices[e[1]], way };
  made.dependent.dependencies.push(made);
  made.dependency.dependents.push(made);
  return made;
});

// Vertices of one resource in one module are a group if they are several instances.
(function make_groups() {
  const instances = new Map();
  const key_of = (v) => v.module.join('\u0000') + '\u0001' + v.resource;
  for (const v of vertices) {
    if (v.kind !== 'operation' || !v.resource) continue;
    const addresses = instances.get(key_of(v)) || new Set();
    instances.set(key_of(v), addresses.add(v.change_number));
  }
  for (const v of vertices) {
    if (v.kind === 'join') continue;
    let at = root;
    for (const step of v.module) at = child_group(at, step, 'module');
    const several = instances.get(key_of(v));
    if (several && several.size > 1) at = child_group(at, v.resource, 'resource');
    v.group = at;
  }
  // A join belongs to the innermost group of all its dependents.
  const common = (a, b) => {
    const above = new Set();
    for (let g = a; g; g = g.parent) above.add(g);
    let found = b;
    while (!above.has(found)) found = found.parent;
    return found;
  };
  for (const v of vertices) {
    if (v.kind !== 'join') continue;
    const around = v.dependents.map((e) => e.dependent.group).filter(Boolean);
    v.group = around.length ? around.reduce(common) : root;
  }
  for (const v of vertices) {
    v.group.vertices.push(v);
    if (v.kind !== 'join') for (let g = v.group; g; g = g.parent) g.count += 1;
  }
})();

for (const number of data.critical) vertices[number].on_path = true;
const critical_edges = new Set();
for (let i = 0; i + 1 < data.critical.length; ++i) critical_edges.add(data.critical[i + 1] + '<' + data.critical[i]);

if (data.run)
  for (const [number, ready, start, end, result] of data.run.visits) vertices[number].visit = { ready, start, end, result };

// At first as many levels of groups are open as are readable. Many instances of one resource stay closed.
const readable = 90;
const few = 8;
(function open_first() {
  for (const g of all_groups) g.open = false;
  let shown = root.vertices.length + root.groups.size;
  for (let level = [...root.groups.values()]; level.length; level = level.flatMap((g) => [...g.groups.values()]).filter((g) => g.parent.open)) {
    const opened = level.filter((g) => g.kind === 'module' || g.count <= few);
    const added = opened.reduce((sum, g) => sum + g.vertices.length + g.groups.size - 1, 0);
    if (shown + added > readable) break;
    for (const g of opened) g.open = true;
    shown += added;
  }
})();

// The vertex, or the outermost closed group around it.
function visible_of(v) {
  let found = v;
  for (let g = v.group; g; g = g.parent) if (!g.open) found = g;
  return found;
}

const duration_text = (seconds) => {
  if (seconds < 1) return Math.round(seconds * 1000) + ' ms';
  if (seconds < 60) return seconds.toFixed(1) + ' s';
  return Math.floor(seconds / 60) + ' min ' + Math.round(seconds % 60) + ' s';
};
