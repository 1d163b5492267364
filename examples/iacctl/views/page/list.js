// SPDX-License-Identifier: BSL-1.0
// The list on the left: changes by risk, or the vertices of a graph without changes. Only rows in sight are in the document.

const list = $('list');
const list_rows = $('list-rows');
const heights = { head: 32, line: 18, pad: 10 };
const listing = { rows: [], tops: [], items: [], at: -1, width: 0 };
const filter = { actions: new Set(), text: '', state: '' };

// The name of a changed object: its address, or the part of it that is shown, and the key of a deposed object.
const object_name = (c, address = c.address) => address + (c.deposed ? ' (deposed ' + c.deposed + ')' : '');

// Everything that can be listed: what a search finds, and the vertex that shows it.
const entries = (function make_entries() {
  if (!data.changes)
    return in_order(vertices.filter((v) => v.kind !== 'join'), (v) => (v.kind === 'resource' ? '0' : '1') + address_key(v.name)).map((v) => ({ title: v.name, name: v.label, module: v.module, action: '', why: '', group: v.kind === 'resource' ? 'Resources' : 'Values', vertex: v }));
  const of_change = (c, group, why) => {
    const all = vertices_of_change.get(c) || [];
    const vertex = all.find((v) => v.action !== 'destroy') || all[0] || null;
    const module = vertex ? vertex.module : [];
    const prefix = module.length ? module.join('.') + '.' : '';
    const name = c.address.startsWith(prefix) ? c.address.slice(prefix.length) : c.address;
    return { title: object_name(c), name: object_name(c, name), module, action: c.action, why, group, vertex, change: c };
  };
  const by_address = (all) => in_order(all, (c) => String.fromCharCode(32 + order_of_risk.indexOf(c.action)) + address_key(object_name(c)));
  const made = by_address(data.changes).map((c) => of_change(c, actions[c.action].title, reason_of(c)));
  for (const c of by_address(data.deferred || [])) made.push(of_change(c, 'Deferred', c.causes[0]));
  for (const o of in_order(data.outputs || [], (one) => natural_key(one.name)))
    made.push({ title: o.name, name: o.name, module: [], action: o.action, why: rows_text(o.rows), group: 'Outputs', vertex: null, output: o });
  return made;
})();

const entry_of_change = new Map();
for (const e of entries) if (e.change) entry_of_change.set(e.change, e);

// What a search looks into.
function found_by(entry) {
  if (entry.found_by === undefined) {
    const c = entry.change;
    entry.found_by = (c ? [entry.group === 'Deferred' ? 'deferred' : '', c.address, c.type, c.action, c.place || '', entry.why, ...(c.causes || []), ...c.rows.map((r) => r.path)].join('\n')
      : (entry.output ? 'output ' : '') + entry.title).toLowerCase();
  }
  return entry.found_by;
}

function is_found(entry, words) {
  if (filter.actions.size && (!filter.actions.has(entry.action) || entry.output)) return false;
  if (filter.state && !(entry.change && (vertices_of_change.get(entry.change) || []).some((v) => has_state(v, filter.state)))) return false;
  return words.every((word) => found_by(entry).includes(word));
}

// Prepares the search while nothing else is to be done.
function prepare_search(from) {
  const until = performance.now() + 12;
  let at = from;
  while (at < entries.length && performance.now() < until) found_by(entries[at++]);
  if (at < entries.length) setTimeout(prepare_search, 30, at);
}

const has_state = (v, state) => (state === 'critical' ? v.on_path : state === 'skipped' ? v.operation && !v.visit : v.visit && v.visit.result === state);

// Rough widths of the fonts of the list; a row gets a further line if in doubt.
const mono_width = (text, pixels) => text.length * pixels * 0.61;
const module_text = (module) => module.map((step) => (step.startsWith('module.') ? step.slice(7) : step)).join(' \u203a ');

const pen_of_reasons = document.createElement('canvas').getContext('2d');
const widths_of_words = { 400: new Map(), 600: new Map() };
function width_of_word(word, weight) {
  const known = widths_of_words[weight];
  if (!known.has(word)) {
    pen_of_reasons.font = font(String(weight), 12);
    known.set(word, pen_of_reasons.measureText(word).width);
  }
  return known.get(word);
}

// The number of lines of a text that is broken between words, with a bold text behind it.
function lines_of_text(text, bold, room) {
  let lines = 1;
  let used = 0;
  const add = (word, weight) => {
    const wide = width_of_word(word, weight);
    if (used && used + wide > room) {
      lines += 1;
      used = 0;
    }
    used += wide + 4;
    while (used - 4 > room) {  // a word that is longer than a line
      lines += 1;
      used -= room;
    }
  };
  for (const word of text.split(' ')) add(word, 400);
  if (bold) add(bold, 600);
  return lines;
}

// The lines of a row: the name, its module if there is no room beside it, and the reason.
function lines_of_row(entry, width) {
  if (entry.lines && entry.lines.width === width) return entry.lines;
  const room = width - 49;
  const module = module_text(entry.module);
  const beside = !module || mono_width(entry.name, 12) + mono_width(module, 11) + 10 <= room + 6;
  const why = entry.why ? lines_of_text(entry.why, entry.change && forces_replacement(entry.change) ? 'forces replacement' : '', room) : 0;
  return (entry.lines = { width, module, beside, why, count: 1 + (beside ? 0 : 1) + why });
}

