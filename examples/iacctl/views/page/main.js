// SPDX-License-Identifier: BSL-1.0
// Puts the parts together: selection, filters, keys and pointers.

const announce = (text) => { $('live').textContent = text; };

function rebuild(keep) {
  const anchor = keep && scene.of.size ? keep : null;
  const before = anchor && (scene.of.get(anchor) || scene.frames.find((f) => f.of === anchor));
  build_scene(measure);
  mark_scene();
  if (before) {  // what was opened or closed stays where it was
    const after = scene.of.get(anchor) || scene.frames.find((f) => f.of === anchor);
    if (after) {
      view.x += (before.x - after.x) * view.scale;
      view.y += (before.y - after.y) * view.scale;
    }
  }
  restore_selection();
  redraw();
}

function set_open(group, open) {
  group.open = open;
  rebuild(group);
  const box = open ? scene.frames.find((f) => f.of === group) : scene.of.get(group);
  if (box) select(box, false);
  announce(group.key + (open ? ' is open' : ' is closed'));
}

function set_all(open) {
  for (const g of all_groups) g.open = open;
  rebuild(null);
  fit();
  announce(open ? 'All modules are open' : 'All modules are closed');
}

// Marks the neighbors of the selection.
function note_neighbors() {
  selection.near = new Set();
  selection.near_edges = new Set();
  const box = selection.box;
  if (selection.edge) selection.near_edges.add(selection.edge);
  for (const edge of box ? scene.edges : []) {
    if (edge.from !== box && edge.to !== box) continue;
    selection.near_edges.add(edge);
    selection.near.add(edge.from === box ? edge.to : edge.from);
  }
}

function restore_selection() {
  const of = selection.box && selection.box.of;
  selection.edge = null;
  if (of) selection.box = scene.of.get(of.groups ? of : visible_of(of)) || scene.frames.find((f) => f.of === of) || null;
  note_neighbors();
}

function clear_selection() {
  Object.assign(selection, { box: null, edge: null });
  note_neighbors();
  redraw();
}

function select(box, into_sight = true, with_details = true) {
  Object.assign(selection, { box, edge: null });
  note_neighbors();
  if (into_sight && !is_in_sight(box)) move_to(box);
  redraw();
  const of = box.of;
  const entry = of.groups ? -1 : listing.items.findIndex((row) => row.entry.vertex === of || (of.change && row.entry.change === of.change));
  if (entry !== listing.at) mark_entry(entry, true);
  if (with_details) {
    if (of.groups) show_group(of);
    else show_vertex(of);
  }
  announce((of.groups ? of.key + ', ' + of.count + ' vertices, ' + (of.open ? 'open' : 'closed') : name_of(of) + (of.action ? ', ' + of.action : '')));
}

function select_edge(edge) {
  Object.assign(selection, { box: null, edge });
  note_neighbors();
  redraw();
  show_edge(edge.all);
}

// Opens the groups around a vertex if it is not to be seen.
function select_vertex(v) {
  let hidden = false;
  for (let g = v.group; g; g = g.parent) {
    hidden = hidden || !g.open;
    g.open = true;
  }
  if (hidden) rebuild(null);
  const box = scene.of.get(v);
  if (box) select(box);
}

