// SPDX-License-Identifier: BSL-1.0
// Puts the parts together: views, selection, filters, keys and pointers.

const announce = (text) => { $('live').textContent = text; };
const page = { view: '', graph_ready: false };

// ---- views ----

const view_words = { timeline: 'Timeline', list: 'Changes', graph: 'Graph' };

function show_view(name) {
  page.view = name;
  document.body.dataset.view = name;
  for (const button of $('views').children) button.setAttribute('aria-pressed', String(button.dataset.view === name));
  $('timeline-panel').hidden = name !== 'timeline';
  if (narrow.matches && !details.hidden) close_details();
  if (name === 'timeline') {
    draw_activity();
    mark_bar(selection.of);
    draw_future();
  }
  if (name !== 'timeline') draw_list();
  if (name === 'graph' || (name === 'list' && !narrow.matches)) show_graph();
}

function show_graph() {
  resize();
  if (!page.graph_ready) {
    page.graph_ready = true;
    build_scene(measure, area_of_layout());
    // Instances are rather one box than boxes with small names.
    if (scale_of_whole() < 0.8) for (const g of all_groups) if (g.kind === 'resource') g.open = false;
    lay_out();
    make_legend_of_lanes();
  }
  if (selection.of) reveal(selection.of);
  redraw();
}

function make_views() {
  for (const name of Object.keys(view_words)) {
    if (name === 'timeline' && !data.run) continue;
    const button = element('button', { type: 'button', 'data-view': name, 'aria-pressed': 'false', class: 'view-' + name }, name === 'list' && !data.changes ? 'List' : view_words[name]);
    button.addEventListener('click', () => show_view(name));
    $('views').append(button);
  }
}

// ---- graph ----

const scale_of_whole = () => Math.min((size.h - margins.top - margins.bottom) / scene.height, (size.w - 2 * margins.side) / scene.width);

function lay_out() {
  build_scene(measure, area_of_layout());
  mark_scene();
  // A graph that does not fit is moved, rather than read with difficulty.
  const is_low = scene.height * 0.85 < size.h - margins.top - margins.bottom;
  fit(narrow.matches || (is_low && scale_of_whole() < 0.6) ? 0.85 : 0.6);
}

// What is opened or closed stays where it was.
function rebuild(keep) {
  if (!page.graph_ready) return;
  const before = keep && box_or_frame_of(keep);
  build_scene(measure, area_of_layout());
  mark_scene();
  const after = before && box_or_frame_of(keep);
  if (view.fits) fit(0.6);
  else if (after) {
    view.x += (before.x - after.x) * view.scale;
    view.y += (before.y - after.y) * view.scale;
  }
  restore_selection();
  redraw();
}

// More boxes than this can neither be read nor moved.
const most_boxes = 6000;
function show_message(text) {
  $('message').hidden = !text;
  $('message').textContent = text;
  if (text) announce(text);
}

function set_open(group, open) {
  const too_many = open && group.vertices.length + group.groups.size > most_boxes;
  show_message(too_many ? 'The group has too many vertices for boxes. The list has all of them.' : '');
  if (too_many) return;
  group.open = open;
  rebuild(group);
  selection.of = group;
  restore_selection();
  if (selection.box && !is_in_sight(selection.box)) move_to(selection.box);
  if (!details.hidden) show_group(group);
  announce(group.key + (open ? ' is open' : ' is closed'));
}

function set_all(open) {
  let shown = root.vertices.length + root.groups.size;
  let left = 0;
  for (const g of all_groups) {
    const added = g.vertices.length + g.groups.size - 1;
    g.open = open && shown + added <= most_boxes;
    if (g.open) shown += added;
    else if (open) left += 1;
  }
  rebuild(null);
  fit(open ? 0.3 : 0.6);
  announce(open ? 'All groups are open' : 'All groups are closed');
  show_message(left ? count_text(left, 'group') + ' of many vertices stay closed. A double click opens one.' : '');
}

// ---- selection ----

