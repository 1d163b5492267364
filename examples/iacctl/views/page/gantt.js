// SPDX-License-Identifier: BSL-1.0
// The timeline of an apply: a row for each operation or group, with the times in which it waited, queued and ran. Only rows in sight are
// in the document.

const bars = $('bars');
const chart = $('chart');
const timeline = { rows: [], at: -1, order: 'start', height: 26, margin: narrow.matches ? 76 : 118, track: 0 };
const orders = { module: 'by module', start: 'by start', longest: 'longest first', queued: 'by time in the queue' };

const first_start = (v) => (v.visit ? v.visit.start : Infinity);
const duration_of = (v) => (v.visit ? v.visit.end - v.visit.start : -1);
const queue_of = (v) => (v.visit ? v.visit.queued : -1);
const is_kept = (v) => !scene.filtered || scene.kept.has(v);

function summary_of(group) {
  if (group.summary) return group.summary;
  const all = vertices_in(group).filter(is_operation);
  const ran = all.filter((v) => v.visit);
  group.summary = {
    all, ran, start: ran.reduce((least, v) => Math.min(least, v.visit.start), Infinity), end: ran.reduce((most, v) => Math.max(most, v.visit.end), 0),
    failed: all.filter((v) => has_state(v, 'failed')).length, on_path: all.some((v) => v.on_path), action: order_of_risk.find((one) => all.some((v) => v.action === one)) || '',
  };
  return group.summary;
}

function build_timeline() {
  const rows = [];
  const kept = vertices.filter((v) => is_operation(v) && is_kept(v));
  if (timeline.order === 'module') {
    const kept_groups = new Set();
    for (const v of kept) for (let g = v.group; g && !kept_groups.has(g); g = g.parent) kept_groups.add(g);
    (function add(group, level) {
      // Instances are in the order of their keys, other parts in that of their begin.
      const are_instances = group.kind === 'call' || group.kind === 'resource';
      const inner = [...[...group.groups.values()].filter((g) => kept_groups.has(g)).map((g) => ({ group: g, start: summary_of(g).start })),
        ...group.vertices.filter((v) => is_operation(v) && is_kept(v)).map((v) => ({ vertex: v, start: first_start(v) }))];
      if (!are_instances) inner.sort((a, b) => a.start - b.start || (a.group ? 1 : 0) - (b.group ? 1 : 0));
      for (const one of inner) {
        rows.push({ ...one, level });
        if (one.group && (one.group.rows_open || scene.filtered && kept.length < 200)) add(one.group, level + 1);
      }
    })(root, 1);
  } else {
    const by = { start: (a, b) => first_start(a) - first_start(b) || (a.visit && b.visit ? a.visit.end - b.visit.end : 0), longest: (a, b) => duration_of(b) - duration_of(a), queued: (a, b) => queue_of(b) - queue_of(a) }[timeline.order];
    for (const v of kept.sort((a, b) => by(a, b) || a.rank - b.rank)) rows.push({ vertex: v, level: 1 });
  }
  timeline.rows = rows;
  timeline.at = rows.findIndex((row) => (row.vertex || row.group) === selection.of);
  $('chart-body').style.height = rows.length * timeline.height + 'px';
  draw_bars();
}

const part_of_run = (seconds) => (run_facts.seconds > 0 ? (seconds / run_facts.seconds) * 100 : 0);
function bar(kind, from, to) {
  const made = element('i', { class: kind });
  made.style.left = part_of_run(from) + '%';
  made.style.width = Math.max(0, part_of_run(to) - part_of_run(from)) + '%';
  return made;
}
// A text behind the bar, before it, or over it, where the text is within the track; the short text if only that has room.
function bar_note(text, at, from = 0, short = text) {
  const wide = (one) => measure(one) * 0.92 + 10;
  const behind = (1 - part_of_run(at) / 100) * timeline.track + timeline.margin;
  const before = (part_of_run(from) / 100) * timeline.track;
  const shown = wide(text) <= Math.max(behind, before) ? text : short;
  const made = element('em', {}, shown);
  if (wide(shown) <= behind) made.style.left = part_of_run(at) + '%';
  else if (wide(shown) <= before) {
    made.className = 'before';
    made.style.right = 100 - part_of_run(from) + '%';
  } else made.className = 'over';
  return made;
}

function track_of_vertex(v) {
  if (!v.visit) {
    const cause = run_facts.skipped.get(v);
    const where = cause && cause.module.join() !== v.module.join() && cause.module.length ? module_text(cause.module) + ' \u203a ' : '';
    return [bar_note(cause ? 'skipped: ' + where + cause.label + ' failed' : 'not started', 0, 0, cause && 'skipped: ' + cause.label + ' failed')];
  }
  const { ready, start, end, result, queued } = v.visit;
  return [ready > 0 ? bar('wait', 0, ready) : null, queued > run_facts.seconds * 0.0005 ? bar('queue', start - queued, start) : null,
    bar('ran' + (v.on_path ? ' on-path' : '') + (result === 'failed' ? ' failed' : result === 'running' ? ' open' : ''), start, end),
    bar_note((result === 'failed' ? 'failed after ' : '') + duration_text(end - start), end, start)];
}