// The nearest box in a direction: of the neighbors to the left and right, of all above and below.
function next_box(key) {
  const from = selection.box;
  const boxes = scene.boxes.filter((box) => box.of.kind !== 'join');
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
  return (sideways && reach([...selection.near].filter((box) => box.of.kind !== 'join'))) || reach(boxes);
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

function make_filters() {
  if (!data.changes) return;
  const count = new Map();
  for (const c of [...data.changes, ...(data.deferred || [])]) count.set(c.action, (count.get(c.action) || 0) + 1);
  const chips = [];
  const apply = () => {
    for (const chip of chips) chip.button.setAttribute('aria-pressed', String(chip.actions.every((one) => filter.actions.has(one))));
    build_list();
    announce(listing.items.length + ' changes');
  };
  const add = (word, symbol, of, these) => {
    const button = element('button', { type: 'button', class: 'chip of-' + of, 'aria-pressed': 'false' }, element('i', {}, symbol), word);
    button.addEventListener('click', () => {
      const on = these.every((one) => filter.actions.has(one));
      for (const one of these) on ? filter.actions.delete(one) : filter.actions.add(one);
      apply();
    });
    chips.push({ button, actions: these });
    $('filters').append(button);
  };
  const risky = [...count.keys()].filter((one) => actions[one].risky);
  if (risky.length > 1) add('at risk', String(risky.reduce((sum, one) => sum + count.get(one), 0)), 'risk', risky);
  for (const one of Object.keys(actions)) if (count.has(one)) add(actions[one].word, actions[one].symbol + count.get(one), one, [one]);
}

function make_titles() {
  const word = { graph: 'Graph', plan: 'Plan', apply: 'Apply' }[data.kind] + (data.mode === 'destroy' ? ' of a destruction' : data.mode === 'refresh-only' ? ' of a refresh' : '');
  $('title').textContent = word;
  const parts = [data.workspace && 'Workspace ' + data.workspace, data.created && data.created.replace('T', ' ').replace('Z', ' UTC'), data.incomplete && 'incomplete: an error stopped the plan',
    data.run && (data.run.failed ? 'failed' : 'complete') + ' after ' + duration_text(data.run.seconds)].filter(Boolean);
  $('subtitle').textContent = parts.join(' \u00b7 ');
  document.title = 'iacctl: ' + word + (data.workspace ? ' (' + data.workspace + ')' : '');
  const used = [...new Set(vertices.map((v) => v.action).filter(Boolean))];
  for (const one of Object.keys(actions)) if (used.includes(one)) $('legend').append(element('span', { class: 'of-' + one }, actions[one].word));
  if (vertices.some((v) => v.dependencies.length)) $('legend').append(element('div', {}, data.kind === 'graph' ? 'left: dependencies' : 'left runs before right'));
  if (!vertices.length) {
    $('message').hidden = false;
    $('message').textContent = data.kind === 'graph' ? 'The configuration declares nothing.' : 'The plan has no operations.';
    $('legend').hidden = true;
  }
}

function listen() {
  let drag = null;
  const world = (event) => {
    const area = canvas.getBoundingClientRect();
    return [(event.clientX - area.left - view.x) / view.scale, (event.clientY - area.top - view.y) / view.scale];
  };
  canvas.addEventListener('pointerdown', (event) => {
    drag = { x: event.clientX, y: event.clientY, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!drag) {
      const [x, y] = world(event);
      canvas.classList.toggle('pointing', Boolean(box_at(x, y) || frame_at(x, y)));
      return;
    }
    const dx = event.clientX - drag.x;
    const dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    canvas.classList.add('panning');
    view.x += dx;
    view.y += dy;
    view.fits = false;
    Object.assign(drag, { x: event.clientX, y: event.clientY, moved: true });
    redraw(false);
  });
  const end = (event) => {
    if (drag && !drag.moved && event.type === 'pointerup') click(event);
    drag = null;
    canvas.classList.remove('panning');
  };
  canvas.addEventListener('pointerup', end);
  canvas.addEventListener('pointercancel', end);
  function click(event) {
    const [x, y] = world(event);
    const box = box_at(x, y);
    if (box) return select(box, false);
    const frame = frame_at(x, y);
    if (frame) return set_open(frame.of, false);
    const edge = edge_at(x, y, 7 / view.scale);
    if (edge) return select_edge(edge);
    clear_selection();
    close_details();
  }
  canvas.addEventListener('dblclick', (event) => {
    const [x, y] = world(event);
    const box = box_at(x, y);
    if (box && box.of.groups) set_open(box.of, true);
  });
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const area = canvas.getBoundingClientRect();
    if (event.ctrlKey || !event.shiftKey) zoom_at(event.clientX - area.left, event.clientY - area.top, Math.exp(-event.deltaY * (event.deltaMode ? 0.06 : 0.0022)));
    else {
      view.x -= event.deltaY;
      view.fits = false;
      redraw(false);
    }
  }, { passive: false });
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith('Arrow')) {
      const box = next_box(event.key);
      if (box) select(box, true, !details.hidden);
    } else if (event.key === 'Enter') {
      const box = selection.box;
      if (!box) return;
      if (box.of.groups) set_open(box.of, !box.of.open);
      else {
        select(box);
        details.focus();
      }
    } else if (event.key === 'm' && selection.box) {
      const around = selection.box.of.groups ? selection.box.of : selection.box.of.group;
      const closed = around.open ? around : around.parent;
      if (closed && closed.parent) set_open(closed, false);
    } else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    const typing = event.target.matches('input[type="search"], select');
    if (event.key === 'Escape') {
      if (typing && $('search').value) {
        $('search').value = '';
        filter.text = '';
        build_list();
      } else if (typing) canvas.focus();
      else if (!details.hidden) close_details();
      else clear_selection();
      return;
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') {
      event.preventDefault();
      $('search').focus();
      $('search').select();
    } else if (event.key === '+' || event.key === '=') zoom_at(size.w / 2, size.h / 2, 1.25);
    else if (event.key === '-') zoom_at(size.w / 2, size.h / 2, 0.8);
    else if (event.key === '0') fit();
    else if (event.key === 'c') set_critical(!options.critical);
  });
  $('search').addEventListener('input', () => {
    filter.text = $('search').value.trim().toLowerCase();
    build_list();
    announce(listing.items.length + ' found');
  });
  $('search').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    list.focus();
    choose(0);
  });
  $('critical').addEventListener('click', () => set_critical(!options.critical));
  $('collapse').addEventListener('click', () => set_all(false));
  $('expand').addEventListener('click', () => set_all(true));
  $('collapse').hidden = $('expand').hidden = !all_groups.length;
  $('fit').addEventListener('click', fit);
  $('theme').addEventListener('click', () => set_theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => set_theme(event.matches ? 'dark' : 'light'));
  new ResizeObserver(() => { resize(); draw_list(); if (data.run) draw_activity(); }).observe(canvas);
}

make_titles();
make_filters();
document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
$('theme').textContent = document.documentElement.dataset.theme === 'dark' ? 'Light' : 'Dark';
read_colors();
if (data.run) begin_replay();
build_scene(measure);
resize();
build_list();
fit();
listen();
if (data.run) draw_activity();
