// SPDX-License-Identifier: BSL-1.0
// The functions that all pages share: elements, words of actions, texts of numbers, and differences side by side.

const $ = (id) => document.getElementById(id);

const actions = {
  destroy: { symbol: '\u2212', word: 'destroy', title: 'Destroyed', ended: 'destroyed', risky: true },
  replace: { symbol: '\u00b1', word: 'replace', title: 'Replaced', ended: 'replaced', risky: true },
  forget: { symbol: '\u00d7', word: 'forget', title: 'Forgotten', ended: 'forgotten', risky: true },
  update: { symbol: '~', word: 'update', title: 'Updated', ended: 'changed', risky: false },
  create: { symbol: '+', word: 'create', title: 'Created', ended: 'created', risky: false },
  read: { symbol: '\u2190', word: 'read', title: 'Read during the apply', ended: 'read', risky: false },
  'no-op': { symbol: '=', word: 'move or import', title: 'Moved or imported', ended: 'moved or imported', risky: false },
};
const order_of_risk = Object.keys(actions);

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === 'class') made.className = value;
    else if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== '') made.append(child);
  return made;
}

const badge = (word, action) => element('span', { class: 'badge of-' + (actions[action] ? action : 'neutral') }, word);

const duration_text = (seconds) => {
  if (seconds > 0 && seconds < 0.0005) return '< 1 ms';
  if (seconds < 0.9995) return Math.round(seconds * 1000) + ' ms';
  if (seconds < 60) return seconds.toFixed(1) + ' s';
  const whole = Math.round(seconds);
  if (whole < 3600) return Math.floor(whole / 60) + ' min ' + (whole % 60) + ' s';
  return Math.floor(whole / 3600) + ' h ' + Math.floor((whole % 3600) / 60) + ' min';
};
// The order of all pages. Numbers in texts count by their values, so that zone-2 is before zone-10.
const natural_key = (text) => text.replace(/\d+/g, (digits) => {
  const number = digits.replace(/^0+(?=.)/, '');
  return String(number.length).padStart(3, '0') + number;
});
const without_keys = (address) => address.replace(/\["(?:[^"\\]|\\.)*"\]|\[\d+\]/g, '');
// Addresses with fewer modules are first, as in a terminal.
function address_key(address) {
  const [modules] = /^(?:module\.[^.]+\.)*/.exec(without_keys(address));
  return String.fromCharCode(32 + (modules.match(/module\.[^.]+\./g) || []).length) + natural_key(address);
}
function in_order(all, key_of) {
  const keyed = all.map((one) => ({ one, key: key_of(one) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ one }) => one);
}

const count_text = (n, word) => n.toLocaleString('en-US') + ' ' + word + (n === 1 ? '' : 's');

// Cuts a value in its middle: both ends tell more than the begin alone.
function short_text(text, most) {
  const lines = text.split('\n');
  const flat = lines.length > 1 ? lines[0].trim() + '\u2026 (' + lines.length + ' lines)' : text;
  if (flat.length <= most) return flat;
  const head = Math.ceil((most - 1) / 2);
  return flat.slice(0, head) + '\u2026' + flat.slice(flat.length - (most - 1 - head));
}

// Lines that only one side has are marked: those outside of the longest common subsequence.
function changed_lines(a, b) {
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; --i)
    for (let j = b.length - 1; j >= 0; --j)
      common[i * width + j] = a[i] === b[j] ? common[(i + 1) * width + j + 1] + 1 : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
  const kept_a = new Set();
  const kept_b = new Set();
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      kept_a.add(i++);
      kept_b.add(j++);
    } else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) ++i;
    else ++j;
  }
  return [kept_a, kept_b];
}

const later_texts = new Set(['(known after apply)', '(sensitive value)']);
function side(text, kind, kept) {
  if (text === undefined) return element('td', { class: 'mono none' }, '');
  if (!kept) return element('td', { class: 'mono ' + kind + (later_texts.has(text) ? ' later' : '') }, text);
  return element('td', { class: 'mono lines ' + kind }, text.split('\n').map((line, i) => element('span', { class: 'line' + (kept.has(i) ? '' : ' changed') }, line)));
}

function difference_table(rows) {
  if (!rows.length) return element('p', { class: 'muted' }, 'No attribute changes.');
  const body = element('tbody');
  for (const row of rows) {
    const title = element('td', { colspan: '2', class: 'mono' }, row.path || 'value', row.forces ? element('span', { class: 'forces' }, 'forces replacement') : '');
    body.append(element('tr', { class: 'attribute' }, title));
    let kept = [null, null];
    if (row.before !== undefined && row.after !== undefined && !later_texts.has(row.before) && !later_texts.has(row.after) && (row.before + row.after).includes('\n')) {
      const a = row.before.split('\n');
      const b = row.after.split('\n');
      if (a.length * b.length < 4000000) kept = changed_lines(a, b);
    }
    body.append(element('tr', { class: 'sides' }, side(row.before, 'gone', kept[0]), side(row.after, 'new', kept[1])));
  }
  return element('table', { class: 'diff' }, element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'Before'), element('th', { scope: 'col' }, 'After'))), body);
}

// An error or warning, with the lines of its source. href: of its address, if it is shown elsewhere
function problem_element(p, href = '') {
  return element('div', { class: 'problem of-' + (p.level === 'error' ? 'destroy' : 'update') }, element('p', { class: 'summary' }, p.summary),
    p.address && href ? element('p', { class: 'of-address mono' }, element('a', { href }, p.address)) : '',
    p.detail ? element('p', { class: 'detail' }, p.detail) : '',
    p.place ? element('pre', { class: 'mono' }, p.place + (p.context ? ', in ' + p.context : '') + (p.source ? '\n' + p.source : '')) : '',
    p.notes ? element('ul', {}, p.notes.map((note) => element('li', { class: 'mono' }, note))) : '', p.code ? element('small', { class: 'mono' }, p.code) : '');
}
