// SPDX-License-Identifier: BSL-1.0
// The console: workspaces, applies that run now, one workspace in parts, and a search. All of it is text from the server, which becomes
// text in elements, never markup.

const api = '/console/api/';
const console_state = { me: null, sources: new Map(), known: new Map(), offset: 0, events: null, view: null, route: [], hidden_since: 0 };
const content = $('content');
const announce = (text) => { $('live').textContent = text; };
const key_of = (w) => w.source + '/' + w.name;
const path_of = (w) => encodeURIComponent(w.source) + '/' + encodeURIComponent(w.name);
const link_to = (w, ...parts) => '#/w/' + path_of(w) + parts.map((part) => '/' + encodeURIComponent(part)).join('');
const server_now = () => Date.now() + console_state.offset;
// The runs that are known of a workspace, the last that began first.
const runs_of = (w) => [w.run, ...(w.other_runs || [])].filter(Boolean);
const goes_on = (run) => run.ended === undefined;
const is_running = (w) => runs_of(w).some(goes_on);
const plural = (n, one, many) => n.toLocaleString('en-US') + ' ' + (n === 1 ? one : many);

// ---- requests ----

class Refusal extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

async function ask(path, options = {}) {
  const headers = { ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }), ...(console_state.me ? { 'X-CSRF-Token': console_state.me.token } : {}) };
  let got;
  try {
    got = await fetch(path, { method: options.method || 'GET', body: options.body === undefined ? undefined : JSON.stringify(options.body), headers, credentials: 'same-origin' });
  } catch (_) {
    throw new Refusal(0, 'The server does not answer.');
  }
  const text = await got.text();
  let body = null;
  try {
    body = JSON.parse(text);
  } catch (_) {
    // Errors of the server itself are text.
  }
  if (got.status === 401 && console_state.me) {
    console_state.me = null;
    show_login('The session has ended.');
  }
  if (!got.ok) throw new Refusal(got.status, body && body.error ? body.error : text.trim() || 'The server answers with status ' + got.status + '.');
  return body;
}

// ---- small parts ----

// Texts that change with time: all of them are set once a second.
const age_of = (since) => {
  const seconds = Math.max(0, (server_now() - since) / 1000);
  if (seconds < 5) return 'now';
  if (seconds < 60) return Math.floor(seconds) + ' s ago';
  if (seconds < 3600) return Math.floor(seconds / 60) + ' min ago';
  if (seconds < 86400) return Math.floor(seconds / 3600) + ' h ago';
  return plural(Math.floor(seconds / 86400), 'day', 'days') + ' ago';
};
const elapsed_of = (since) => {
  const seconds = Math.max(0, Math.floor((server_now() - since) / 1000));
  return seconds < 60 ? seconds + ' s' : duration_text(seconds);
};
const words_of_time = { age: age_of, elapsed: elapsed_of };
const two = (n) => String(n).padStart(2, '0');
function date_text(ms) {
  const at = new Date(ms);
  if (Number.isNaN(at.getTime())) return '';
  return at.getFullYear() + '-' + two(at.getMonth() + 1) + '-' + two(at.getDate()) + ' ' + two(at.getHours()) + ':' + two(at.getMinutes()) + ':' + two(at.getSeconds());
}
// A time of a client may be none.
function time_element(ms, kind = 'age') {
  if (Number.isNaN(new Date(ms).getTime())) return element('span', {}, 'an unknown time');
  const made = element('time', { datetime: new Date(ms).toISOString(), title: date_text(ms), 'data-kind': kind, 'data-since': String(ms) }, words_of_time[kind](ms));
  return made;
}
function tick() {
  for (const one of document.querySelectorAll('time[data-since]')) {
    const text = words_of_time[one.dataset.kind](Number(one.dataset.since));
    if (one.textContent !== text) one.textContent = text;
  }
}

const pill = (text, kind) => element('span', { class: 'pill of-' + kind }, text);
const note = (text) => element('p', { class: 'note' }, text);
const panel = (title, ...inside) => element('section', { class: 'panel' }, title ? element('h2', {}, title) : '', inside.flat());
const link = (href, text, attributes = {}) => element('a', { href, ...attributes }, text);
const cell = (title, ...inside) => element('td', { 'data-title': title }, inside.flat());
const plain_cell = (...inside) => element('td', {}, inside.flat());
function table(heads, rows, label) {
  return element('table', { class: 'rows', 'aria-label': label }, element('thead', {}, element('tr', {}, heads.map((head) => element('th', { scope: 'col', ...(head.number ? { class: 'number' } : {}) }, head.text || head)))),
    element('tbody', {}, rows));
}

// Replaces an element, and keeps the focus on what has the same address or name in it.
function replace(old, fresh) {
  const at = document.activeElement;
  const mark = old.contains(at) ? at.getAttribute('href') || at.dataset.name || (at === old ? 'self' : '') : '';
  const scroll = old.querySelector('.gantt') ? old.querySelector('.gantt').scrollTop : 0;
  old.replaceWith(fresh);
  if (scroll && fresh.querySelector('.gantt')) fresh.querySelector('.gantt').scrollTop = scroll;
  if (!mark) return;
  const same = [...fresh.querySelectorAll('a, button, select, input, summary')].find((one) => one.getAttribute('href') === mark || one.dataset.name === mark);
  if (same) same.focus();
}

// Reads something and shows it, unless the person has gone elsewhere meanwhile.
async function fill(place, reading, show) {
  const of = console_state.view;
  place.replaceChildren(note('Reading\u2026'));
  try {
    const got = await reading;
    if (console_state.view === of) place.replaceChildren(...[show(got)].flat(Infinity).filter(Boolean));
  } catch (error) {
    if (console_state.view === of) place.replaceChildren(element('p', { class: 'error', role: 'alert' }, error.message));
  }
}

// ---- workspaces ----

