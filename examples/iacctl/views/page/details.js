// SPDX-License-Identifier: BSL-1.0
// The panel on the right: a change with its attributes side by side, a group, or an edge with its origin.

const rules = {
  reference: 'an expression of the dependent refers to the dependency',
  depends_on: 'the argument depends_on names the dependency',
  expansion: 'an instance waits until its resource is expanded',
  join: 'represents all vertices behind it',
  'begin of scope': 'all vertices of a module or a provider wait for its beginning',
  'close of scope': 'the end of a module or a provider waits for all of its vertices',
  root: 'the end of the run',
  recorded: 'the state records it',
  'own destroyer': 'the new object of a replacement waits until the old one is destroyed',
};

const details = $('details');

const name_of = (v) => v.name || 'join';

function show_details(title, badges, ...content) {
  details.replaceChildren(
    element('div', { class: 'top' }, element('h2', { class: 'mono' }, title), element('button', { type: 'button', class: 'close', 'aria-label': 'Close details', onclick: close_details }, '\u2715')),
    ...badges, ...content.flat(2).filter(Boolean));
  details.hidden = false;
  document.body.classList.add('with-details');
  details.scrollTop = 0;
  set_link('');
}

function close_details() {
  if (details.hidden) return;
  const had_focus = details.contains(document.activeElement);
  details.hidden = true;
  document.body.classList.remove('with-details');
  if (had_focus) (page.view === 'timeline' ? bars : page.view === 'list' ? list : canvas).focus();
}

// The address of the selection is part of the address of the page.
const link_of = (address) => '#' + encodeURIComponent(address);
function set_link(address) {
  try {
    history.replaceState(null, '', address ? link_of(address) : location.pathname + location.search);
  } catch (_) {
    // A browser that refuses this for files shows the page without links.
  }
}
const link_element = (address) => element('a', { class: 'link', href: link_of(address), title: 'The address of this change in this page' }, '# link');

function edge_list(title, all, other) {
  if (!all.length) return null;
  const most = 200;
  const list = element('ul', {}, in_order(all, (e) => address_key(name_of(other(e)))).slice(0, most).map((e) => element('li', {}, element('button', { type: 'button', onclick: () => show_edge([e]) },
    element('span', { class: 'mono' }, name_of(other(e))), element('small', {}, origin_of(e))))));
  return [element('h3', {}, title + ' (' + all.length + ')'), list, all.length > most ? element('p', { class: 'muted' }, (all.length - most) + ' more') : null];
}

// The step that explains most: one with a place.
const origin_of = (e) => origin_text(e.way.find((step) => step.place) || e.way.find((step) => step.rule !== 'expansion' && step.rule !== 'join') || e.way[0]);
const origin_text = (step) => step.rule + (step.place ? ' at ' + step.place : '');

function times_of(v) {
  if (!v.visit) return v.seconds ? element('dl', {}, element('dt', {}, 'expected'), element('dd', {}, duration_text(v.seconds))) : null;
  const { ready, start, end, result, queued } = v.visit;
  const made = element('dl', {});
  const add = (term, text) => made.append(element('dt', {}, term), element('dd', {}, text));
  add('waited', duration_text(ready) + ' for dependencies');
  add('queued', duration_text(queued) + ' for a free slot');
  const delayed = start - ready - queued;
  if (delayed >= 0.001) add('delayed', duration_text(delayed) + ' while a slot was free');
  add(result === 'running' ? 'ran at least' : 'ran', duration_text(end - start));
  add('ended', result === 'failed' ? 'with an error' : result === 'running' ? 'not before the end of the run' : 'after ' + duration_text(end));
  return made;
}

function vertex_list(title, all) {
  if (!all.length) return null;
  const most = 200;
  return [element('h3', {}, title + ' (' + all.length.toLocaleString('en-US') + ')'),
    element('ul', {}, in_order(all, (v) => address_key(name_of(v))).slice(0, most).map((v) => element('li', {}, element('button', { type: 'button', onclick: () => select_vertex(v) }, element('span', { class: 'mono' }, name_of(v)))))),
    all.length > most ? element('p', { class: 'muted' }, (all.length - most).toLocaleString('en-US') + ' more') : null];
}

// The errors of a failed operation and what was skipped for it, or the failed operation for which this one was skipped.
function failure_of(v) {
  if (!run_facts || !v) return null;
  if (has_state(v, 'failed')) {
    const problems = run_facts.of_vertex.get(v) || [];
    return [element('h3', {}, 'Error'), problems.length ? problems.map((p) => problem_element(p)) : element('p', { class: 'muted' }, 'The operation failed without a message.'), vertex_list('Skipped for it', skipped_for(v))];
  }
  const cause = run_facts.skipped.get(v);
  if (!cause) return null;
  return [element('p', { class: 'cause of-destroy' }, 'Skipped: it depends on an operation that failed.'), vertex_list('Failed before it', [cause])];
}