// How many operations of a group ran at each time.
function profile_of(group) {
  if (group.profile) return group.profile;
  const { all } = summary_of(group);
  const steps = activity_of(all, run_facts.seconds);
  const most = steps.reduce((top, [, n]) => Math.max(top, n), 1);
  const buckets = 240;
  const high = new Float64Array(buckets + 1);
  let running = 0;
  let at = 0;
  for (const [time, n] of steps) {
    const to = Math.min(buckets, Math.floor((time / (run_facts.seconds || 1)) * buckets));
    for (let i = at; i <= to; ++i) high[i] = Math.max(high[i], running);
    running = n;
    at = to;
    high[at] = Math.max(high[at], running);
  }
  const points = ['0 100%'];
  for (let i = 0; i < buckets; ++i) {
    if (i && high[i] === high[i - 1]) continue;
    if (i) points.push((i / buckets) * 100 + '% ' + (1 - (high[i - 1] / most) * 0.9) * 100 + '%');
    points.push((i / buckets) * 100 + '% ' + (1 - (high[i] / most) * 0.9) * 100 + '%');
  }
  points.push('100% ' + (1 - (high[buckets - 1] / most) * 0.9) * 100 + '%', '100% 100%');
  group.profile = { shape: 'polygon(' + points.join() + ')', most };
  return group.profile;
}

function track_of_group(group) {
  const its = summary_of(group);
  if (!its.ran.length) return [bar_note(count_text(its.all.length, 'operation') + ', none started', 0)];
  const { shape, most } = profile_of(group);
  const profile = element('i', { class: 'profile' });
  profile.style.clipPath = shape;
  const left = its.all.length - its.ran.length;
  return [profile, ...its.ran.filter((v) => v.on_path).map((v) => bar('path-part', v.visit.start, v.visit.end)), ...its.ran.filter((v) => has_state(v, 'failed')).map((v) => bar('failed-part', v.visit.start, v.visit.end)), bar_note(duration_text(its.end - its.start) + ', ' + most + ' at once' + (its.failed ? ', ' + its.failed + ' failed' : '') + (left ? ', ' + left + ' skipped' : ''), its.end, its.start, duration_text(its.end - its.start))];
}

function label_of_row(row) {
  if (row.group) return title_of(row.group);
  const v = row.vertex;
  return v.label;
}

// What a row says beside its texts.
function spoken(row) {
  if (row.group) {
    const its = summary_of(row.group);
    return its.ran.length ? ', ' + duration_text(its.start) + ' to ' + duration_text(its.end) : '';
  }
  const { visit, on_path } = row.vertex;
  return visit ? ', began after ' + duration_text(visit.start) + (on_path ? ', critical path' : '') : '';
}

function bar_element(row, number) {
  const { group, vertex } = row;
  const made = element('div', { class: 'bar' + (group ? ' group' : '') + (vertex && !vertex.visit ? ' skipped' : ''), role: 'treeitem', id: 'bar-' + number, 'aria-level': String(row.level),
    'aria-selected': String(number === timeline.at), 'aria-setsize': String(timeline.rows.length), 'aria-posinset': String(number + 1) });
  if (group) made.setAttribute('aria-expanded', String(group.rows_open));
  made.title = group ? group.key : vertex.change ? vertex.change.address : vertex.name;
  const action = vertex ? vertex.action : '';
  const failed = vertex && has_state(vertex, 'failed');
  const name = element('div', { class: 'bar-name of-' + (failed ? 'destroy' : action || 'neutral') }, group ? element('b', { 'aria-hidden': 'true' }, group.rows_open ? '\u25be' : '\u25b8')
    : element('b', { role: 'img', 'aria-label': failed ? 'failed' : actions[action] ? actions[action].word : 'operation' }, failed ? '!' : actions[action] ? actions[action].symbol : ''),
    element('span', { class: 'mono' }, element('bdi', { dir: 'ltr' }, label_of_row(row))), group ? element('small', {}, summary_of(group).all.length.toLocaleString('en-US'))
    : timeline.order !== 'module' && vertex.module.length ? element('small', { class: 'mono' }, module_text(vertex.module)) : '');
  name.style.paddingLeft = (narrow.matches ? -8 : 4) + 12 * row.level + 'px';
  made.append(name, element('div', { class: 'bar-track' }, group ? track_of_group(group) : track_of_vertex(vertex)), element('span', { class: 'hidden' }, spoken(row)));
  made.style.top = number * timeline.height + 'px';
  made.addEventListener('click', (event) => choose_bar(number, event.target.closest('.bar-name b') !== null || (group && event.detail > 1)));
  return made;
}