function lock_words(w) {
  const [first] = w.locks;
  if (!first) return '';
  return [pill(w.locks.length === 1 ? 'locked' : w.locks.length + ' locks', 'lock'), ' ', first.holder || 'holder unknown', element('small', {}, first.operation || '', first.since ? [', since ', time_element(Date.parse(first.since))] : '')];
}

// The runs that go on, or else how the last one ended if that was not well.
function run_words(w) {
  const now = runs_of(w).filter(goes_on);
  if (now.length > 1) return [link(link_to(w, 'run'), pill(now.length + ' runs', 'run')), element('small', {}, progress_text(sum_of(now)))];
  const [run] = now.length ? now : runs_of(w);
  const words = !run ? '' : goes_on(run) ? 'runs' : run.failed || run.result === 'failed' ? 'failed' : run.result === 'interrupted' ? 'was interrupted' : '';
  return words ? [link(link_to(w, 'run', run.id), pill(run.operation + ' ' + words, goes_on(run) ? 'run' : 'destroy')), goes_on(run) ? element('small', {}, progress_text(run)) : ''] : '';
}

const drift_count = (w) => (w.drift ? w.drift.objects.length + (w.drift.left_out || 0) : 0);
const drift_words = (w) => (drift_count(w) ? [link(link_to(w, 'drift'), pill(plural(drift_count(w), 'object differs', 'objects differ'), 'update'))] : '');

function state_words(w) {
  const { last } = w;
  if (w.unread) return [element('span', { class: 'hidden-value' }, 'reading\u2026')];
  if (w.unreadable) return [pill('cannot be read', 'destroy'), element('small', {}, 'the log of the server has the reason')];
  if (!last) return [element('span', { class: 'hidden-value' }, 'no state yet')];
  if (last.removed) return [element('span', { class: 'hidden-value' }, 'deleted')];
  return [w.sealed ? pill('encrypted', 'neutral') : w.resources === undefined ? '' : plural(w.resources, 'resource', 'resources'), element('small', {}, 'serial ' + last.serial.toLocaleString('en-US'))];
}

function changed_words(w) {
  if (!w.last || !w.last.time) return '';
  return [time_element(w.last.time), element('small', {}, [w.last.author, w.last.command].filter(Boolean).join(', '))];
}

function workspace_row(w) {
  const runs = run_words(w);
  return element('tr', { id: 'w:' + key_of(w) }, plain_cell(link(link_to(w), w.name), several_sources() ? element('small', {}, w.source) : ''), cell('State', state_words(w)), cell('Changed', changed_words(w)),
    cell('Lock', lock_words(w)), cell('Now', runs, runs ? ' ' : '', drift_words(w)));
}
const several_sources = () => console_state.sources.size > 1;

const key_of_place = (w) => natural_key(w.source) + '\u0000' + natural_key(w.name);
const sorted_workspaces = () => in_order([...console_state.known.values()], key_of_place);

function overview_facts() {
  const all = [...console_state.known.values()];
  const counted = all.filter((w) => w.resources !== undefined);  // the server counts when somebody looks
  const facts = [['Workspaces', all.length], ['Running', all.flatMap(runs_of).filter(goes_on).length], ['Locked', all.filter((w) => w.locks.length).length],
    ['With drift', all.filter(drift_count).length], ['Resources', counted.length || !all.length ? counted.reduce((sum, w) => sum + w.resources, 0) : '\u2026']];
  return element('dl', { class: 'facts', id: 'overview-facts' }, facts.map(([term, n]) => element('div', {}, element('dt', {}, term), element('dd', {}, n.toLocaleString('en-US')))));
}

function overview() {
  const filter = element('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter workspaces', 'data-name': 'filter', autocomplete: 'off', spellcheck: 'false' });
  const body = element('div', {});
  const view = {
    title: 'Workspaces',
    draw() {
      const word = filter.value.trim().toLowerCase();
      const shown = sorted_workspaces().filter((w) => key_of(w).toLowerCase().includes(word));
      body.replaceChildren(shown.length ? table(['Workspace', 'State', 'Changed', 'Lock', 'Now'], shown.map(workspace_row), 'Workspaces')
        : note(console_state.known.size ? 'No workspace has a name with these letters.' : 'There are no states yet. A client of the backend "http" makes the first one at /states/NAME.'));
    },
    update(w, is_known) {
      const old = document.getElementById('w:' + key_of(w));
      if (old && is_known) replace(old, workspace_row(w));
      else view.draw();
      $('overview-facts').replaceWith(overview_facts());
    },
  };
  filter.addEventListener('input', view.draw);
  view.draw();
  content.replaceChildren(overview_facts(), element('section', { class: 'panel' }, element('div', { class: 'head' }, element('h2', {}, 'Workspaces'), element('span', { class: 'grow' }), element('div', { class: 'filter' }, filter)), body));
  return view;
}

// ---- applies ----

// Several runs as one. What they plan together is known if each plan is.
function sum_of(runs) {
  const sum = (name) => runs.reduce((all, run) => all + (run[name] || 0), 0);
  return { done: sum('done'), failed: sum('failed'), at_once: sum('at_once'), planned: runs.every((run) => run.planned) ? sum('planned') : 0 };
}

function progress_text(run) {
  const ended = run.done + run.failed;
  const parts = [run.planned ? ended + ' of ' + run.planned : plural(ended, 'operation', 'operations') + ' done'];
  if (run.at_once) parts.push(run.at_once + (run.ended === undefined ? ' running' : ' without an end'));
  if (run.failed) parts.push(run.failed + ' failed');
  return parts.join(', ');
}

function meter(run) {
  const all = run.planned || run.done + run.failed + run.at_once || 1;
  const made = element('div', { class: 'meter' + (run.planned ? '' : ' unknown'), role: 'img', 'aria-label': progress_text(run) });
  for (const [kind, n] of [['done', run.done], ['failed', run.failed], ['running', run.ended === undefined ? run.at_once : 0]]) {
    if (!n) continue;
    const part = element('i', { class: kind });
    part.style.width = Math.min(100, (100 * n) / all) + '%';
    made.append(part);
  }
  return made;
}

