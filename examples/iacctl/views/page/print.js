// SPDX-License-Identifier: BSL-1.0
// The page on paper: all changes with their differences, without the graph.

function print_change(c) {
  const made = element('section', { class: 'of-' + c.action }, element('h3', { class: 'mono' }, element('b', {}, (actions[c.action] || actions['no-op']).symbol + ' '), object_name(c)));
  for (const cause of c.causes || []) made.append(element('p', {}, cause));
  for (const v of run_facts ? vertices_of_change.get(c) || [] : []) for (const p of run_facts.of_vertex.get(v) || []) made.append(problem_element(p));
  const most = 40;
  const list = element('ul', {}, c.rows.slice(0, most).map((row) => element('li', { class: 'mono' }, row_text(row, '', 200), row.forces ? element('em', {}, ' forces replacement') : '')));
  if (c.rows.length) made.append(list);
  if (c.rows.length > most) made.append(element('p', {}, count_text(c.rows.length - most, 'further attribute')));
  return made;
}

function fill_print() {
  const most = 2000;
  const shown = listing.items.filter((row) => row.entry.change).map((row) => row.entry);
  const made = [];
  let group = null;
  for (const entry of shown.slice(0, most)) {
    if (entry.group !== group) made.push(element('h2', {}, (group = entry.group)));
    made.push(print_change(entry.change));
  }
  if (shown.length > most) made.push(element('p', {}, count_text(shown.length - most, 'further change') + ' are not printed.'));
  $('print').replaceChildren(...made);
}
addEventListener('beforeprint', fill_print);
addEventListener('afterprint', () => $('print').replaceChildren());