function draw_bars() {
  if (!chart.clientHeight) return;
  const height = narrow.matches ? 44 : 26;
  timeline.margin = narrow.matches ? 76 : 118;
  if (height !== timeline.height) {
    timeline.height = height;
    $('chart-body').style.height = timeline.rows.length * height + 'px';
  }
  timeline.track = $('activity').clientWidth - timeline.margin;
  const head = $('chart-head').offsetHeight;
  const first = Math.max(0, Math.floor((chart.scrollTop - head) / timeline.height) - 8);
  const last = Math.min(timeline.rows.length, Math.ceil((chart.scrollTop + chart.clientHeight) / timeline.height) + 8);
  const made = [];
  for (let i = first; i < last; ++i) made.push(bar_element(timeline.rows[i], i));
  bars.replaceChildren(...made);
  if (timeline.at >= first && timeline.at < last) bars.setAttribute('aria-activedescendant', 'bar-' + timeline.at);
  else bars.removeAttribute('aria-activedescendant');
}

function mark_bar(of) {
  timeline.at = timeline.rows.findIndex((row) => (row.vertex || row.group) === of);
  if (timeline.at >= 0) {
    const head = $('chart-head').offsetHeight;
    const top = timeline.at * timeline.height;
    const bottom = top + timeline.height + head - chart.clientHeight;
    if (top < chart.scrollTop - chart.clientHeight || bottom > chart.scrollTop + 40) chart.scrollTop = top - chart.clientHeight / 3;
    else if (top < chart.scrollTop) chart.scrollTop = top;
    else if (bottom > chart.scrollTop) chart.scrollTop = bottom + 4;
  }
  draw_bars();
}

function open_rows(group, open) {
  group.rows_open = open;
  build_timeline();
  announce(group.key + (open ? ' is open' : ' is closed'));
}

function choose_bar(number, toggles) {
  const row = timeline.rows[Math.max(0, Math.min(timeline.rows.length - 1, number))];
  if (!row) return;
  if (row.group && toggles) open_rows(row.group, !row.group.rows_open);
  if (row.group) select_group(row.group);
  else select_vertex(row.vertex);
}

// The times of the axis: about eight round numbers.
function ticks_of(seconds, wanted) {
  if (!(seconds > 0)) return [];
  const raw = seconds / wanted;
  const unit = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600].find((one) => one >= raw) || Math.ceil(raw / 3600) * 3600;
  const made = [];
  for (let at = 0; at <= seconds * 1.0001; at += unit) made.push(at);
  return made;
}

// The head of the chart: the axis, and the number of operations that ran at once below their limit.
function draw_activity() {
  const head = $('activity');
  const area = head.getBoundingClientRect();
  if (!area.width) return;
  const ratio = Math.min(2, devicePixelRatio || 1);
  head.width = Math.max(1, Math.round(area.width * ratio));
  head.height = Math.max(1, Math.round(area.height * ratio));
  const p = head.getContext('2d');
  p.setTransform(ratio, 0, 0, ratio, 0, 0);
  p.clearRect(0, 0, area.width, area.height);
  const wide = area.width - timeline.margin;
  const x = (seconds) => (part_of_run(seconds) / 100) * wide;
  const base = area.height - 18;
  const most = Math.max(run_facts.most, Math.min(run_facts.limit, run_facts.most * 1.5), 1);
  const y = (count) => base - (count / most) * (base - 14);
  p.beginPath();
  p.moveTo(0, base);
  let running = 0;
  for (const [at, n] of run_facts.activity) {
    p.lineTo(x(at), y(running));
    p.lineTo(x(at), y((running = n)));
  }
  p.lineTo(wide, base);
  p.closePath();
  p.globalAlpha = 0.3;
  p.fillStyle = colors.accent;
  p.fill();
  p.globalAlpha = 1;
  p.font = font('400', 11);
  p.textBaseline = 'middle';
  if (run_facts.limit && run_facts.limit <= most) {
    p.strokeStyle = colors.muted;
    p.setLineDash([4, 3]);
    p.beginPath();
    p.moveTo(0, y(run_facts.limit));
    p.lineTo(wide, y(run_facts.limit));
    p.stroke();
    p.setLineDash([]);
    p.fillStyle = colors.muted;
    p.fillText('limit ' + run_facts.limit, wide + 6, y(run_facts.limit));
  } else {
    p.fillStyle = colors.muted;
    if (run_facts.most) p.fillText(run_facts.most + ' at once', wide + 6, y(run_facts.most));
  }
  p.fillStyle = colors.destroy;
  for (const v of run_facts.failed) p.fillRect(x(v.visit.end) - 1, 4, 2, base - 4);
  p.fillStyle = colors.muted;
  p.textAlign = 'center';
  const ticks = ticks_of(run_facts.seconds, Math.max(2, Math.min(10, wide / 80)));
  for (const at of ticks) {
    p.textAlign = at === 0 ? 'left' : 'center';
    p.fillText(at === 0 ? '0' : at < 1 && ticks[1] < 0.1 ? Math.round(at * 1000) + ' ms' : at < 60 ? Number(at.toFixed(2)) + ' s' : duration_text(at), x(at), base + 10);
  }
  $('grid').replaceChildren(...ticks.map((at) => {
    const line = element('i');
    line.style.left = part_of_run(at) + '%';
    return line;
  }));
}