const symbol_of = (action) => (actions[action] ? actions[action].symbol : '\u2022');
const class_of_action = (action) => 'of-' + (actions[action] ? action : 'neutral');
function operation_item(one, run) {
  const time = one.ended === undefined ? (run && run.ended !== undefined ? element('time', {}, 'no end') : time_element(one.begun, 'elapsed')) : element('time', {}, one.failed ? 'failed' : duration_text((one.ended - one.begun) / 1000));
  return element('li', { class: class_of_action(one.action) + (one.failed ? ' failed' : one.ended === undefined ? '' : ' ended') }, element('b', { role: 'img', 'aria-label': one.action }, symbol_of(one.action)), element('span', { class: 'mono' }, one.address), time);
}

const run_pill = (run) => (run.ended === undefined ? pill('running', 'run') : run.failed || run.result === 'failed' ? pill('failed', 'destroy') : pill(run.result === 'interrupted' ? 'interrupted' : 'ended', run.result === 'interrupted' ? 'destroy' : 'create'));

function run_card({ w, run }) {
  const most = 6;
  const shown = in_order(run.running || [], (one) => address_key(one.address)).slice(0, most);
  const rest = goes_on(run) ? run.at_once - shown.length : 0;
  return element('article', { class: 'run' + (run.failed ? ' failed' : ''), id: id_of_card(w, run) },
    element('h2', {}, link(link_to(w, 'run', run.id), (several_sources() ? w.source + ' / ' : '') + w.name), run_pill(run)),
    element('p', {}, run.operation, run.who ? ' of ' + run.who : '', run.ended === undefined ? [', for ', time_element(run.begun, 'elapsed')] : [', ', time_element(run.ended), ' after ' + duration_text((run.ended - run.begun) / 1000)]),
    meter(run), element('p', {}, progress_text(run)),
    run.last ? element('ul', { class: 'operations' }, shown.map((one) => operation_item(one, run)), run.last.slice(-Math.max(1, 7 - shown.length)).reverse().map((one) => operation_item(one, run))) : '',
    rest > 0 ? element('p', { class: 'more' }, 'and ' + rest + ' more') : '',
    (run.problems || []).slice(0, 1).map((p) => problem_element(p, object_link(w, p.address))));
}
const id_of_card = (w, run) => 'run:' + key_of(w) + ':' + run.id;

function running() {
  const list = element('div', { class: 'runs' });
  const view = {
    title: 'Running',
    draw() {
      const all = sorted_workspaces().flatMap((w) => runs_of(w).map((run) => ({ w, run })));
      const now = all.filter(({ run }) => goes_on(run));
      const recent = all.filter(({ run }) => !goes_on(run)).sort((a, b) => b.run.ended - a.run.ended).slice(0, 12);
      list.replaceChildren(...now.map(run_card));
      if (!now.length) list.replaceChildren(note('Nothing runs now.'));
      ended.replaceChildren(...recent.map(run_card));
      ended_title.hidden = !recent.length;
    },
    update(w, is_known) {
      const cards = (is_known ? runs_of(w) : []).map((run) => ({ w, run, old: document.getElementById(id_of_card(w, run)) }));
      const are_in_place = cards.length && cards.every(({ run, old }) => (old ? list.contains(old) === goes_on(run) : !goes_on(run) && run !== w.run));
      if (are_in_place) for (const one of cards) one.old && replace(one.old, run_card(one));
      else view.draw();
    },
  };
  const ended = element('div', { class: 'runs' });
  const ended_title = element('h2', {}, 'Ended');
  view.draw();
  content.replaceChildren(element('h2', {}, 'Now'), list, ended_title, ended);
  for (const title of content.querySelectorAll(':scope > h2')) title.className = 'section';
  return view;
}

// ---- one workspace ----

const tabs = { resources: 'Resources', outputs: 'Outputs', history: 'History', run: 'Runs', locks: 'Locks', drift: 'Drift' };

function workspace_view(source, name, tab = 'resources', first = '', second = '') {
  const w = () => console_state.known.get(source + '/' + name);
  if (!w()) {
    content.replaceChildren(note('There is no workspace "' + name + '" in "' + source + '".'));
    return { title: name, update: () => console_state.known.has(source + '/' + name) && show_route() };
  }
  const is_tab = tabs[tab] || tab === 'difference';
  const body = element('div', {});
  const head = () => {
    const now = w();
    const facts = [['State', state_words(now)], ['Last change', changed_words(now)], ['Lock', now.locks.length ? lock_words(now) : 'none'], ['Now', is_running(now) ? run_words(now) : 'nothing runs']];
    const count = { locks: now.locks.length, drift: drift_count(now) };
    return element('div', { id: 'workspace-head' },
      element('dl', { class: 'facts' }, facts.map(([term, words]) => element('div', {}, element('dt', {}, term), element('dd', {}, words)))),
      element('nav', { class: 'tabs', 'aria-label': 'Parts of the workspace' }, Object.entries(tabs).map(([one, word]) => link(link_to(now, one), word + (count[one] ? ' (' + count[one] + ')' : ''), { ...(one === (tab === 'difference' ? 'history' : tab) ? { 'aria-current': 'page' } : {}) })),
        now.sealed ? '' : link('/console/graph/' + path_of(now), 'Graph \u2197')));
  };
  let shown_version = w().last ? w().last.version + ':' + w().last.serial : '';
  const parts = { resources: show_resources, outputs: show_outputs, history: show_history, difference: show_difference, locks: show_locks, run: show_run, drift: show_drift };
  const view = {
    title: name,
    update(changed, is_known) {
      if (key_of(changed) !== source + '/' + name) return;
      if (!is_known) return show_route();
      replace($('workspace-head'), head());
      if (tab === 'locks' || tab === 'drift') parts[tab](body, w(), first, second);
      else if (tab === 'run') view.refresh_run();
      const version = w().last ? w().last.version + ':' + w().last.serial : '';
      if (version === shown_version) return;
      shown_version = version;
      if (tab === 'history') view.refresh_history();
      else if ((tab === 'resources' || tab === 'outputs') && !first) view.tell_newer();
    },
    refresh_run: throttled(() => w() && show_run(body, w(), first, second, true)),
    refresh_history: throttled(() => show_history(body, w())),
    tell_newer() {
      const old = $('newer');
      const bar = element('p', { id: 'newer', class: 'note' }, 'The state has changed: serial ' + w().last.serial.toLocaleString('en-US') + '. ', element('button', { type: 'button', 'data-name': 'newer', onclick: show_route }, 'Show it'));
      if (old) replace(old, bar);
      else body.before(bar);
    },
  };
  content.replaceChildren(head(), body);
  console_state.view = view;
  if (is_tab) parts[tab](body, w(), first, second);
  else body.replaceChildren(note('The workspace has no such part.'));
  return view;
}

