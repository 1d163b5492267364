// SPDX-License-Identifier: BSL-1.0
// Draws the scene. While it moves, a picture that was drawn with a margin around the screen is moved instead.

const canvas = $('graph');
const context = canvas.getContext('2d', { alpha: false });
const picture = document.createElement('canvas');
const pen = picture.getContext('2d', { alpha: false });
const view = { x: 0, y: 0, scale: 1, fits: true };  // screen = world * scale + (x, y)
const shown_picture = { x: 0, y: 0, scale: 0, stale: true, margin: 0 };
scene.view = view;
const selection = { box: null, edges: null, near: new Set(), lines: [], of: null };
const options = { critical: false, time: null };
const margins = { side: 14, top: 14, bottom: 46 };
let colors = {};
let size = { w: 1, h: 1, ratio: 1 };
let frame_wanted = false;
let sharp_timer = 0;

const quiet = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

function read_colors() {
  const style = getComputedStyle(document.documentElement);
  colors = {};
  for (const name of ['page', 'panel', 'text', 'muted', 'line', 'soft', 'accent', 'edge', 'group', 'group-line', 'create', 'update', 'destroy',
    'replace', 'read', 'neutral', 'critical']) {
    colors[name] = style.getPropertyValue('--' + name).trim();
    colors[name + '-soft'] = style.getPropertyValue('--' + name + '-soft').trim();
  }
}

const font = (weight, pixels) => weight + ' ' + pixels + 'px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';
const widths = new Map();
const measuring = document.createElement('canvas').getContext('2d');
measuring.font = font('600', 12.5);
function measure(text) {
  let width = widths.get(text);
  if (width === undefined) {
    // Wide alphabets are measured, very long texts are estimated.
    width = text.length > 400 ? text.length * 7 : measuring.measureText(text).width;
    widths.set(text, width);
  }
  return width;
}

const color_of = (action) => (actions[action] && action !== 'no-op' && action !== 'forget' ? action : 'neutral');

// The state of a box at a time of the replay, of several vertices that of most concern.
const concern = ['done', 'skipped', 'waiting', 'queueing', 'running', 'failed'];
function progress_of(box) {
  if (options.time === null) return null;
  if (box.vertices.length > 8) return progress_of_many(box, options.time);
  let found = null;
  for (const v of box.vertices) {
    const its = state_at(v, options.time);
    if (its && (!found || concern.indexOf(its) > concern.indexOf(found))) found = its;
  }
  return found;
}

// The same from sorted times, for many vertices.
function progress_of_many(box, time) {
  if (!box.times) {
    const visits = box.vertices.filter((v) => v.visit).map((v) => v.visit);
    const sorted = (all) => Float64Array.from(all).sort();
    const ended = visits.filter((one) => one.result !== 'running');
    box.times = { ready: sorted(visits.map((one) => one.ready)), start: sorted(visits.map((one) => one.start)), end: sorted(ended.map((one) => one.end)),
      failed: sorted(ended.filter((one) => one.result === 'failed').map((one) => one.end)), all: box.vertices.filter((v) => v.operation).length };
  }
  const { ready, start, end, failed, all } = box.times;
  const until = (list) => first_at_least(list, time + 1e-9);
  if (!all) return null;
  if (until(failed)) return 'failed';
  if (until(start) > until(end)) return 'running';
  if (until(ready) > until(start)) return 'queueing';
  return until(end) === all ? 'done' : time >= data.run.seconds ? 'skipped' : 'waiting';
}

function state_at(v, time) {
  const its = v.visit;
  if (!its) return v.operation ? (time >= data.run.seconds ? 'skipped' : 'waiting') : null;
  if (time >= its.end && its.result !== 'running') return its.result === 'failed' ? 'failed' : 'done';
  if (time >= its.start) return 'running';
  return time >= its.ready ? 'queueing' : 'waiting';
}