// Notes the neighbors of the selection, and the ways to them.
function note_neighbors() {
  selection.near = new Set();
  selection.lines = [];
  const { box, edges: chosen } = selection;
  if (chosen && chosen.net) selection.lines = chosen.net.lines.map((line) => Object.assign([...line], { bare: true }));
  if (chosen && chosen.barrier) selection.lines = [Object.assign([[chosen.barrier.x, chosen.barrier.top], [chosen.barrier.x, chosen.barrier.bottom]], { bare: true })];
  if (!box || !box.vertices) return;
  for (const one of scene.pairs) {
    if (one.from !== box && one.to !== box) continue;
    selection.near.add(one.from === box ? one.to : one.from);
    if (!one.implied) selection.lines.push(pair_line(one));
  }
}

function box_for(of) {
  if (of.groups) return (selection.box && selection.box.of === of && scene.boxes.find((box) => box.of === of && box.layer === selection.box.layer)) || box_or_frame_of(of);
  return box_of_vertex(of) || null;
}

function restore_selection() {
  selection.edges = null;
  selection.box = selection.of && page.graph_ready ? box_for(selection.of) : null;
  note_neighbors();
}

function clear_selection() {
  Object.assign(selection, { box: null, edges: null, of: null });
  note_neighbors();
  if (data.run) mark_bar(null);
  redraw();
}

// Opens the groups around a vertex, unless they have too many vertices, and shows its box.
function reveal(of) {
  const most = 600;
  let hidden = false;
  for (let g = of.groups ? of.parent : of.group; g; g = g.parent) {
    if (g.open || g.count > most) continue;
    hidden = true;
    g.open = true;
  }
  if (hidden) rebuild(null);
  restore_selection();
  if (selection.box && !is_in_sight(selection.box)) move_to(selection.box);
  redraw();
}

const graph_in_sight = () => page.view !== 'timeline' && canvas.clientWidth > 0;

function select_vertex(v, with_details = true) {
  Object.assign(selection, { of: v, box: null, edges: null });
  if (graph_in_sight()) reveal(v);
  if (with_details) show_vertex(v);
  const entry = listing.items.findIndex((row) => row.entry.vertex === v || (v.change && row.entry.change === v.change));
  if (entry !== listing.at) mark_entry(entry, true);
  if (data.run && page.view === 'timeline') {
    if (timeline.order === 'module') {
      let hidden = false;
      for (let g = v.group; g && g !== root; g = g.parent) {
        hidden = hidden || !g.rows_open;
        g.rows_open = true;
      }
      if (hidden) build_timeline();
    }
    mark_bar(v);
  }
  announce(name_of(v) + (v.action ? ', ' + v.action : '') + (data.run && has_state(v, 'failed') ? ', failed' : ''));
}

function select_group(group, box) {
  Object.assign(selection, { of: group, box: box || null, edges: null });
  if (graph_in_sight()) restore_selection();
  if (box) selection.box = box;
  note_neighbors();
  redraw();
  show_group(group, box && box.vertices && is_lane(group) ? box.vertices : null);
  if (data.run && page.view === 'timeline') mark_bar(group);
  announce(group.key + ', ' + count_text(group.count, word_of_vertex) + (group.open ? ', open' : ', closed'));
}

function select_box(box, with_details) {
  if (!box.of.groups) return select_vertex(box.of, with_details);
  if (!with_details) {
    Object.assign(selection, { of: box.of, box, edges: null });
    note_neighbors();
    redraw();
    announce(box.of.key + ', ' + count_text(box.vertices.length, word_of_vertex) + ', closed');
  } else select_group(box.of, box);
  if (!is_in_sight(box)) move_to(box);
}

function select_edges(found) {
  Object.assign(selection, { box: null, of: null, edges: found });
  note_neighbors();
  redraw();
  if (found.all.length) show_edge(found.all);
}