// Calls at most once a second, the last time after the last call.
function throttled(work) {
  let timer = 0;
  let last = 0;
  return () => {
    if (timer) return;
    timer = setTimeout(() => {
      timer = 0;
      last = Date.now();
      work();
    }, Math.max(0, 1000 - (Date.now() - last)));
  };
}

const version_query = (version) => (version ? '?version=' + encodeURIComponent(version) : '');
const version_note = (w, version, tab) => (version ? element('p', { class: 'note' }, 'An earlier version. ', link(link_to(w, tab), 'Show the present state')) : '');

function object_values(rows) {
  if (!rows.length) return note('No attributes.');
  return element('table', { class: 'values' }, element('tbody', {}, rows.map((row) => element('tr', {}, element('th', { scope: 'row', class: 'mono' }, row.path || 'value'),
    element('td', { class: 'mono' + (later_texts.has(row.after) ? ' hidden-value' : '') }, row.after === undefined ? '' : row.after)))));
}

const provider_text = (provider) => {
  const found = /"([^"]+)"/.exec(provider);
  return (found ? found[1] : provider).replace(/^registry\.(terraform\.io|opentofu\.org)\//, '');
};

const object_link = (w, address, version = '') => (address ? link_to(w, 'resources', version, address) : '');

// The words for the last change of an object: its version, time, author and run.
function change_words(w, { version, action, before, run }) {
  const known = run !== undefined && runs_of(w).find((one) => one.id === run);
  const words = action ? [action === 'create' ? 'Created' : 'Changed', ' with serial '] : ['Not changed since serial '];
  return [words, version.serial.toLocaleString('en-US'), ', ', version.time ? time_element(version.time) : 'an unknown time ago', version.author ? ', by ' + version.author : '', version.command ? ', ' + version.command : '', '. ',
    before === undefined ? '' : link(link_to(w, 'difference', before, version.version), 'Difference'), known ? [' \u00b7 ', link(link_to(w, 'run', run), 'Run')] : '', ' \u00b7 '];
}

function object_element(w, version, object) {
  const inside = element('div', { class: 'inside' });
  const made = element('details', { class: 'object' }, element('summary', {}, element('span', { class: 'mono' }, object.address), object.tainted ? [' ', pill('tainted', 'replace')] : '', object.data ? [' ', pill('data', 'read')] : '', element('small', {}, provider_text(object.provider))), inside);
  made.addEventListener('toggle', () => {
    if (!made.open || inside.childNodes.length) return;
    const query = '?address=' + encodeURIComponent(object.address);
    const changed = element('span', {});
    fill(inside, ask(api + 'resource/' + path_of(w) + query + (version ? '&version=' + encodeURIComponent(version) : '')), (got) => [
      element('p', { class: 'note' }, changed, link(object_link(w, object.address, version || ''), '# link', { title: 'The address of this object in this console' })),
      got.unreadable ? note('The attributes cannot be read.') : object_values(got.rows),
      got.dependencies.length ? [element('h3', {}, 'Depends on'), element('ul', { class: 'mono' }, in_order(got.dependencies, address_key).map((one) => element('li', {}, one)))] : '']);
    if (!version) ask(api + 'change/' + path_of(w) + query).then((got) => changed.replaceChildren(...change_words(w, got).flat().filter(Boolean)), () => {});
  });
  return made;
}

function show_resources(body, w, version, opened) {
  fill(body, ask(api + 'state/' + path_of(w) + version_query(version)), (state) => {
    const filter = element('input', { type: 'search', placeholder: 'Filter by address or type', 'aria-label': 'Filter resources', autocomplete: 'off', spellcheck: 'false' });
    const list = element('div', {});
    const count = element('span', { class: 'note', role: 'status' });
    let most = 200;
    const all = in_order(state.resources, (one) => address_key(one.address));
    const wanted = opened && all.find((one) => one.address === opened);
    const draw = () => {
      const text = filter.value.trim();
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      // The whole address of an object is not a part of others.
      const found = wanted && text === opened ? [wanted] : all.filter((one) => words.every((word) => (one.address + ' ' + one.provider).toLowerCase().includes(word)));
      count.textContent = found.length === all.length ? '' : found.length.toLocaleString('en-US') + ' of ' + all.length.toLocaleString('en-US');
      list.replaceChildren(...found.slice(0, most).map((one) => object_element(w, version, one)));
      if (found.length > most) list.append(element('p', { class: 'note' }, element('button', { type: 'button', onclick: () => { most += 1000; draw(); } }, 'Show more'), ' ' + (found.length - most).toLocaleString('en-US') + ' are not shown'));
      if (!found.length) list.replaceChildren(note(text && text === opened ? 'The state has no object "' + opened + '": it was not created, or it is gone.' : all.length ? 'No resource has these words.' : 'The state has no resources.'));
    };
    filter.addEventListener('input', () => { most = 200; draw(); });
    if (opened) filter.value = opened;
    draw();
    if (opened && list.querySelector('details')) list.querySelector('details').open = true;
    const pending = state.pending.length ? panel('Operations in progress or interrupted', element('div', { class: 'body' }, element('ul', { class: 'operations' }, in_order(state.pending, (one) => address_key(one.address)).map((one) => element('li', { class: class_of_action(one.action) }, element('b', { role: 'img', 'aria-label': one.action }, symbol_of(one.action)), element('span', { class: 'mono' }, one.address)))))) : '';
    return [version_note(w, version, 'resources'), pending, element('section', { class: 'panel' }, element('div', { class: 'head' }, element('h2', {}, plural(state.resources.length, 'resource', 'resources') + ', serial ' + state.serial.toLocaleString('en-US')), count, element('span', { class: 'grow' }), element('div', { class: 'filter' }, filter)), list)];
  });
}