function fitted(text, room) {
  if (measure(text) <= room) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const head = Math.ceil(middle / 2);
    if (measure(text.slice(0, head) + '\u2026' + text.slice(text.length - (middle - head))) <= room) low = middle;
    else high = middle - 1;
  }
  const head = Math.ceil(low / 2);
  return text.slice(0, head) + '\u2026' + text.slice(text.length - (low - head));
}
const fits = new Map();
function cut_text(text, room) {
  const key = text + '\u0000' + Math.round(room);
  if (fits.size > 50000) fits.clear();
  if (!fits.has(key)) fits.set(key, fitted(text, room));
  return fits.get(key);
}

// The lines of a box: its name and, if there is room, its type, the reason, and more. The name is never cut for the type.
function lines_of_box(box, room) {
  const deposed = !box.of.groups && box.of.deposed;
  const label = deposed ? box.of.own_name : box.label;
  const dot = box.of.groups && box.of.kind !== 'resource' ? -1 : type_of(without_key(label)).length;
  const type = dot > 0 && label[dot] === '.' ? label.slice(0, dot) : '';
  const name = type ? label.slice(dot + 1) : label;
  const title = measure(label) <= room ? label : type && measure(short_of(label)) <= room ? short_of(label) : name;
  const lines = Math.floor((box.h - 12) / 17);
  if (deposed && lines < 2) return [[box.label, short_of(box.label), label + ' deposed', short_of(label) + ' deposed'].find((one) => measure(one) <= room) || name + ' deposed'];
  if (lines < 2) return [title];
  if (deposed) return [title, 'deposed ' + deposed];
  const change = !box.of.groups && box.of.change;
  const reason = change && (change.action === 'replace' || change.action === 'update') && box.of.action !== 'destroy' ? reason_of(change) : '';
  const made = title === name && type && (lines > 2 || !reason) && measure(type) * 0.92 <= room ? [name, type] : [title];
  const add_row = (row) => {
    const text = row_text(row);
    const [path, values] = [row.path, text.slice(text.indexOf(': ') + 2)];
    const fits_in = (one) => measure(one) * 0.92 <= room;
    if (fits_in(text)) made.push(text);
    else if (made.length + 2 <= lines) made.push(path + ':', values);
    else made.push(fits_in(values) ? values : fits_in(path) ? path : text);  // what there is room for, whole
  };
  const told = reason ? change.rows.filter((row) => row.forces || change.action === 'update') : [];
  if (told.length) told.forEach(add_row);
  else if (reason) made.push(reason);
  if (box.vertices.length > 1) {
    const shown = lines - made.length - 1;
    if (shown > 1) made.push(...box.vertices.slice(0, shown).map((v) => v.label));
    if (box.vertices.length > shown) made.push(shown > 1 ? 'and ' + (box.vertices.length - shown).toLocaleString('en-US') + ' more' : '');
  } else if (change && !reason && lines > 2) for (const row of change.action === 'create' ? change.rows : []) if (row.after !== '(known after apply)' && measure(row_text(row)) * 0.92 <= room) made.push(row_text(row));
  return made.slice(0, lines).filter(Boolean);
}

function rounded(p, x, y, w, h, r) {
  p.beginPath();
  p.roundRect(x, y, w, h, r);
}

function draw_frames(p) {
  for (const f of scene.frames) {
    rounded(p, f.x, f.y, f.w, f.h, 7);
    p.fillStyle = f.depth % 2 ? colors.group : colors.page;
    p.fill();
    p.lineWidth = selection.box === f ? 2.5 : 1;
    p.strokeStyle = selection.box === f ? colors.accent : colors['group-line'];
    p.stroke();
  }
}

