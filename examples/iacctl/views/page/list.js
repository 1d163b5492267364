// SPDX-License-Identifier: BSL-1.0
// The list on the left: changes by risk, or the vertices of a graph without changes. Only rows in sight are in the document.

const list = $('list');
const list_rows = $('list-rows');
const heights = { head: 32, item: 30, why: 48 };
const listing = { rows: [], tops: [], items: [], at: -1 };
const filter = { actions: new Set(), text: '' };

// Everything that can be listed: what a search finds, and the vertex that shows it.
const entries = (function make_entries() {
  if (!data.changes)
    return vertices.filter((v) => v.kind !== 'join').map((v) => ({ title: v.name, action: '', why: '', group: v.kind === 'resource' ? 'Resources' : 'Values', vertex: v, found_by: v.name }));
  const by_change = new Map();
  for (const v of vertices) {
    const before = by_change.get(v.change_number);
    if (v.change && (!before || before.action === 'destroy')) by_change.set(v.change_number, v);
  }
  const made = data.changes.map((c, i) => ({
    title: c.address + (c.deposed ? ' (deposed ' + c.deposed + ')' : ''), action: c.action, why: (c.causes || [])[0] || '', group: actions[c.action].title, vertex: by_change.get(i) || null, change: c,
    found_by: [c.address, c.type, c.action, c.place || '', ...(c.causes || []), ...c.rows.map((r) => r.path)].join('\n').toLowerCase(),
  }));
  for (const c of data.deferred || [])
    made.push({
      title: c.address, action: c.action, why: c.causes[0], group: 'Deferred', vertex: null, change: c,
      found_by: ['deferred', c.address, c.type, c.action, ...c.causes, ...c.rows.map((r) => r.path)].join('\n').toLowerCase(),
    });
  for (const o of data.outputs || [])
    made.push({ title: o.name, action: o.action, why: '', group: 'Outputs', vertex: null, output: o, found_by: ('output ' + o.name).toLowerCase() });
  return made;
})();

const is_found = (entry) => (!filter.actions.size || (filter.actions.has(entry.action) && !entry.output)) && filter.text.split(/\s+/).every((word) => entry.found_by.includes(word));

function build_list() {
  const rows = [];
  let group = null;
  const found = entries.filter(is_found);
  const counts = new Map();
  for (const e of found) counts.set(e.group, (counts.get(e.group) || 0) + 1);
  for (const e of found) {
    if (e.group !== group) rows.push({ head: (group = e.group) + ' (' + counts.get(group) + ')', height: heights.head });
    rows.push({ entry: e, height: e.why ? heights.why : heights.item });
  }
  listing.rows = rows;
  listing.items = rows.filter((row) => row.entry);
  listing.tops = [];
  let top = 0;
  for (const row of rows) {
    listing.tops.push(top);
    top += row.height;
  }
  list_rows.style.height = top + 'px';
  listing.at = -1;
  $('list-title').textContent = (data.changes ? 'Changes' : 'Vertices') + (found.length === entries.length ? '' : ': ' + found.length + ' of ' + entries.length);
  // The graph dims what the list does not have.
  const all = found.length === entries.length;
  const kept = new Set();
  for (const e of found) {
    if (e.change) for (const v of vertices_by_change.get(e.change) || []) kept.add(v);
    else if (e.vertex) kept.add(e.vertex);
  }
  scene.filtered = !all;
  scene.kept = kept;
  mark_scene();
  draw_list();
  redraw();
}

const vertices_by_change = new Map();
for (const v of vertices) if (v.change) vertices_by_change.set(v.change, [...(vertices_by_change.get(v.change) || []), v]);

// Notes at the boxes which of them the filters keep, and which are on the critical path.
function mark_scene() {
  for (const box of scene.boxes) {
    box.match = !scene.filtered || box.vertices.some((v) => scene.kept.has(v));
    box.on_path = box.vertices.some((v) => v.on_path);
  }
}

function draw_list() {
  const { rows, tops } = listing;
  const first = Math.max(0, tops.findIndex((top, i) => top + rows[i].height >= list.scrollTop - 200));
  const made = [];
  for (let i = first; i < rows.length && tops[i] < list.scrollTop + list.clientHeight + 200; ++i) {
    const { head, entry, height } = rows[i];
    const row = element('div', { class: 'row ' + (head ? 'head' : 'item of-' + (entry.action || 'neutral')), role: head ? 'presentation' : 'option' });
    row.style.top = tops[i] + 'px';
    row.style.height = height + 'px';
    if (head) row.append(head);
    else {
      const number = listing.items.indexOf(rows[i]);
      row.id = 'entry-' + number;
      row.setAttribute('aria-selected', String(number === listing.at));
      row.setAttribute('aria-setsize', String(listing.items.length));
      row.setAttribute('aria-posinset', String(number + 1));
      row.title = entry.title;
      row.append(element('div', { class: 'name' }, entry.action ? element('b', { 'aria-label': entry.action }, (actions[entry.action] || actions['no-op']).symbol) : '', element('span', { class: 'mono' }, element('bdi', { dir: 'ltr' }, entry.title))));
      if (entry.why) row.append(element('div', { class: 'why' }, entry.why));
      row.addEventListener('click', () => choose(number));
      row.addEventListener('dblclick', () => details.focus());
    }
    made.push(row);
  }
  list_rows.replaceChildren(...made);
  if (listing.at >= 0) list.setAttribute('aria-activedescendant', 'entry-' + listing.at);
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
  const { entry } = listing.items[number];
  if (entry.vertex) return select_vertex(entry.vertex, true);
  clear_selection();
  if (entry.change) show_change(entry.change, null);
  else if (entry.output) show_details('output ' + entry.output.name, [badge(entry.output.action, entry.output.action)], element('h3', {}, 'Value'), difference_table(entry.output.rows));
}

list.addEventListener('scroll', draw_list, { passive: true });
list.addEventListener('keydown', (event) => {
  const page = Math.max(1, Math.floor(list.clientHeight / heights.why) - 1);
  const to = { ArrowDown: listing.at + 1, ArrowUp: Math.max(0, listing.at - 1), PageDown: listing.at + page, PageUp: listing.at - page, Home: 0, End: listing.items.length - 1 }[event.key];
  if (to !== undefined) choose(to);
  else if (event.key === 'Enter' || event.key === 'ArrowRight') {
    if (listing.at < 0) choose(0);
    if (event.key === 'Enter') details.focus();
    else canvas.focus();
  } else return;
  event.preventDefault();
});