function show_outputs(body, w, version) {
  fill(body, ask(api + 'state/' + path_of(w) + version_query(version)), (state) => [version_note(w, version, 'outputs'), state.outputs.length
    ? panel('', table(['Output', 'Value'], in_order(state.outputs, (one) => natural_key(one.name)).map((one) => element('tr', {}, plain_cell(element('span', { class: 'mono' }, one.name)), element('td', { class: 'mono' + (later_texts.has(one.value) ? ' hidden-value' : ''), 'data-title': 'Value' }, one.value))), 'Outputs'))
    : panel('', note('The state has no outputs.'))]);
}

const version_words = (v) => 'serial ' + v.serial.toLocaleString('en-US') + ', ' + (v.removed ? 'deleted, ' : '') + date_text(v.time) + (v.author ? ', ' + v.author : v.command ? ', ' + v.command : '');

function compare_form(w, versions, from, to) {
  const select = (label, name, chosen) => element('label', {}, label, element('select', { name, 'data-name': name }, versions.map((v) => element('option', { value: String(v.version), ...(String(v.version) === chosen ? { selected: '' } : {}) }, version_words(v)))));
  const form = element('form', { class: 'compare' }, select('From', 'from', from), select('To', 'to', to), element('button', { type: 'submit', 'data-name': 'compare' }, 'Show the difference'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    location.hash = link_to(w, 'difference', form.elements.from.value, form.elements.to.value);
  });
  return form;
}

function show_history(body, w) {
  const draw = ({ versions }) => {
    if (!versions.length) return panel('', note('There is no history.'));
    const rows = versions.map((v, i) => element('tr', {}, element('td', { class: 'number', 'data-title': 'Serial' }, v.serial.toLocaleString('en-US')), cell('Time', time_element(v.time), element('small', {}, date_text(v.time))),
      cell('Who', v.author || ''), cell('Command', v.removed ? pill('deleted', 'destroy') : v.command || ''), cell('Size', v.size ? Math.ceil(v.size / 1024).toLocaleString('en-US') + ' KiB' : ''),
      element('td', { class: 'acts' }, v.removed || w.sealed ? '' : link(link_to(w, 'resources', v.version), 'Content'), i + 1 < versions.length && !w.sealed ? [' \u00a0 ', link(link_to(w, 'difference', versions[i + 1].version, v.version), 'Difference')] : '')));
    return element('section', { class: 'panel' }, w.sealed || versions.length < 2 ? '' : element('div', { class: 'head' }, compare_form(w, versions, String(versions[Math.min(1, versions.length - 1)].version), String(versions[0].version))),
      table([{ text: 'Serial', number: true }, 'Time', 'Who', 'Command', 'Size', ''].map((head) => (head === '' ? { text: element('span', { class: 'hidden' }, 'Actions') } : head)), rows, 'History'));
  };
  if (!body.childNodes.length) return fill(body, ask(api + 'history/' + path_of(w)), draw);
  return ask(api + 'history/' + path_of(w)).then((got) => replace(body.firstElementChild, draw(got)), () => {});
}

function show_difference(body, w, from, to) {
  fill(body, Promise.all([ask(api + 'history/' + path_of(w)), ask(api + 'difference/' + path_of(w) + '?from=' + encodeURIComponent(from) + '&to=' + encodeURIComponent(to))]), ([{ versions }, found]) => {
    const words = Object.entries(found.counts).sort((a, b) => order_of_risk.indexOf(a[0]) - order_of_risk.indexOf(b[0])).map(([action, n]) => badge(n.toLocaleString('en-US') + ' ' + actions[action].ended, action));
    const all = in_order(found.changes, (one) => String.fromCharCode(32 + order_of_risk.indexOf(one.action)) + (one.output ? '1' : '0') + address_key(one.address));
    return [element('section', { class: 'panel' }, element('div', { class: 'head' }, compare_form(w, versions, from, to)), element('div', { class: 'body' }, all.length ? words : note('Both versions have the same resources and outputs.')),
      all.map((one) => element('details', { class: 'object ' + class_of_action(one.action), ...(all.length <= 12 ? { open: '' } : {}) }, element('summary', {}, element('b', { role: 'img', 'aria-label': actions[one.action].ended }, symbol_of(one.action)), element('span', { class: 'mono' }, (one.output ? 'output.' : '') + one.address), one.note ? element('small', {}, one.note) : ''),
        element('div', { class: 'inside' }, one.rows.length ? difference_table(one.rows) : note(one.note ? 'No attribute differs.' : 'Nothing that is shown differs.')))),
      found.left_out ? note(plural(found.left_out, 'further difference is', 'further differences are') + ' not shown.') : '')];
  });
}

// ---- locks ----