// Titles of lanes stay in sight at the left.
function draw_titles(p, visible) {
  for (const f of scene.frames) {
    if (f.y > visible.y + visible.h || f.y + f.h < visible.y) continue;
    const stuck = Math.min(f.x + f.w - f.title_w, Math.max(f.x, -view.x / view.scale));
    const lane_h = f.of.open ? Math.min(f.own_h, metrics.head + 26) : f.h;
    if (stuck > f.x) {
      p.globalAlpha = 0.92;
      p.fillStyle = f.depth % 2 ? colors.group : colors.page;
      p.fillRect(stuck + 1, f.y + 1, f.title_w, lane_h - 2);
      p.globalAlpha = 1;
    }
    const single = f.own_h < 40;
    const y = f.y + (single ? f.own_h / 2 : 17);
    p.font = font('600', 12.5);
    p.fillStyle = selection.box === f ? colors.accent : colors.text;
    const mark = f.of.open ? '\u25be ' : '\u25b8 ';
    p.fillText(mark + cut_text(f.title, f.title_w - 26), stuck + 8, y);
    if (single) continue;
    p.font = font('400', 11.5);
    p.fillStyle = colors.muted;
    p.fillText(count_text(f.of.count, word_of_vertex), stuck + 23, y + 17);
  }
}

// A line with round corners.
function add_line(path, line) {
  path.moveTo(line[0][0], line[0][1]);
  for (let i = 1; i + 1 < line.length; ++i) path.arcTo(line[i][0], line[i][1], line[i + 1][0], line[i + 1][1], Math.min(6, Math.abs(line[i + 1][0] - line[i][0] + line[i + 1][1] - line[i][1]) / 2));
  path.lineTo(line[line.length - 1][0], line[line.length - 1][1]);
}

function make_paths() {
  // Lines are in pieces from top to bottom, of which only those in sight are drawn.
  const made = { plain: [], critical: new Path2D(), barriers: new Path2D() };
  const high = Math.max(400, scene.height / 60);
  const pieces = new Map();
  for (const net of scene.nets)
    for (const line of net.lines) {
      const ends = [line[0][1], line[line.length - 1][1]];
      const top = Math.min(...ends);
      const bottom = Math.max(...ends);
      const key = bottom - top > 2 * high ? -1 : Math.floor(top / high);
      if (!pieces.has(key)) pieces.set(key, { path: new Path2D(), top, bottom });
      const piece = pieces.get(key);
      add_line(piece.path, line);
      piece.top = Math.min(piece.top, top - 40);
      piece.bottom = Math.max(piece.bottom, bottom + 40);
    }
  made.plain = [...pieces.values()];
  for (const one of scene.pairs) if (one.on_path) add_line(made.critical, pair_line(one));
  for (const one of scene.barriers) {
    if (one.x === undefined) continue;
    made.barriers.moveTo(one.x, one.top);
    made.barriers.lineTo(one.x, one.bottom);
  }
  scene.paths = made;
}

function draw_edges(p, visible) {
  if (!scene.paths) make_paths();
  const dim = selection.lines.length > 0 || options.critical || scene.filtered;
  const thin = Math.max(1.1, Math.min(2, 0.8 / view.scale));
  const stroke = (path, color, width, alpha) => {
    p.strokeStyle = color;
    p.globalAlpha = alpha;
    p.lineWidth = width;
    p.stroke(path);
    p.globalAlpha = 1;
  };
  for (const piece of scene.paths.plain)
    if (piece.top < visible.y + visible.h && piece.bottom > visible.y) stroke(piece.path, colors.edge, thin, dim ? 0.28 : 0.75);
  p.setLineDash([2, 4]);
  stroke(scene.paths.barriers, colors.edge, 1.6, dim ? 0.35 : 0.9);
  p.setLineDash([]);
  if (options.critical) stroke(scene.paths.critical, colors.critical, Math.max(2.4, thin * 1.8), 1);
  if (!selection.lines.length) return;
  const near = new Path2D();
  for (const line of selection.lines) add_line(near, line);
  stroke(near, colors.accent, Math.max(2, thin * 1.5), 1);
  for (const line of selection.lines.slice(0, 400)) if (!line.bare) arrow(p, line[line.length - 1], colors.accent);
}