// The nearest box in a direction: of the neighbors to the left and right, of all above and below.
function next_box(key) {
  const from = selection.box;
  const { boxes } = scene;
  if (!from || !boxes.length) return boxes.length ? boxes.reduce((best, box) => (box.x + box.y < best.x + best.y ? box : best)) : null;
  const sideways = key === 'ArrowLeft' || key === 'ArrowRight';
  const sign = key === 'ArrowLeft' || key === 'ArrowUp' ? -1 : 1;
  const reach = (candidates) => {
    let found = null;
    let least = Infinity;
    for (const box of candidates) {
      const dx = box.x + box.w / 2 - from.x - from.w / 2;
      const dy = box.y + box.h / 2 - from.y - from.h / 2;
      const along = sign * (sideways ? dx : dy);
      if (box === from || along < 1) continue;
      const distance = along + 3 * Math.abs(sideways ? dy : dx);
      if (distance < least) {
        least = distance;
        found = box;
      }
    }
    return found;
  };
  return (sideways && reach(selection.near)) || reach(boxes);
}

function zoom_to_selection() {
  const { box } = selection;
  if (!box) return announce('Nothing is selected');
  zoom_to(box.vertices ? [box, ...selection.near] : [box]);
}

function set_critical(on) {
  options.critical = on;
  $('critical').setAttribute('aria-pressed', String(on));
  if (on && data.critical.length) {
    const total = data.critical.reduce((sum, n) => sum + vertices[n].seconds, 0);
    show_details('Critical path', [badge(data.critical.length + ' operations' + (total ? ', ' + duration_text(total) : ''), 'neutral')],
      element('p', { class: 'cause' }, total ? 'The path of dependencies with the longest duration. No parallelism makes the apply shorter than this path.' : 'The longest path of dependencies.'),
      element('ul', {}, data.critical.map((n) => element('li', {}, element('button', { type: 'button', onclick: () => select_vertex(vertices[n]) },
        element('span', { class: 'mono' }, vertices[n].name), element('small', {}, vertices[n].seconds ? duration_text(vertices[n].seconds) : vertices[n].action))))));
  }
  redraw();
}

function set_theme(name) {
  document.documentElement.dataset.theme = name;
  $('theme').textContent = name === 'dark' ? 'Light' : 'Dark';
  read_colors();
  redraw();
  if (data.run) draw_activity();
}

// ---- filters ----

function apply_filter() {
  build_list();
  if (data.run) build_timeline();
}

function make_filters() {
  if (!data.changes) return;
  const count = new Map();
  for (const c of [...data.changes, ...(data.deferred || [])]) count.set(c.action, (count.get(c.action) || 0) + 1);
  const chips = [];
  const add = (word, symbol, of, is_on, toggle) => {
    const button = element('button', { type: 'button', class: 'chip of-' + of, 'aria-pressed': 'false' }, element('i', {}, symbol), word);
    button.addEventListener('click', () => {
      toggle();
      for (const chip of chips) chip.button.setAttribute('aria-pressed', String(chip.is_on()));
      apply_filter();
      announce(count_text(listing.items.length, 'change'));
    });
    chips.push({ button, is_on });
    $('filters').append(button);
  };
  const add_actions = (word, symbol, of, these) => {
    const is_on = () => these.every((one) => filter.actions.has(one));
    add(word, symbol, of, is_on, () => {
      const on = is_on();
      for (const one of these) on ? filter.actions.delete(one) : filter.actions.add(one);
    });
  };
  const add_state = (word, n, of, state) => add(word, n.toLocaleString('en-US'), of, () => filter.state === state, () => { filter.state = filter.state === state ? '' : state; });
  if (run_facts && run_facts.failed.length) add_state('failed', run_facts.failed.length, 'destroy', 'failed');
  if (run_facts && run_facts.left.length) add_state('skipped', run_facts.left.length, 'neutral', 'skipped');
  if (run_facts && data.critical.length) add_state('critical path', data.critical.length, 'critical', 'critical');
  const risky = [...count.keys()].filter((one) => actions[one].risky);
  if (risky.length > 1) add_actions('at risk', risky.reduce((sum, one) => sum + count.get(one), 0).toLocaleString('en-US'), 'risk', risky);
  for (const one of order_of_risk) if (count.has(one)) add_actions(actions[one].word, actions[one].symbol + count.get(one).toLocaleString('en-US'), one, [one]);
}