function draw_future() {
  const future = $('future');
  future.hidden = replay.at >= run_facts.seconds;
  future.style.left = 'calc(var(--names) + (100% - var(--names) - ' + timeline.margin + 'px) * ' + part_of_run(replay.at) / 100 + ')';
}

function make_facts_list() {
  const add = (term, text, note) => $('facts').append(element('div', {}, element('dt', {}, term), element('dd', {}, text, note ? [' ', element('small', {}, note)] : '')));
  add('Duration', duration_text(run_facts.seconds));
  if (data.critical.length) add('Critical path', duration_text(run_facts.critical), count_text(data.critical.length, 'operation'));
  const { most, mean, limit } = run_facts;
  const notes = [limit ? 'limit ' + limit : '', mean ? 'mean ' + (mean < 0.05 ? '< 0.1' : mean.toFixed(1)) : ''];
  add('At once', most ? 'at most ' + most : 'nothing ran', notes.filter(Boolean).join(', '));
  add('Cost of the limit', run_facts.limit_cost < 0.0005 ? 'none' : duration_text(run_facts.limit_cost), run_facts.limit_cost < 0.0005 ? 'no wait for a free slot' : 'waits for a free slot before the last end');
  const { problems } = run_facts;
  if (problems.length) {
    const errors = problems.filter((p) => p.level === 'error').length;
    const words = [errors ? count_text(errors, 'error') : '', problems.length > errors ? count_text(problems.length - errors, 'warning') : ''].filter(Boolean).join(', ');
    add('Messages', element('button', { type: 'button', onclick: () => show_details('Messages', [], problems.map((p) => problem_element(p, p.vertices.length ? link_of(p.address) : ''))) }, words));
  }
}

function begin_timeline() {
  const several = [...all_groups].some((g) => g.count > 1);
  open_first('rows_open', 45, 6);
  const operations = vertices.filter(is_operation).length;
  timeline.order = several && operations > 60 ? 'module' : 'start';
  for (const [value, word] of Object.entries(orders)) {
    if (value === 'module' && !all_groups.length) continue;
    const choice = element('option', { value }, word);
    choice.selected = value === timeline.order;
    $('order').append(choice);
  }
  $('order').addEventListener('change', () => {
    timeline.order = $('order').value;
    build_timeline();
    chart.scrollTop = 0;
  });
  const legend = [['wait', 'waits for dependencies'], ['queue', 'waits for a free slot'], ['ran', 'runs'], ['ran on-path', 'critical path']];
  if (run_facts.failed.length) legend.push(['ran failed', 'failed']);
  for (const [kind, word] of legend) $('bar-legend').append(element('span', {}, element('i', { class: kind }), word));
  make_facts_list();
  let drawing = false;
  chart.addEventListener('scroll', () => {
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(() => { drawing = false; draw_bars(); });
  }, { passive: true });
  bars.addEventListener('keydown', (event) => {
    const row = timeline.rows[timeline.at];
    const page = Math.max(1, Math.floor(chart.clientHeight / timeline.height) - 4);
    const to = { ArrowDown: timeline.at + 1, ArrowUp: Math.max(0, timeline.at - 1), PageDown: timeline.at + page, PageUp: Math.max(0, timeline.at - page), Home: 0, End: timeline.rows.length - 1 }[event.key];
    if (to !== undefined) choose_bar(to, false);
    else if ((event.key === 'ArrowRight' || event.key === 'ArrowLeft') && row && row.group) open_rows(row.group, event.key === 'ArrowRight');
    else if (event.key === 'ArrowLeft' && row && row.level > 1) choose_bar(timeline.rows.slice(0, timeline.at).map((one) => one.level < row.level).lastIndexOf(true), false);
    else if (event.key === 'Enter') {
      if (row && row.group) open_rows(row.group, !row.group.rows_open);
      else if (!details.hidden) details.focus();
    } else return;
    event.preventDefault();
  });
  $('activity').addEventListener('click', (event) => {
    const area = $('activity').getBoundingClientRect();
    set_playing(false);
    set_time(((event.clientX - area.left) / (area.width - timeline.margin)) * run_facts.seconds);
  });
}