// The head is at the operation that waits.
function arrow(p, [x, y], color) {
  p.beginPath();
  p.moveTo(x, y);
  p.lineTo(x - 7, y - 4);
  p.lineTo(x - 7, y + 4);
  p.closePath();
  p.fillStyle = color;
  p.fill();
}

function draw_boxes(p, visible) {
  const small = view.scale < 0.4;
  const groups = new Map();  // of boxes that look alike, if they are small
  for (const box of scene.boxes) {
    if (box.x > visible.x + visible.w || box.x + box.w < visible.x || box.y > visible.y + visible.h || box.y + box.h < visible.y) continue;
    const progress = progress_of(box);
    const dimmed = (scene.filtered && !box.match) || (options.critical && !box.on_path && selection.box !== box);
    if (small && selection.box !== box && !selection.near.has(box)) {
      const key = color_of(action_of(box)) + ' ' + (progress || '') + ' ' + dimmed;
      if (!groups.has(key)) groups.set(key, { box, progress, dimmed, all: [] });
      groups.get(key).all.push(box);
    } else draw_box(p, box, progress, dimmed);
  }
  for (const { box, progress, dimmed, all } of groups.values()) {
    const style = fill_of(color_of(action_of(box)), progress);
    p.beginPath();
    for (const one of all) p.rect(one.x, one.y, one.w, one.h);
    p.globalAlpha = dimmed ? 0.16 : 1;
    p.fillStyle = style.fill;
    p.fill();
    p.strokeStyle = style.line;
    p.lineWidth = Math.min(6, 1.2 / view.scale);
    p.stroke();
    p.globalAlpha = 1;
  }
}

function fill_of(color, progress) {
  if (progress === 'waiting' || progress === 'skipped') return { fill: colors.panel, line: colors.line, text: colors.muted };
  if (progress === 'queueing') return { fill: colors.panel, line: colors.muted, text: colors.muted };
  if (progress === 'running') return { fill: colors.accent, line: colors.accent, text: colors.panel };
  if (progress === 'failed') return { fill: colors.destroy, line: colors.destroy, text: colors.panel };
  return { fill: colors[color + '-soft'], line: colors[color], text: colors.text };
}

function draw_box(p, box, progress, dimmed) {
  const action = action_of(box);
  const color = color_of(action);
  const style = fill_of(color, progress);
  const selected = selection.box === box;
  const alpha = dimmed ? 0.25 : 1;
  const several = box.vertices.length > 1;
  p.fillStyle = colors.page;
  rounded(p, box.x, box.y, box.w, box.h, 6);
  p.fill();  // hides lines behind the box
  p.globalAlpha = alpha;
  if (several) {  // as a pile
    rounded(p, box.x + 3, box.y + 3, box.w, box.h, 6);
    p.fillStyle = style.fill;
    p.strokeStyle = style.line;
    p.lineWidth = 1;
    p.fill();
    p.stroke();
  }
  rounded(p, box.x, box.y, box.w, box.h, 6);
  p.fillStyle = style.fill;
  p.fill();
  p.lineWidth = selected ? 2.5 : options.critical && box.on_path ? 2.2 : selection.near.has(box) ? 1.8 : 1.2;
  p.strokeStyle = selected || selection.near.has(box) ? colors.accent : options.critical && box.on_path ? colors.critical : style.line;
  if (progress === 'waiting' || progress === 'skipped') p.setLineDash([4, 3]);
  p.stroke();
  p.setLineDash([]);
  if (selected) {
    rounded(p, box.x - 3, box.y - 3, box.w + 6, box.h + 6, 8);
    p.globalAlpha = 0.35;
    p.stroke();
    p.globalAlpha = alpha;
  }
  let left = box.x + 9;
  let right = box.x + box.w - 9;
  const symbol = progress === 'done' ? '\u2713' : progress === 'failed' ? '!' : action && actions[action] ? actions[action].symbol : '';
  const [name, ...more] = box_text(box);
  const top = box.y + box.h / 2 + 0.5 - more.length * 8.5;
  if (symbol) {
    p.font = font('700', 14);
    p.fillStyle = progress ? style.text : colors[color];
    p.fillText(symbol, left, top);
    left += 16;
  }
  if (several) {
    p.font = font('600', 11.5);
    p.fillStyle = progress === 'running' || progress === 'failed' ? style.text : colors.muted;
    p.textAlign = 'right';
    const count = '\u00d7 ' + box.vertices.length.toLocaleString('en-US');
    p.fillText(count, right, top);
    right -= p.measureText(count).width + 6;
    p.textAlign = 'left';
  }
  p.font = font('600', 12.5);
  p.fillStyle = style.text;
  p.fillText(cut_text(name, right - left), left, top);
  p.font = font('400', 11.5);
  p.fillStyle = progress === 'running' || progress === 'failed' ? style.text : colors.muted;
  more.forEach((line, i) => p.fillText(cut_text(line, (box.x + box.w - 8 - left) * 1.08), left, top + 17 * (i + 1)));
  p.globalAlpha = 1;
}

