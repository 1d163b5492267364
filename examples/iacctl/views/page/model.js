// SPDX-License-Identifier: BSL-1.0
// The data of the page, as a tree of groups: modules are lanes, and in them resources with several instances.

const data = JSON.parse(document.getElementById('data').textContent);
const text_at = (number) => data.texts[number];

const vertices = data.vertices.map((v, number) => {
  const change = v.change === undefined ? null : data.changes[v.change];
  const module = (v.module || []).map(text_at);
  const prefix = module.length ? module.join('.') + '.' : '';
  const name = v.label || v.name || '';
  const [, whole, deposed] = /^(.*?)(?: \((?:destroy )?deposed (\w+)\))?$/s.exec(name.replace(/ \(destroy\)$/, ''));  // the symbol tells it
  const own_name = whole.startsWith(prefix) ? whole.slice(prefix.length) : whole;
  return {
    number, kind: v.kind, name: v.name || '', change, module, change_number: v.change,
    resource: v.resource === undefined ? '' : text_at(v.resource),
    own_name, deposed: deposed || '', label: own_name + (deposed ? ' (deposed ' + deposed + ')' : ''),
    // A replacement creates and destroys, and is neither.
    action: change && change.action === 'replace' && v.operation !== 'read' ? (v.operation === 'destroy' ? 'destroy' : 'replace') : v.operation || '',
    operation: v.operation || '', seconds: v.seconds || 0, dependencies: [], dependents: [], group: null, visit: null, on_path: false, layer: 0, rank: 0,
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

const vertices_of_change = new Map();
for (const v of vertices) {
  if (!v.change) continue;
  if (!vertices_of_change.has(v.change)) vertices_of_change.set(v.change, []);
  vertices_of_change.get(v.change).push(v);
}

// Kinds of groups: `module` and `call` (the instances of one module) are lanes; `type` and `resource` are piles in a lane.
const group_of = (key, label, kind, parent) => ({ key, label, kind, parent, groups: new Map(), vertices: [], open: true, rows_open: true, count: 0 });
const root = group_of('', '', 'module', null);
const all_groups = [];
const is_lane = (group) => group.kind === 'module' || group.kind === 'call';

function child_group(parent, label, kind, key) {
  let found = parent.groups.get(kind + label);
  if (!found) {
    found = group_of(key, label, kind, parent);
    parent.groups.set(kind + label, found);
    all_groups.push(found);
  }
  return found;
}

const without_key = (step) => (step.endsWith(']') && step.includes('[') ? step.slice(0, step.indexOf('[')) : step);
// The name without what most names begin with: `instance.web` of `aws_instance.web`.
const short_of = (name) => name.replace(/^(terraform_data\.|(alicloud|aws|azuread|azurerm|cloudflare|digitalocean|google|hcloud|kubernetes|oci|openstack|vsphere)_)/, '');
const word_of_vertex = { graph: 'declaration', state: 'instance' }[data.kind] || 'operation';
// Instances of one resource are a group.
const is_instance = (v) => v.resource && (v.kind === 'operation' || (v.kind === 'resource' && data.kind === 'state'));
const type_of = (resource) => resource.slice(0, resource.lastIndexOf('.')) || resource;

(function make_groups() {
  const many_types = 40;
  const instances = new Map();  // of a call or a resource in its module
  const note = (key, one) => instances.set(key, (instances.get(key) || new Set()).add(one));
  const key_of = (v) => v.module.join('\u0000') + '\u0001' + v.resource;
  const named = vertices.filter((v) => v.kind !== 'join');
  for (const v of named) {
    for (let i = 0; i < v.module.length; ++i) note(v.module.slice(0, i).join('\u0000') + '\u0002' + without_key(v.module[i]), v.module[i]);
    if (is_instance(v)) {
      note(key_of(v), data.kind === 'state' ? v.number : v.change_number);
      note(v.module.join('\u0000') + '\u0003', v.resource);
      note(v.module.join('\u0000') + '\u0004' + type_of(v.resource), v.resource);
    }
  }
  const order = in_order(named, (v) => natural_key(v.module.join('.') + '\u0000' + v.label));
  order.forEach((v, rank) => {
    v.rank = rank;
    let at = root;
    v.module.forEach((step, i) => {
      const call = without_key(step);
      const path = v.module.slice(0, i);
      const prefix = path.length ? path.join('.') + '.' : '';
      if (instances.get(path.join('\u0000') + '\u0002' + call).size > 1) at = child_group(at, call, 'call', prefix + call);
      at = child_group(at, step, 'module', prefix + step);
    });
    const prefix = at.key ? at.key + '.' : '';
    const type = v.resource && type_of(v.resource);
    const of_type = is_instance(v) && instances.get(v.module.join('\u0000') + '\u0004' + type);
    if (of_type && of_type.size > 3 && instances.get(v.module.join('\u0000') + '\u0003').size > many_types) at = child_group(at, type, 'type', prefix + type + '.*');
    const several = instances.get(key_of(v));
    if (several && several.size > 1) at = child_group(at, v.resource, 'resource', prefix + v.resource);
    v.group = at;
  });
  for (const v of order) {
    v.group.vertices.push(v);
    for (let g = v.group; g; g = g.parent) g.count += 1;
  }
})();

for (const number of data.critical) vertices[number].on_path = true;
const critical_edges = new Set();
for (let i = 0; i + 1 < data.critical.length; ++i) critical_edges.add(data.critical[i + 1] + '<' + data.critical[i]);

if (data.run)
  for (const [number, ready, start, end, result] of data.run.visits) vertices[number].visit = { ready, start, end, result, queued: 0 };

function vertices_in(group) {
  const found = [...group.vertices];
  for (const g of group.groups.values()) for (const v of vertices_in(g)) found.push(v);
  return found;
}

// Opens as many levels of groups as are readable. Many instances of one resource stay closed. Groups of the same name in parallel
// lanes are open or closed together, so that lanes are comparable.
function open_first(member, readable, few) {
  for (const g of all_groups) g[member] = false;
  const added_by = (groups) => groups.reduce((sum, g) => sum + g.vertices.length + g.groups.size - 1, 0);
  let shown = root.vertices.length + root.groups.size;
  const open = (groups) => {
    if (shown + added_by(groups) > readable) return false;
    for (const g of groups) g[member] = true;
    shown += added_by(groups);
    return true;
  };
  for (let level = [...root.groups.values()]; level.length; level = level.flatMap((g) => (g[member] ? [...g.groups.values()] : []))) {
    if (!open(level.filter(is_lane))) break;
    const alike = new Map();
    for (const g of level) {
      if (is_lane(g) || (g.kind === 'resource' && g.count > few)) continue;
      const key = class_of_group(g);
      alike.set(key, [...(alike.get(key) || []), g]);
    }
    for (const groups of alike.values()) open(groups);
  }
}
const class_of_group = (g) => without_keys(g.key);
const narrow = matchMedia('(max-width: 760px)');
open_first('open', narrow.matches ? 24 : 90, 4);

// The vertex, or the outermost closed group around it.
function visible_of(v) {
  let found = v;
  for (let g = v.group; g; g = g.parent) if (!g.open) found = g;
  return found;
}

function row_text(row, name, most = 30) {
  if (row.before === row.after) return (name || row.path || 'value') + ': ' + short_text(row.after || '', most);
  // Of two texts with several lines the first line that differs.
  if ((row.before || '').includes('\n') && (row.after || '').includes('\n')) {
    const [a, b] = [row.before.split('\n'), row.after.split('\n')];
    const at = a.findIndex((line, i) => line !== b[i]);
    const line = (of) => (at >= 0 && of[at] !== undefined ? short_text(of[at].trim(), most) : '(no line)');
    return (name || row.path || 'value') + ': ' + line(a) + ' \u2192 ' + line(b);
  }
  const after = row.after === undefined ? 'removed' : short_text(row.after, most);
  return (name || row.path || 'value') + ': ' + (row.before === undefined ? after : short_text(row.before, most) + ' \u2192 ' + after);
}
const rows_text = (rows) => rows.slice(0, 2).map((row) => row_text(row)).join(', ') + (rows.length > 2 ? ' and ' + (rows.length - 2) + ' more' : '');

// The changes of a resource, by its address without keys.
const changes_by_resource = new Map();
for (const c of data.changes || []) {
  const resource = without_keys(c.address);
  if (!changes_by_resource.has(resource)) changes_by_resource.set(resource, []);
  changes_by_resource.get(resource).push(c);
}

// The values that a reference in replace_triggered_by refers to, before and after the change.
function trigger_text(trigger) {
  for (let end = trigger.length; end > 0; end = trigger.lastIndexOf('.', end - 1)) {
    const found = (changes_by_resource.get(trigger.slice(0, end)) || []).filter((c) => c.rows.length);
    if (!found.length) continue;
    const path = trigger.slice(end + 1);
    const rows = found[0].rows.filter((row) => !path || row.path === path || row.path.startsWith(path + '.') || row.path.startsWith(path + '['));
    return rows.length ? row_text(rows[0], trigger.slice(0, end) + '.' + rows[0].path) : trigger + ' changes';
  }
  return trigger + ' changes';
}

// Why a change is made, in a few words, values first.
const reasons = new Map();
function reason_of(change) {
  let found = reasons.get(change);
  if (found !== undefined) return found;
  const forcing = change.rows.filter((row) => row.forces);
  const [cause] = change.causes || [];
  if (forcing.length) found = rows_text(forcing);
  else if ((change.triggers || []).length) found = change.triggers.slice(0, 2).map(trigger_text).join(', ');
  else if (change.action === 'update') found = cause && cause.startsWith('Deferred') ? cause : rows_text(change.rows);
  else found = cause || '';
  reasons.set(change, found);
  return found;
}
const forces_replacement = (change) => change.action === 'replace' && change.rows.some((row) => row.forces);