// ---- titles ----

function make_titles() {
  const kind = { graph: 'Graph', plan: 'Plan', apply: 'Apply', state: 'State' }[data.kind] + (data.mode === 'destroy' ? ' of a destruction' : data.mode === 'refresh-only' ? ' of a refresh' : '');
  const where = [data.project, data.workspace].filter(Boolean).join(' / ');
  const subtitle = [kind + (where ? ' of ' + where : ''), data.created && data.created.replace('T', ' ').replace('Z', ' UTC'), data.incomplete && 'incomplete: an error stopped the plan',
    data.run && (data.run.failed ? 'failed' : 'complete') + ' after ' + duration_text(data.run.seconds)].filter(Boolean);
  $('subtitle').textContent = subtitle.join(' \u00b7 ');
  if (data.back) {
    $('back').href = data.back;
    $('back').textContent = '\u2190 Console';
    $('back').hidden = false;
  }
  const title = $('title');
  const words = headline_parts();
  const { failed, left } = run_facts || { failed: [], left: [] };
  if (failed.length) title.append(element('span', { class: 'of-destroy' }, failed.length.toLocaleString('en-US') + ' failed'), left.length ? ', ' + left.length.toLocaleString('en-US') + ' skipped' : '', words.length ? ', ' : '');
  words.forEach((one, i) => title.append(i ? ', ' : '', element('span', { class: 'of-' + one.action }, one.text)));
  if (run_facts) {
    if (!words.length && !failed.length) title.append('Nothing done');
    title.append(' in ' + duration_text(run_facts.seconds) + (run_facts.most ? ', ' + run_facts.most + ' at once' : '') + (data.critical.length ? ', critical path ' + duration_text(run_facts.critical) : ''));
  } else if (!words.length) title.append(data.changes ? ((data.outputs || []).length ? count_text(data.outputs.length, 'output') + ' to change' : 'No changes') : count_text(vertices.filter((v) => v.kind !== 'join').length, word_of_vertex));
  document.title = 'iacctl: ' + title.textContent + (where ? ' (' + where + ')' : '');
  make_risk();
  const used = [...new Set(vertices.map((v) => v.action).filter(Boolean))];
  for (const one of order_of_risk) if (used.includes(one)) $('legend').append(element('span', { class: 'of-' + one }, actions[one].word));
  if (vertices.some((v) => v.dependencies.length)) $('legend').append(element('div', {}, data.changes ? 'left runs before right' : 'left: dependencies'));
  if (!vertices.length) {
    $('message').hidden = false;
    $('message').textContent = { graph: 'The configuration declares nothing.', state: 'The state has no resources.' }[data.kind] || 'The plan has no operations.';
    $('legend').hidden = true;
  }
}

// The failed operations, or else the riskiest change, with a link to it.
function make_risk() {
  const risk = $('risk');
  const link = (entry) => element('a', { href: link_of(entry.title), class: 'mono' }, entry.title);
  if (run_facts && run_facts.failed.length) {
    const [first] = run_facts.failed;
    const problem = (run_facts.of_vertex.get(first) || [])[0];
    const entry = first.change && entry_of_change.get(first.change);
    risk.append(element('b', { class: 'of-destroy' }, 'Failed'), entry ? link(entry) : name_of(first), problem ? ': ' + short_text(problem.summary, 160) : '');
    if (run_facts.failed.length > 1) risk.append(' and ' + (run_facts.failed.length - 1) + ' more');
  } else if (run_facts && run_facts.problems.some((p) => p.level === 'error')) {
    const [first] = run_facts.problems.filter((p) => p.level === 'error');
    risk.append(element('b', { class: 'of-destroy' }, 'Error'), first.summary);
  } else if (!run_facts && entries.length && entries[0].change && actions[entries[0].action].risky) {
    const [entry] = entries;
    risk.append(element('b', { class: 'of-' + entry.action }, 'Riskiest'), actions[entry.action].word + ' ', link(entry), entry.why ? ': ' + entry.why : '');
  }
  risk.hidden = !risk.childNodes.length;
}

