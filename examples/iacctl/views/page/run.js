// SPDX-License-Identifier: BSL-1.0
// What an apply has done: counts, how much ran at once, what the limit cost, and what was skipped for a failed operation.

const is_operation = (v) => v.operation !== '';

// The number of operations that ran, at each time when it changes: [time, number]. Of operations at one time, some end first; those without
// a measured duration run one after another, before others begin.
function activity_of(all, seconds) {
  const steps = [];
  for (const v of all) {
    if (!v.visit) continue;
    const { start } = v.visit;
    const end = v.visit.result === 'running' ? Math.max(seconds, v.visit.end) : v.visit.end;
    if (end > start) steps.push([start, 1, 2], [end, -1, 0]);
    else steps.push([start, 1, 1], [start, -1, 1]);
  }
  steps.sort((a, b) => a[0] - b[0] || a[2] - b[2]);
  let running = 0;
  return steps.map(([at, change]) => [at, (running += change)]);
}

// Notes how long each operation waited for a free slot: the time between its dependencies and its start in which as many operations ran as
// may at once. In the rest of this time a slot was free, and the program delayed the operation for another reason.
function note_queues(activity, limit) {
  const full = { from: [], until: [], before: [] };  // before: the full time before each one
  let from = null;
  let sum = 0;
  for (const [at, n] of activity) {
    if (limit && n >= limit && from === null) from = at;
    if (n >= limit || from === null) continue;
    if (at > from) {
      full.from.push(from);
      full.until.push(at);
      full.before.push(sum);
      sum += at - from;
    }
    from = null;
  }
  const full_until = (time) => {
    const next = first_at_least(full.from, time);
    return next ? full.before[next - 1] + Math.min(time, full.until[next - 1]) - full.from[next - 1] : 0;
  };
  for (const { visit } of vertices) if (visit) visit.queued = Math.max(0, full_until(visit.start) - full_until(visit.ready));
}

// The time that operations waited for a free slot on the way to the operation that ended last.
function cost_of_limit() {
  let at = null;
  for (const v of vertices) if (v.visit && (!at || v.visit.end > at.visit.end)) at = v;
  let cost = 0;
  while (at) {
    cost += at.visit.queued;
    let before = null;
    const seen = new Set([at]);
    for (const one of seen)
      for (const { dependency } of one.dependencies) {
        if (dependency.kind === 'join') seen.add(dependency);
        else if (dependency.visit && (!before || dependency.visit.end > before.visit.end)) before = dependency;
      }
    at = before;
  }
  return cost;
}

// For each failed operation the operations that were not started because they depend on it.
function skipped_for(failed) {
  const seen = new Set([failed]);
  const found = [];
  for (const one of seen)
    for (const { dependent } of one.dependents) {
      if (seen.has(dependent) || dependent.visit) continue;
      seen.add(dependent);
      if (is_operation(dependent)) found.push(dependent);
    }
  return found;
}

const run_facts = data.run ? (function make_facts() {
  const { seconds, limit } = data.run;
  const activity = activity_of(vertices, seconds);
  note_queues(activity, limit || 0);
  const most = activity.reduce((top, [, n]) => Math.max(top, n), 0);
  const busy = vertices.reduce((sum, v) => sum + (v.visit ? v.visit.end - v.visit.start : 0), 0);
  const failed = vertices.filter((v) => v.visit && v.visit.result === 'failed');
  const skipped = new Map();  // the failed operation of each skipped one
  for (const v of failed) for (const one of skipped_for(v)) if (!skipped.has(one)) skipped.set(one, v);
  const problems = (data.run.problems || []).map((p) => ({ ...p, vertices: [] }));
  const by_address = new Map();
  for (const p of problems) if (p.address) by_address.set(p.address, [...(by_address.get(p.address) || []), p]);
  const of_vertex = new Map();
  for (const v of failed) {
    const own = v.change && by_address.get(v.change.address) || [];
    of_vertex.set(v, own.filter((p) => p.level === 'error'));
    for (const p of own) p.vertices.push(v);
  }
  return {
    seconds, limit: limit || 0, activity, most, mean: seconds > 0 ? busy / seconds : 0, failed, skipped, problems, of_vertex,
    left: vertices.filter((v) => is_operation(v) && !v.visit),
    critical: data.critical.reduce((sum, n) => sum + (vertices[n].visit ? vertices[n].visit.end - vertices[n].visit.start : 0), 0),
    limit_cost: cost_of_limit(),
  };
})() : null;

// The headline: what is to be done, or what was done.
const planned_words = { create: 'add', update: 'change', replace: 'replace', destroy: 'destroy', forget: 'forget', read: 'read', 'no-op': 'move or import' };
function headline_parts() {
  const order = ['create', 'update', 'replace', 'destroy', 'forget', 'no-op', 'read'];
  const count = new Map();
  if (data.run) {
    for (const v of vertices)
      if (v.visit && v.visit.result === 'done' && !(v.action === 'destroy' && v.change && v.change.action === 'replace')) count.set(v.action, (count.get(v.action) || 0) + 1);
  } else for (const c of data.changes || []) count.set(c.action, (count.get(c.action) || 0) + 1);
  return order.filter((one) => count.get(one)).map((one) => ({ action: one, text: count.get(one).toLocaleString('en-US') + (data.run ? ' ' + actions[one].ended : ' to ' + planned_words[one]) }));
}