const box_room = (box) => box.w - 34 - (box.vertices.length > 1 ? 26 + 7 * String(box.vertices.length).length : 0);
function box_text(box) {
  if (!box.text) box.text = lines_of_box(box, box_room(box));
  return box.text;
}

function paint_picture() {
  const margin = Math.round(Math.min(size.w, size.h) * 0.35);
  const ratio = size.ratio;
  const w = Math.ceil((size.w + 2 * margin) * ratio);
  const h = Math.ceil((size.h + 2 * margin) * ratio);
  if (picture.width !== w || picture.height !== h) {
    picture.width = w;
    picture.height = h;
  }
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.fillStyle = colors.page;
  pen.fillRect(0, 0, w, h);
  pen.setTransform(view.scale * ratio, 0, 0, view.scale * ratio, (view.x + margin) * ratio, (view.y + margin) * ratio);
  pen.textBaseline = 'middle';
  const visible = { x: (-view.x - margin) / view.scale, y: (-view.y - margin) / view.scale, w: w / ratio / view.scale, h: h / ratio / view.scale };
  draw_frames(pen);
  draw_edges(pen, visible);
  draw_boxes(pen, visible);
  draw_titles(pen, visible);
  Object.assign(shown_picture, { x: view.x, y: view.y, scale: view.scale, stale: false, margin });
}

function draw() {
  frame_wanted = false;
  if (canvas.offsetParent === null) return mark_first_picture();
  const s = shown_picture;
  const moved = Math.max(Math.abs(view.x - s.x), Math.abs(view.y - s.y));
  const zoomed = s.scale !== view.scale;
  if (s.stale || (!zoomed && moved > s.margin) || (zoomed && !sharp_timer)) paint_picture();
  const ratio = size.ratio;
  context.setTransform(1, 0, 0, 1, 0, 0);
  if (s.scale === view.scale) {
    context.drawImage(picture, Math.round((view.x - s.x - s.margin) * ratio), Math.round((view.y - s.y - s.margin) * ratio));
  } else {
    const by = view.scale / s.scale;
    context.fillStyle = colors.page;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(picture, (view.x - (s.x + s.margin) * by) * ratio, (view.y - (s.y + s.margin) * by) * ratio, picture.width * by, picture.height * by);
  }
  mark_first_picture();
}
function mark_first_picture() {
  if (!performance.getEntriesByName('first-picture').length) performance.mark('first-picture');
}

function redraw(stale = true) {
  if (stale) shown_picture.stale = true;
  if (frame_wanted) return;
  frame_wanted = true;
  requestAnimationFrame(draw);
}

// A move shows the old picture until it stops; titles of lanes get their places then.
function draw_sharp_later() {
  clearTimeout(sharp_timer);
  sharp_timer = setTimeout(() => { sharp_timer = 0; redraw(); }, 90);
}