function make_legend_of_lanes() {
  if (data.run) for (const [state, word] of [['running', 'runs'], ['waiting', 'waits'], ['failed', 'failed']]) if (state !== 'failed' || run_facts.failed.length) $('legend').append(element('div', { class: 'state ' + state }, word));
  if (scene.barriers.length) $('legend').append(element('div', { class: 'dashes' }, 'waits for other instances of the module'));
}

// ---- links ----

function open_link() {
  let wanted = '';
  try {
    wanted = decodeURIComponent(location.hash.slice(1));
  } catch (_) {
    return;
  }
  if (!wanted) return;
  const entry = entries.find((one) => one.title === wanted) || entries.find((one) => one.change && one.change.address === wanted);
  if (!entry) return announce('The page has no change of ' + wanted);
  if (listing.items.length < entries.length) {
    Object.assign(filter, { text: '', state: '' });
    filter.actions.clear();
    $('search').value = '';
    for (const chip of $('filters').children) chip.setAttribute('aria-pressed', 'false');
    apply_filter();
  }
  choose(listing.items.findIndex((row) => row.entry === entry));
}

// ---- events ----

function listen_to_graph() {
  let drag = null;
  const world = (event) => {
    const area = canvas.getBoundingClientRect();
    return [(event.clientX - area.left - view.x) / view.scale, (event.clientY - area.top - view.y) / view.scale];
  };
  const touches = new Map();
  let spread = 0;
  const spread_of = () => {
    const [a, b] = [...touches.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  canvas.addEventListener('pointerdown', (event) => {
    touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (touches.size === 2) spread = spread_of();
    drag = { x: event.clientX, y: event.clientY, moved: touches.size > 1 };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!drag) {
      const [x, y] = world(event);
      canvas.classList.toggle('pointing', Boolean(box_at(x, y) || frame_at(x, y)));
      return;
    }
    if (touches.has(event.pointerId)) touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (touches.size === 2) {
      const area = canvas.getBoundingClientRect();
      const [a, b] = [...touches.values()];
      const now = spread_of();
      if (spread > 0) zoom_at((a.x + b.x) / 2 - area.left, (a.y + b.y) / 2 - area.top, now / spread);
      spread = now;
      return;
    }
    const dx = event.clientX - drag.x;
    const dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    canvas.classList.add('panning');
    pan_by(dx, dy);
    Object.assign(drag, { x: event.clientX, y: event.clientY, moved: true });
  });
  const end = (event) => {
    touches.delete(event.pointerId);
    if (drag && !drag.moved && event.type === 'pointerup') click(event);
    if (touches.size) return;
    drag = null;
    canvas.classList.remove('panning');
  };
  canvas.addEventListener('pointerup', end);
  canvas.addEventListener('pointercancel', end);
  function click(event) {
    const [x, y] = world(event);
    const frame = frame_at(x, y);
    if (frame) return set_open(frame.of, !frame.of.open);
    const box = box_at(x, y);
    if (box) return select_box(box, true);
    const found = edges_at(x, y, 7 / view.scale);
    if (found) return select_edges(found);
    clear_selection();
    close_details();
    set_link('');
  }
  canvas.addEventListener('dblclick', (event) => {
    const [x, y] = world(event);
    const box = box_at(x, y);
    if (box && box.of.groups) set_open(box.of, true);
  });
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const area = canvas.getBoundingClientRect();
    const by = event.deltaMode ? 30 : 1;
    if (event.ctrlKey || event.metaKey) zoom_at(event.clientX - area.left, event.clientY - area.top, Math.exp(-event.deltaY * by * 0.0045));
    else if (event.shiftKey && !event.deltaX) pan_by(-event.deltaY * by, 0);
    else pan_by(-event.deltaX * by, -event.deltaY * by);
  }, { passive: false });
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith('Arrow')) {
      const box = next_box(event.key);
      if (box) select_box(box, !details.hidden);
    } else if (event.key === 'Enter') {
      const { box } = selection;
      if (!box) return;
      if (box.of.groups) set_open(box.of, !box.of.open);
      else {
        select_box(box, true);
        details.focus();
      }
    } else if (event.key === 'm' && selection.of) {
      const around = selection.of.groups ? selection.of : selection.of.group;
      const closed = around.open ? around : around.parent;
      if (closed && closed.parent) set_open(closed, false);
    } else return;
    event.preventDefault();
  });
}