function show_change(change, v) {
  const badges = [badge(actions[change.action].word, change.action)];
  if (change.deposed) badges.push(badge('deposed ' + change.deposed, 'destroy'));
  if (v && has_state(v, 'failed')) badges.push(badge('failed', 'destroy'));
  if (run_facts && v && is_operation(v) && !v.visit) badges.push(badge('skipped', 'neutral'));
  if (v && v.on_path) badges.push(badge('critical path', 'neutral'));
  if (v && v.action === 'destroy' && change.action === 'replace') badges.push(badge('destruction of the old object', 'destroy'));
  show_details(change.address, [...badges, link_element(change.address)], failure_of(v),
    (change.causes || []).map((cause) => element('p', { class: 'cause of-' + change.action }, cause)),
    (change.triggers || []).map((trigger) => element('p', { class: 'cause of-' + change.action }, trigger_text(trigger))),
    change.place ? element('dl', {}, element('dt', {}, 'declared'), element('dd', { class: 'mono' }, change.place)) : null,
    v && times_of(v) ? [element('h3', {}, 'Time'), times_of(v)] : null,
    element('h3', {}, 'Attributes'), difference_table(change.rows),
    v ? edge_list('Dependencies', v.dependencies, (e) => e.dependency) : null,
    v ? edge_list('Dependents', v.dependents, (e) => e.dependent) : null);
  set_link(change.address);
}

function show_vertex(v) {
  if (v.change) return show_change(v.change, v);
  const word = { resource: word_of_vertex, value: 'value', join: 'join' }[v.kind] || v.operation;
  const meaning = v.kind === 'join' ? element('p', { class: 'cause' }, 'All vertices on its right wait for all vertices on its left. It takes no time.') : null;
  show_details(name_of(v), [badge(word, v.action || 'read'), v.on_path ? badge('critical path', 'neutral') : ''].filter(Boolean), meaning,
    edge_list('Dependencies', v.dependencies, (e) => e.dependency), edge_list('Dependents', v.dependents, (e) => e.dependent));
}

function show_group(group, members) {
  const all = members || vertices_in(group);
  const count = new Map();
  for (const v of all) count.set(v.action, (count.get(v.action) || 0) + 1);
  const in_timeline = page.view === 'timeline';
  const open = in_timeline ? group.rows_open : group.open;
  show_details(group.key, [...count].sort((a, b) => order_of_risk.indexOf(a[0]) - order_of_risk.indexOf(b[0])).map(([action, n]) => badge(n.toLocaleString('en-US') + ' ' + (action || 'vertices'), action)),
    element('p', {}, element('button', { type: 'button', onclick: () => (in_timeline ? open_rows(group, !open) : set_open(group, !group.open)) }, open ? 'Close' : 'Open')),
    vertex_list(members ? 'In this column' : is_lane(group) ? 'In this module' : 'Instances', all));
}

// Why one operation waits for another.
function show_edge(all) {
  const [e] = all;
  const steps = [];
  let from = name_of(e.dependent);
  e.way.forEach((step, i) => {
    const to = step.via !== null ? step.via || 'join' : name_of(e.dependency);
    steps.push(element('li', {}, element('div', { class: 'step mono' }, from),
      element('div', { class: 'rule' }, 'waits: ', element('b', {}, step.rule), step.place ? [' at ', element('code', {}, step.place)] : '',
        element('small', {}, rules[step.rule] || ''))));
    if (i === e.way.length - 1) steps.push(element('li', {}, element('div', { class: 'step mono' }, to)));
    from = to;
  });
  const others = all.length > 1 ? [element('h3', {}, 'All of these edges (' + all.length + ')'),
    element('ul', {}, all.slice(0, 200).map((one) => element('li', {}, element('button', { type: 'button', onclick: () => show_edge([one]) },
      element('span', { class: 'mono' }, name_of(one.dependent) + ' \u2190 ' + name_of(one.dependency)), element('small', {}, origin_of(one))))))] : null;
  show_details(name_of(e.dependent) + ' waits for ' + name_of(e.dependency), [badge('dependency', 'read')],
    element('h3', {}, 'Why'), element('ol', { class: 'way' }, steps),
    element('h3', {}, 'Ends'),
    element('ul', {}, [e.dependent, e.dependency].map((v) => element('li', {}, element('button', { type: 'button', onclick: () => select_vertex(v) }, element('span', { class: 'mono' }, name_of(v)))))),
    others);
  announce(name_of(e.dependent) + ' waits for ' + name_of(e.dependency) + ': ' + e.way.map(origin_text).join(', then '));
}