function zoom_at(x, y, factor) {
  const scale = Math.max(0.02, Math.min(3, view.scale * factor));
  view.x = x - (x - view.x) * (scale / view.scale);
  view.y = y - (y - view.y) * (scale / view.scale);
  view.scale = scale;
  view.fits = false;
  draw_sharp_later();
  redraw(false);
}

// Moves the view, but not beyond the scene.
function pan_by(dx, dy) {
  const keep = 60;
  view.x = Math.max(keep - scene.width * view.scale, Math.min(size.w - keep, view.x + dx));
  view.y = Math.max(keep - scene.height * view.scale, Math.min(size.h - keep, view.y + dy));
  view.fits = false;
  if (scene.frames.length) draw_sharp_later();
  redraw(false);
}

const area_of_layout = () => ({ w: Math.max(300, size.w - 2 * margins.side), h: Math.max(200, size.h - margins.top - margins.bottom) });

// Returns whether the size changed.
function resize() {
  const area = canvas.getBoundingClientRect();
  const next = { w: Math.max(1, area.width), h: Math.max(1, area.height), ratio: Math.min(2, devicePixelRatio || 1) };
  if (next.w === size.w && next.h === size.h && next.ratio === size.ratio) return false;
  size = next;
  canvas.width = Math.round(size.w * size.ratio);
  canvas.height = Math.round(size.h * size.ratio);
  redraw();
  return true;
}

// Shows everything, but at first not smaller than can be read.
function fit(least = 0.02) {
  const scale = Math.min((size.w - 2 * margins.side) / Math.max(1, scene.width), (size.h - margins.top - margins.bottom) / Math.max(1, scene.height), 1);
  view.scale = Math.max(least, scale);
  const w = scene.width * view.scale;
  const h = scene.height * view.scale;
  view.x = Math.max(margins.side, (size.w - w) / 2);
  view.y = Math.max(margins.top, margins.top + (size.h - margins.top - margins.bottom - h) / 2);
  view.fits = true;
  redraw();
}

let moving = 0;
function move_view(goal) {
  view.fits = false;
  cancelAnimationFrame(moving);
  if (quiet()) {
    Object.assign(view, goal);
    return redraw();
  }
  const start = { ...view };
  const begun = performance.now();
  const step = (now) => {
    const t = Math.max(0, Math.min(1, (now - begun) / 220));
    const eased = 1 - (1 - t) ** 3;
    for (const key of ['x', 'y', 'scale']) view[key] = start[key] + (goal[key] - start[key]) * eased;
    if (t < 1) moving = requestAnimationFrame(step);
    else clearTimeout(sharp_timer), (sharp_timer = 0);
    if (t < 1 && start.scale !== goal.scale) draw_sharp_later();
    redraw(t === 1);
  };
  moving = requestAnimationFrame(step);
}
// The width of the graph that the details do not cover.
const free_width = () => size.w - (details.hidden || narrow.matches ? 0 : details.offsetWidth);
function move_to(box) {
  const scale = Math.max(view.scale, 0.7);
  move_view({ x: free_width() / 2 - (box.x + Math.min(box.w, size.w / scale) / 2) * scale, y: size.h / 2 - (box.y + box.h / 2) * scale, scale });
}
// Shows the selection with its neighbors as large as possible.
function zoom_to(boxes) {
  const left = Math.min(...boxes.map((box) => box.x));
  const top = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.w));
  const bottom = Math.max(...boxes.map((box) => box.y + box.h));
  const scale = Math.min(1.6, (free_width() - 60) / (right - left), (size.h - 110) / (bottom - top));
  move_view({ x: free_width() / 2 - ((left + right) / 2) * scale, y: (size.h - 40) / 2 - ((top + bottom) / 2) * scale, scale });
}
function is_in_sight(box) {
  const x = box.x * view.scale + view.x;
  const y = box.y * view.scale + view.y;
  const w = Math.min(box.w, 160 / view.scale);
  const h = Math.min(box.h, 40 / view.scale);
  return view.scale > 0.4 && x > 0 && y > 0 && x + w * view.scale < free_width() && y + h * view.scale < size.h - 30;
}