function listen() {
  document.addEventListener('keydown', (event) => {
    const typing = event.target.matches('input[type="search"], select');
    if (event.key === 'Escape') {
      if (typing && $('search').value) {
        $('search').value = '';
        filter.text = '';
        apply_filter();
      } else if (typing) (page.view === 'timeline' ? bars : list).focus();
      else if (!details.hidden) close_details();
      else clear_selection();
      return;
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') {
      event.preventDefault();
      $('search').focus();
      $('search').select();
    } else if (page.view === 'timeline') return;
    else if (event.key === '+' || event.key === '=') zoom_at(size.w / 2, size.h / 2, 1.25);
    else if (event.key === '-') zoom_at(size.w / 2, size.h / 2, 0.8);
    else if (event.key === '0') fit();
    else if (event.key === 'z') zoom_to_selection();
    else if (event.key === 'c') set_critical(!options.critical);
  });
  let search_timer = 0;
  $('search').addEventListener('input', () => {
    filter.text = $('search').value.trim().toLowerCase();
    clearTimeout(search_timer);
    const find = () => {
      apply_filter();
      announce(listing.items.length.toLocaleString('en-US') + ' found');
    };
    if (entries.length < 3000) find();
    else search_timer = setTimeout(find, 180);
  });
  $('search').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    if (page.view === 'timeline') {
      bars.focus();
      choose_bar(0, false);
    } else {
      list.focus();
      choose(0);
    }
  });
  $('critical').addEventListener('click', () => set_critical(!options.critical));
  $('collapse').addEventListener('click', () => set_all(false));
  $('expand').addEventListener('click', () => set_all(true));
  $('collapse').hidden = $('expand').hidden = !all_groups.length;
  $('fit').addEventListener('click', () => fit());
  $('zoom').addEventListener('click', zoom_to_selection);
  $('theme').addEventListener('click', () => set_theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => set_theme(event.matches ? 'dark' : 'light'));
  narrow.addEventListener('change', () => show_view(page.view === 'list' && !narrow.matches ? 'graph' : page.view));
  addEventListener('hashchange', open_link);
  let layout_timer = 0;
  new ResizeObserver(() => {
    if (!canvas.clientWidth || !page.graph_ready || !resize()) return;
    clearTimeout(layout_timer);
    if (view.fits) layout_timer = setTimeout(lay_out, 60);
  }).observe(canvas);
  new ResizeObserver(draw_list).observe(list);
  if (data.run) new ResizeObserver(() => { draw_activity(); draw_bars(); }).observe(chart);
}

document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
$('theme').textContent = document.documentElement.dataset.theme === 'dark' ? 'Light' : 'Dark';
read_colors();
make_views();
make_titles();
make_filters();
build_list();
if (data.run) {
  begin_timeline();
  begin_replay();
  build_timeline();
}
listen_to_graph();
listen();
show_view(data.run ? 'timeline' : narrow.matches && data.changes && data.changes.length ? 'list' : 'graph');
setTimeout(prepare_search, 300, 0);
if (location.hash) open_link();
else if (run_facts && run_facts.failed.length && !narrow.matches) select_vertex(run_facts.failed[0]);
redraw();