function part_list(title, parts, count) {
  if (!count) return '';
  return [element('h3', {}, title + ' (' + count.toLocaleString('en-US') + ')'), element('ul', { class: 'parts mono', tabindex: '0', 'aria-label': title }, in_order(parts, address_key).map((one) => element('li', {}, one))), count > parts.length ? note((count - parts.length).toLocaleString('en-US') + ' more') : ''];
}

function lock_panel(w, one) {
  const may = console_state.me.role === 'write';
  const answer = element('div', { role: 'status' });
  const confirm = element('div', { hidden: '' }, note('The command of ' + (one.holder || 'the holder') + ' goes on without its lock, and cannot save its state any more. Release the lock only if that command has ended.'),
    element('p', {}, element('button', { type: 'button', class: 'danger', 'data-name': 'release-now', onclick: release }, 'Release the lock now'), ' ', element('button', { type: 'button', 'data-name': 'keep', onclick: () => { confirm.hidden = true; ask_first.hidden = false; ask_first.focus(); } }, 'Keep it')));
  const ask_first = element('button', { type: 'button', class: 'danger', 'data-name': 'release', onclick: () => { ask_first.hidden = true; confirm.hidden = false; confirm.querySelector('button').focus(); } }, 'Release the lock\u2026');
  async function release() {
    try {
      await ask(api + 'unlock/' + path_of(w), { method: 'POST', body: { id: one.id } });
      announce('The lock is released');
    } catch (error) {
      answer.replaceChildren(element('p', { class: 'error' }, error.message));
    }
  }
  const facts = [['Holder', one.holder || 'unknown'], ['Operation', one.operation || 'unknown'], ['Since', one.since ? [time_element(Date.parse(one.since)), element('small', {}, ' ' + date_text(Date.parse(one.since)))] : 'unknown'], ['Locks', one.whole ? 'the whole workspace' : 'the addresses below'], ['ID', element('span', { class: 'mono' }, one.id || 'none')]];
  const how = !one.id ? note('This lock ends with its process, and cannot be released by others.')
    : [may ? [element('p', {}, ask_first), confirm, answer] : note('Users with the role "write" can release this lock here.'), note('In the directory of the configuration:'), element('pre', { class: 'command mono' }, one.release)];
  return element('section', { class: 'panel lock', 'data-id': one.id || '' }, element('h2', {}, one.whole ? 'Lock of the workspace' : 'Lock of addresses'), element('div', { class: 'body' }, element('dl', {}, facts.map(([term, words]) => [element('dt', {}, term), element('dd', {}, words)])),
    part_list('It changes', one.written || [], one.written_count || 0), part_list('It reads', one.read || [], one.read_count || 0), element('h3', {}, 'Release'), how));
}

function show_locks(body, w) {
  if (!w.locks.length) return body.replaceChildren(panel('', note('Nobody has locked this workspace.')));
  // A question that is open stays open.
  const there = new Map([...body.querySelectorAll('.lock')].map((one) => [one.dataset.id, one]));
  const at = document.activeElement;
  body.replaceChildren(...w.locks.map((one) => there.get(one.id || '') || lock_panel(w, one)));
  if (body.contains(at)) at.focus();
}

// ---- runs ----

function gantt_of(w, run) {
  const until = run.ended === undefined ? server_now() : run.ended;
  const whole = Math.max(1, until - run.begun);
  const part = (ms) => Math.max(0, Math.min(100, (100 * (ms - run.begun)) / whole));
  const most = 500;
  const shown = run.operations.length > most ? [...run.operations.filter((one) => one.ended === undefined || one.failed), ...run.operations.filter((one) => one.ended !== undefined && !one.failed).slice(-most)] : run.operations;
  const rows = shown.map((one) => {
    const end = one.ended === undefined ? until : one.ended;
    const bar = element('i', { class: 'ran' + (one.failed ? ' failed' : one.ended === undefined ? ' open' : '') });
    bar.style.left = part(one.begun) + '%';
    bar.style.width = part(end) - part(one.begun) + '%';
    return element('div', { class: 'bar ' + class_of_action(one.action), role: 'listitem', title: one.address }, element('div', { class: 'bar-name' }, element('b', { role: 'img', 'aria-label': one.action }, symbol_of(one.action)), element('span', { class: 'mono' }, element('bdi', { dir: 'ltr' }, one.ended !== undefined && !one.failed && one.action !== 'destroy' ? link(object_link(w, one.address), one.address) : one.address))),
      element('div', { class: 'bar-track' }, bar, element('em', {}, one.failed ? 'failed' : one.ended === undefined ? (run.ended === undefined ? 'runs' : 'no end') : duration_text((end - one.begun) / 1000))));
  });
  return [element('div', { class: 'gantt', role: 'list', tabindex: '0', 'aria-label': 'Operations by time' }, rows), shown.length < run.operations.length ? note((run.operations.length - shown.length).toLocaleString('en-US') + ' ended operations are not shown.') : ''];
}

// The runs that are known, if there are several.
function run_choice(w, shown) {
  const all = runs_of(w);
  if (all.length < 2) return '';
  return element('nav', { class: 'choice', 'aria-label': 'Runs' }, all.map((run) => link(link_to(w, 'run', run.id), [run_pill(run), ' ', run.operation, run.who ? ' of ' + run.who : '', ', ', time_element(run.begun)], run.id === shown ? { 'aria-current': 'true' } : {})));
}