function build_list() {
  const rows = [];
  let group = null;
  const words = filter.text.split(/\s+/).filter(Boolean);
  const found = entries.filter((e) => is_found(e, words));
  const counts = new Map();
  for (const e of found) counts.set(e.group, (counts.get(e.group) || 0) + 1);
  listing.items = [];
  for (const e of found) {
    if (e.group !== group) rows.push({ head: (group = e.group) + ' (' + counts.get(group).toLocaleString('en-US') + ')' });
    const row = { entry: e, number: listing.items.length };
    rows.push(row);
    listing.items.push(row);
  }
  listing.rows = rows;
  listing.at = -1;
  place_rows_of_list();
  $('list-title').textContent = (data.changes ? 'Changes' : 'Vertices') + (found.length === entries.length ? '' : ': ' + found.length.toLocaleString('en-US') + ' of ' + entries.length.toLocaleString('en-US'));
  // The graph dims what the list does not have.
  const all = found.length === entries.length;
  const kept = new Set();
  for (const e of all ? [] : found) {
    if (e.change) for (const v of vertices_of_change.get(e.change) || []) if (!filter.state || has_state(v, filter.state)) kept.add(v);
    if (!e.change && e.vertex) kept.add(e.vertex);
  }
  scene.filtered = !all;
  scene.kept = kept;
  mark_scene();
  list.scrollTop = 0;
  draw_list();
  redraw();
}

function place_rows_of_list() {
  listing.width = list.clientWidth || 340;
  listing.tops = [];
  let top = 0;
  for (const row of listing.rows) {
    listing.tops.push(top);
    if (row.head) row.height = heights.head;
    else {
      row.lines = lines_of_row(row.entry, listing.width);
      row.height = row.lines.count * heights.line + heights.pad;
    }
    top += row.height;
  }
  list_rows.style.height = top + 'px';
}

// Notes at the boxes which of them the filters keep, and which are on the critical path.
function mark_scene() {
  for (const box of scene.boxes) {
    box.match = !scene.filtered || box.vertices.some((v) => scene.kept.has(v));
    box.on_path = box.vertices.some((v) => v.on_path);
  }
}

// The first of ascending numbers that is not less.
function first_at_least(numbers, wanted) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

function row_element(row) {
  if (row.head) return element('div', { class: 'row head', role: 'presentation' }, row.head);
  const { entry, number, lines } = row;
  const made = element('div', { class: 'row item of-' + (entry.action || 'neutral'), role: 'option', id: 'entry-' + number, 'aria-selected': String(number === listing.at),
    'aria-setsize': String(listing.items.length), 'aria-posinset': String(number + 1) });
  made.title = entry.title;
  const module = lines.module && element('small', { class: 'mono module' }, lines.beside ? lines.module : element('bdi', { dir: 'ltr' }, lines.module));
  made.append(element('div', { class: 'name' }, entry.action ? element('b', { role: 'img', 'aria-label': (actions[entry.action] || actions['no-op']).word }, (actions[entry.action] || actions['no-op']).symbol) : '',
    element('span', { class: 'mono' }, element('bdi', { dir: 'ltr' }, entry.name)), lines.beside ? module : ''));
  if (module && !lines.beside) made.append(element('div', { class: 'below' }, module));
  if (lines.why)
    made.append(element('div', { class: 'why' }, entry.why, entry.change && forces_replacement(entry.change) ? [' ', element('em', {}, 'forces replacement')] : ''));
  made.addEventListener('click', () => choose(number));
  made.addEventListener('dblclick', () => details.focus());
  return made;
}

function draw_list() {
  if (!list.clientHeight) return;
  if (Math.abs(list.clientWidth - listing.width) > 1) place_rows_of_list();
  const { rows, tops } = listing;
  const made = [];
  for (let i = Math.max(0, first_at_least(tops, list.scrollTop - 200) - 1); i < rows.length && tops[i] < list.scrollTop + list.clientHeight + 200; ++i) {
    const row = row_element(rows[i]);
    row.style.top = tops[i] + 'px';
    row.style.height = rows[i].height + 'px';
    made.push(row);
  }
  list_rows.replaceChildren(...made);
  if (listing.at >= 0 && $('entry-' + listing.at)) list.setAttribute('aria-activedescendant', 'entry-' + listing.at);
  else list.removeAttribute('aria-activedescendant');
}

function mark_entry(number, into_sight) {
  listing.at = number;
  const row = listing.items[number];
  if (row && into_sight) {
    const top = listing.tops[listing.rows.indexOf(row)];
    if (top < list.scrollTop + heights.head) list.scrollTop = top - heights.head;
    else if (top + row.height > list.scrollTop + list.clientHeight) list.scrollTop = top + row.height - list.clientHeight;
  }
  draw_list();
}

function choose(number) {
  if (!listing.items.length) return;
  number = Math.max(0, Math.min(listing.items.length - 1, number));
  mark_entry(number, true);
  choose_entry(listing.items[number].entry);
}

function choose_entry(entry) {
  if (entry.vertex) return select_vertex(entry.vertex);
  clear_selection();
  if (entry.change) show_change(entry.change, null);
  else if (entry.output) show_details('output ' + entry.output.name, [badge(entry.output.action, entry.output.action)], element('h3', {}, 'Value'), difference_table(entry.output.rows));
  set_link(entry.title);
}

list.addEventListener('scroll', draw_list, { passive: true });
list.addEventListener('keydown', (event) => {
  const page = Math.max(1, Math.floor(list.clientHeight / 46) - 1);
  const to = { ArrowDown: listing.at + 1, ArrowUp: Math.max(0, listing.at - 1), PageDown: listing.at + page, PageUp: listing.at - page, Home: 0, End: listing.items.length - 1 }[event.key];
  if (to !== undefined) choose(to);
  else if (event.key === 'Enter' || event.key === 'ArrowRight') {
    if (listing.at < 0) choose(0);
    if (event.key === 'Enter') details.focus();
    else canvas.focus();
  } else return;
  event.preventDefault();
});