function show_run(body, w, id, _, is_update) {
  if (!w.run) return body.replaceChildren(panel('', note('No command has changed this state since the server began.')));
  const draw = (run) => {
    const facts = [['Command', run.operation], ['Who', run.who || 'unknown'], ['Begun', [time_element(run.begun), element('small', {}, ' ' + date_text(run.begun))]], ['Duration', run.ended === undefined ? time_element(run.begun, 'elapsed') : duration_text((run.ended - run.begun) / 1000)], ['Known from', run.reported ? 'its reports' : 'its lock and its writes of the state']];
    return element('div', {}, run_choice(w, run.id), element('section', { class: 'panel' }, element('div', { class: 'head' }, element('h2', {}, progress_text(run)), element('span', { class: 'grow' }), run_pill(run)), element('div', { class: 'body' }, element('dl', { class: 'facts' }, facts.map(([term, words]) => element('div', {}, element('dt', {}, term), element('dd', {}, words)))), meter(run), (run.problems || []).map((p) => problem_element(p, object_link(w, p.address))))),
      element('section', { class: 'panel' }, element('h2', {}, 'Operations'), run.operations.length ? gantt_of(w, run) : note(run.ended === undefined ? 'No operation is known yet.' : 'No operation is known.')));
  };
  if (id && !runs_of(w).some((run) => run.id === id)) return body.replaceChildren(panel('', element('p', { class: 'note' }, 'This run is not known any more. ', link(link_to(w, 'run'), 'Show the last run'))));
  const reading = ask(api + 'run/' + path_of(w) + (id ? '?id=' + encodeURIComponent(id) : ''));
  if (!is_update || !body.firstElementChild) return fill(body, reading, draw);
  const of = console_state.view;
  return reading.then((got) => console_state.view === of && replace(body.firstElementChild, draw(got)), () => {});
}

function show_drift(body, w) {
  if (!w.drift) return body.replaceChildren(panel('', element('p', { class: 'note' }, 'Nobody has looked for drift. "iacctl watch" reads all objects at intervals, and reports what differs from the state if IACCTL_REPORT names this workspace.')));
  const objects = in_order(w.drift.objects, (one) => address_key(one.address));
  body.replaceChildren(panel('', element('div', { class: 'body' }, element('p', { class: 'note' }, drift_count(w) ? plural(drift_count(w), 'object differs', 'objects differ') + ' from the state. ' : 'All objects match the state. ', 'Reported ', time_element(w.drift.checked), w.drift.by ? ' by ' + w.drift.by : '', '.')),
    objects.length ? table(['Object', 'Difference'], objects.map((one) => element('tr', {}, plain_cell(link(object_link(w, one.address), element('span', { class: 'mono' }, one.address))), cell('Difference', one.change === 'deleted' ? pill('was deleted', 'destroy') : [pill('has changed', 'update'), ' ', element('span', { class: 'mono' }, one.attributes.join(', '))]))), 'Drift') : '', w.drift.left_out ? note(w.drift.left_out.toLocaleString('en-US') + ' further objects are not shown.') : ''));
}

// ---- search ----

// A text with the words of the search marked.
function marked(text, words) {
  const lower = text.toLowerCase();
  const made = [];
  let at = 0;
  while (at < text.length) {
    let next = null;
    for (const word of words) {
      const found = lower.indexOf(word, at);
      if (found >= 0 && (!next || found < next.from)) next = { from: found, to: found + word.length };
    }
    if (!next) break;
    made.push(text.slice(at, next.from), element('mark', {}, text.slice(next.from, next.to)));
    at = next.to;
  }
  return [...made, text.slice(at)];
}

function search_view(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const title = element('span', { role: 'status' }, 'Searching\u2026');
  const list = element('div', { class: 'found' });
  const view = { title: 'Search', update() {} };
  console_state.view = view;
  $('search').value = text;
  content.replaceChildren(element('section', { class: 'panel' }, element('div', { class: 'head' }, element('h2', {}, title)), list));
  const most = 500;
  (async () => {
    let after = '';
    let count = 0;
    let found = [];
    let unreadable = 0;
    let is_cut = false;
    try {
      for (;;) {
        const got = await ask(api + 'search?q=' + encodeURIComponent(text) + (after ? '&after=' + encodeURIComponent(after) : ''));
        if (console_state.view !== view) return;
        unreadable += got.unreadable || 0;
        is_cut ||= Boolean(got.cut || (got.next && count + got.results.length >= most));
        count += got.results.length;
        found = in_order([...found, ...got.results], (one) => key_of_place(one.at) + '\u0000' + (one.output ? '1' : '0') + address_key(one.address));
        list.replaceChildren(...found.map((one) => {
          const where = { source: one.at.source, name: one.at.name };
          return element('div', { class: 'object' }, element('div', { class: 'inside' }, link(one.output ? link_to(where, 'outputs') : object_link(where, one.address), element('span', { class: 'mono' }, one.output ? 'output.' : '', marked(one.address, words))), element('small', { class: 'note' }, ' in ' + (several_sources() ? where.source + ' / ' : '') + where.name),
            one.attribute ? element('div', { class: 'mono' }, one.attribute + ': ', marked(short_text(one.text, 200), words)) : ''));
        }));
        title.textContent = plural(count, 'result', 'results') + ' for "' + text + '"' + (got.next && count < most ? '\u2026' : '');
        if (!got.next || count >= most) break;
        after = got.next;
      }
      if (is_cut) list.append(note('There are more results than are shown. Add a word to find fewer.'));
      if (unreadable) list.append(note(plural(unreadable, 'state', 'states') + ' could not be read.'));
      if (!count) list.append(note('No address, type, provider, attribute or output has all of these words. Sensitive values and encrypted states are not searched.'));
    } catch (error) {
      list.append(element('p', { class: 'error', role: 'alert' }, error.message));
    }
  })();
  return view;
}

// ---- frame ----

function draw_sections() {
  const n = [...console_state.known.values()].flatMap(runs_of).filter(goes_on).length;
  const [part] = console_state.route;
  const entry = (href, word, is_here, count) => link(href, [word, count ? element('span', { class: 'count' }, String(count)) : ''], is_here ? { 'aria-current': 'page' } : {});
  const fresh = element('div', { class: 'views', id: 'sections' }, entry('#/', 'Workspaces', !part || part === 'w', 0), entry('#/running', 'Running', part === 'running', n));
  replace($('sections'), fresh);
}

function show_route() {
  if (!console_state.me) return;
  let parts = [];
  try {
    parts = location.hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent);
  } catch (_) {
    parts = [];
  }
  if (parts.length === 1 && !parts[0]) parts = [];
  console_state.route = parts;
  const [part] = parts;
  console_state.view = null;
  const view = part === 'w' ? workspace_view(...parts.slice(1, 6)) : part === 'running' ? running() : part === 'search' ? search_view(parts[1] || '') : overview();
  console_state.view = view;
  draw_sections();
  const trail = part === 'w' ? [link('#/', 'Workspaces'), ' / ' + (several_sources() ? parts[1] + ' / ' : '')] : ['States of ' + location.host];
  $('subtitle').replaceChildren(...trail);
  $('title').textContent = view.title;
  document.title = 'iacctl: ' + view.title;
}

function take(w, is_known) {
  if (is_known) console_state.known.set(key_of(w), w);
  else console_state.known.delete(key_of(w));
  if (console_state.view) console_state.view.update(w, is_known);
}

function set_connection(on) {
  $('connection').className = on ? 'on' : 'off';
  $('connection').textContent = on ? 'live' : 'not connected';
}

// The server sends what changes. The browser connects again by itself, unless the server has refused.
function listen_to_server() {
  if (console_state.events) console_state.events.close();
  const events = new EventSource('/console/events');
  console_state.events = events;
  const json_of = (event) => JSON.parse(event.data);
  let expected = null;  // of the present state, which comes at once
  events.addEventListener('hello', (event) => {
    const hello = json_of(event);
    console_state.offset = hello.now - Date.now();
    console_state.sources = new Map(hello.sources.map((one) => [one.name, one]));
    expected = new Set(console_state.known.keys());
    set_connection(true);
  });
  events.addEventListener('workspace', (event) => {
    const w = json_of(event);
    if (expected) expected.delete(key_of(w));
    take(w, true);
  });
  events.addEventListener('gone', (event) => take(json_of(event), false));
  events.addEventListener('time', (event) => {
    console_state.offset = Number(event.data) - Date.now();
    if (expected) for (const key of expected) take(console_state.known.get(key), false);
    if (expected && (!console_state.view || console_state.waits)) {
      console_state.waits = false;
      show_route();
    }
    expected = null;
    draw_sections();
    performance.mark('updated');
  });
  events.addEventListener('error', async () => {
    set_connection(false);
    if (events.readyState !== EventSource.CLOSED || console_state.events !== events) return;
    setTimeout(async () => {
      if (console_state.events !== events) return;
      try {
        const me = await ask(api + 'session');
        if (me.user === null) show_login('The session has ended.');
        else listen_to_server();
      } catch (_) {
        listen_to_server();
      }
    }, 2000);
  });
}

function show_login(why) {
  console_state.me = null;
  if (console_state.events) console_state.events.close();
  console_state.events = null;
  console_state.known.clear();
  console_state.view = null;
  $('tools').hidden = true;
  $('log-out').hidden = true;
  $('user').textContent = '';
  $('connection').className = '';
  $('connection').textContent = '';
  $('title').textContent = 'Console';
  $('subtitle').textContent = 'States of ' + location.host;
  const problem = element('p', { class: 'error', role: 'alert' }, why || '');
  const name = element('input', { name: 'name', autocomplete: 'username', required: '', autocapitalize: 'none', spellcheck: 'false' });
  const password = element('input', { name: 'password', type: 'password', autocomplete: 'current-password', required: '' });
  const form = element('form', {}, element('label', {}, 'User', name), element('label', {}, 'Password', password), problem, element('button', { type: 'submit' }, 'Log in'));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    problem.textContent = '';
    try {
      begin(await ask(api + 'session', { method: 'POST', body: { name: name.value, password: password.value } }));
    } catch (error) {
      problem.textContent = error.message;
      password.value = '';
      password.focus();
    }
  });
  content.replaceChildren(element('section', { class: 'panel login' }, element('h2', {}, 'Log in'), form));
  name.focus();
}

function begin(me) {
  console_state.me = me;
  $('tools').hidden = false;
  $('log-out').hidden = !me.ends;
  $('user').textContent = me.user ? me.user + (me.role === 'read' ? ', may read' : '') : '';
  console_state.waits = true;
  content.replaceChildren(note('Reading\u2026'));
  listen_to_server();
}

function set_theme(name) {
  document.documentElement.dataset.theme = name;
  $('theme').textContent = name === 'dark' ? 'Light' : 'Dark';
}

set_theme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => set_theme(event.matches ? 'dark' : 'light'));
$('theme').addEventListener('click', () => set_theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'));
$('log-out').addEventListener('click', async () => {
  try {
    await ask(api + 'session', { method: 'DELETE' });
  } catch (_) {
    // The session has ended, or ends with the server.
  }
  show_login();
});
$('search-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const text = $('search').value.trim();
  if (text) location.hash = '#/search/' + encodeURIComponent(text);
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, select, textarea') || $('tools').hidden) return;
  event.preventDefault();
  $('search').focus();
  $('search').select();
});
addEventListener('hashchange', () => {
  show_route();
  if (!content.contains(document.activeElement)) content.focus({ preventScroll: true });
  scrollTo(0, 0);
});
// A page that nobody sees does not use one of the few connections of the browser.
document.addEventListener('visibilitychange', () => {
  if (!console_state.me) return;
  if (document.hidden) console_state.hidden_timer = setTimeout(() => console_state.events && console_state.events.close(), 3000);
  else {
    clearTimeout(console_state.hidden_timer);
    if (console_state.events && console_state.events.readyState === EventSource.CLOSED) listen_to_server();
  }
});
setInterval(tick, 1000);
ask(api + 'session').then((me) => (me.user === null ? show_login() : begin(me)), (error) => show_login(error.message));
