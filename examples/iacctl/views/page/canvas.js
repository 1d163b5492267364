// SPDX-License-Identifier: BSL-1.0
// Draws the scene. While it moves, a picture that was drawn with a margin around the screen is moved instead.

const canvas = $('graph');
const context = canvas.getContext('2d', { alpha: false });
const picture = document.createElement('canvas');
const pen = picture.getContext('2d', { alpha: false });
const view = { x: 0, y: 0, scale: 1, fits: true };  // screen = world * scale + (x, y)
const shown_picture = { x: 0, y: 0, scale: 0, stale: true, margin: 0 };
const selection = { box: null, edge: null, near: new Set(), near_edges: new Set() };
const options = { critical: false, time: null };
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
function measure(text) {
  let width = widths.get(text);
  if (width === undefined) {
    pen.font = font('500', 12.5);
    width = pen.measureText(text).width;
    widths.set(text, width);
  }
  return width;
}

const color_of = (action) => (actions[action] && action !== 'no-op' && action !== 'forget' ? action : 'neutral');

// The state of a box at a time of the replay, of a group that of most concern.
function progress_of(box) {
  if (options.time === null) return null;
  let found = null;
  const concern = ['done', 'waiting', 'queueing', 'running', 'failed'];
  for (const v of box.vertices) {
    const its = state_at(v, options.time);
    if (its && (!found || concern.indexOf(its) > concern.indexOf(found))) found = its;
  }
  return found;
}

function state_at(v, time) {
  const its = v.visit;
  if (!its) return v.operation ? 'waiting' : null;
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
function label_for(box, room) {
  const text = box.of.label;
  const key = text + '\u0000' + Math.round(room);
  if (!fits.has(key)) fits.set(key, fitted(text, room));
  return fits.get(key);
}

function rounded(p, x, y, w, h, r) {
  p.beginPath();
  p.roundRect(x, y, w, h, r);
}

function draw_frames(p) {
  const detail = view.scale > 0.3;
  for (const f of scene.frames) {
    rounded(p, f.x, f.y, f.w, f.h, 8);
    p.fillStyle = colors.group;
    p.fill();
    p.lineWidth = selection.box === f ? 2.5 : 1;
    p.strokeStyle = selection.box === f ? colors.accent : colors['group-line'];
    p.stroke();
    if (!detail && f.w * view.scale < 60) continue;
    const scale = Math.max(1, Math.min(2.4, 0.62 / view.scale));
    p.fillStyle = colors.muted;
    p.font = font('600', 12 * scale);
    p.fillText('\u25be ' + f.of.label, f.x + 12, f.y + 8 + 6 * scale, f.w - 24);
    if (detail && f.w > measure(f.of.label) + 90) {
      p.font = font('400', 12);
      p.textAlign = 'right';
      p.fillText(String(f.of.count), f.x + f.w - 12, f.y + 15);
      p.textAlign = 'left';
    }
  }
}

function edge_path(p, edge, curved) {
  const c = curve_of(edge);
  p.moveTo(c[0], c[1]);
  if (curved) p.bezierCurveTo(c[2], c[3], c[4], c[5], c[6], c[7]);
  else p.lineTo(c[6], c[7]);
}

function draw_edges(p, visible) {
  const curved = scene.edges.length < 4000 || view.scale > 0.5;
  const any_near = selection.near_edges.size > 0;
  const filtered = scene.filtered;
  const plain = [];
  const dim = [];
  const near = [];
  const path = [];
  for (const edge of scene.edges) {
    if (Math.max(edge.from.x + edge.from.w, edge.to.x + edge.to.w) < visible.x || Math.min(edge.from.x, edge.to.x) > visible.x + visible.w) continue;
    if (Math.max(edge.from.y + edge.from.h, edge.to.y + edge.to.h) < visible.y || Math.min(edge.from.y, edge.to.y) > visible.y + visible.h) continue;
    if (selection.near_edges.has(edge)) near.push(edge);
    else if (options.critical && edge.on_path) path.push(edge);
    else if (any_near || options.critical || (filtered && !(edge.from.match && edge.to.match))) dim.push(edge);
    else plain.push(edge);
  }
  const stroke = (all, color, width, alpha) => {
    if (!all.length) return;
    p.beginPath();
    for (const edge of all) edge_path(p, edge, curved);
    p.strokeStyle = color;
    p.globalAlpha = alpha;
    p.lineWidth = width;
    p.stroke();
    p.globalAlpha = 1;
  };
  const thin = Math.max(1.1, Math.min(2, 0.7 / view.scale));
  stroke(dim, colors.edge, thin, 0.14);
  stroke(plain, colors.edge, thin, scene.edges.length > 3000 ? 0.3 : 0.62);
  stroke(path, colors.critical, Math.max(2.4, thin * 1.8), 1);
  stroke(near, colors.accent, Math.max(2, thin * 1.6), 1);
  p.fillStyle = colors.accent;
  for (const edge of near.length < 400 ? near : []) arrow(p, edge, colors.accent);
  for (const edge of path.length < 400 ? path : []) arrow(p, edge, colors.critical);
}

// The head is at the operation that waits.
function arrow(p, edge, color) {
  const [x, y] = middle_left(edge.to);
  p.beginPath();
  p.moveTo(x, y);
  p.lineTo(x - 8, y - 4.5);
  p.lineTo(x - 8, y + 4.5);
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
    const dimmed = (scene.filtered && !box.match) || (options.critical && !box.on_path && selection.box !== box) ||
      (selection.box && selection.near.size && selection.box !== box && !selection.near.has(box) && box.of.kind !== 'join' && options.focus);
    if (small && selection.box !== box && !selection.near.has(box)) {
      const key = color_of(action_of(box)) + ' ' + (progress || '') + ' ' + dimmed + ' ' + (box.of.kind === 'join');
      if (!groups.has(key)) groups.set(key, { box, progress, dimmed, all: [] });
      groups.get(key).all.push(box);
    } else draw_box(p, box, progress, dimmed);
  }
  for (const { box, progress, dimmed, all } of groups.values()) {
    const style = fill_of(color_of(action_of(box)), progress);
    p.beginPath();
    for (const one of all) p.rect(one.x, one.y, one.w, one.h);
    p.globalAlpha = dimmed ? 0.16 : 1;
    p.fillStyle = box.of.kind === 'join' ? colors.edge : style.fill;
    p.fill();
    if (box.of.kind !== 'join') {
      p.strokeStyle = style.line;
      p.lineWidth = Math.min(6, 1.2 / view.scale);
      p.stroke();
    }
    p.globalAlpha = 1;
  }
}

function fill_of(color, progress) {
  if (progress === 'waiting') return { fill: colors.panel, line: colors.line, text: colors.muted };
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
  p.globalAlpha = dimmed ? 0.2 : 1;
  if (box.of.kind === 'join') {
    p.beginPath();
    p.arc(box.x + box.w / 2, box.y + box.h / 2, selected ? 6 : 4, 0, 7);
    p.fillStyle = selected ? colors.accent : colors.edge;
    p.fill();
    p.globalAlpha = 1;
    return;
  }
  if (box.of.groups) {  // as a pile
    for (const shift of [6, 3]) {
      rounded(p, box.x + shift, box.y + shift, box.w - 6, box.h - 6, 6);
      p.fillStyle = style.fill;
      p.strokeStyle = style.line;
      p.lineWidth = 1;
      p.fill();
      p.stroke();
    }
  }
  const w = box.of.groups ? box.w - 6 : box.w;
  const h = box.of.groups ? box.h - 6 : box.h;
  rounded(p, box.x, box.y, w, h, 6);
  p.fillStyle = style.fill;
  p.fill();
  p.lineWidth = selected ? 2.5 : options.critical && box.on_path ? 2.2 : 1.2;
  p.strokeStyle = selected ? colors.accent : options.critical && box.on_path ? colors.critical : style.line;
  if (progress === 'waiting') p.setLineDash([4, 3]);
  p.stroke();
  p.setLineDash([]);
  if (selected) {
    rounded(p, box.x - 3, box.y - 3, w + 6, h + 6, 8);
    p.globalAlpha = 0.35;
    p.stroke();
    p.globalAlpha = dimmed ? 0.2 : 1;
  }
  let left = box.x + 10;
  if (action && actions[action]) {
    p.font = font('700', 14);
    p.fillStyle = progress === 'running' || progress === 'failed' ? style.text : progress ? style.text : colors[color];
    p.fillText(progress === 'done' ? '\u2713' : progress === 'failed' ? '!' : actions[action].symbol, left, box.y + h / 2 + 1);
    left += 17;
  }
  const count = box.of.groups ? '\u25b8 ' + box.of.count : '';
  if (count) {
    p.font = font('600', 11.5);
    p.fillStyle = style.text === colors.text ? colors.muted : style.text;
    p.textAlign = 'right';
    p.fillText(count, box.x + w - 9, box.y + h / 2 + 1);
    p.textAlign = 'left';
  }
  p.font = font(box.of.groups ? '600' : '500', 12.5);
  p.fillStyle = style.text;
  p.fillText(label_for(box, box.x + w - left - 8 - (count ? 40 : 0)), left, box.y + h / 2 + 1);
  p.globalAlpha = 1;
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
  Object.assign(shown_picture, { x: view.x, y: view.y, scale: view.scale, stale: false, margin });
}

function draw() {
  frame_wanted = false;
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
  if (!performance.getEntriesByName('first-picture').length) performance.mark('first-picture');
}

function redraw(stale = true) {
  if (stale) shown_picture.stale = true;
  if (frame_wanted) return;
  frame_wanted = true;
  requestAnimationFrame(draw);
}

// A zoom shows the old picture larger or smaller until it stops.
function zoom_at(x, y, factor) {
  const scale = Math.max(0.02, Math.min(3, view.scale * factor));
  view.x = x - (x - view.x) * (scale / view.scale);
  view.y = y - (y - view.y) * (scale / view.scale);
  view.scale = scale;
  view.fits = false;
  clearTimeout(sharp_timer);
  sharp_timer = setTimeout(() => { sharp_timer = 0; redraw(); }, 90);
  redraw(false);
}

function resize() {
  const area = canvas.getBoundingClientRect();
  size = { w: Math.max(1, area.width), h: Math.max(1, area.height), ratio: Math.min(2, devicePixelRatio || 1) };
  canvas.width = Math.round(size.w * size.ratio);
  canvas.height = Math.round(size.h * size.ratio);
  if (view.fits) fit();
  else redraw();
}

function fit() {
  const pad = 28;
  const scale = Math.min((size.w - 2 * pad) / Math.max(1, scene.width), (size.h - 2 * pad - 24) / Math.max(1, scene.height), 1.25);
  view.scale = Math.max(0.02, scale);
  view.x = (size.w - scene.width * view.scale) / 2;
  view.y = (size.h - 24 - scene.height * view.scale) / 2;
  view.fits = true;
  redraw();
}

let moving = 0;
function move_to(box) {
  const scale = Math.max(view.scale, 0.7);
  const goal = { x: size.w / 2 - (box.x + box.w / 2) * scale, y: size.h / 2 - (box.y + box.h / 2) * scale, scale };
  view.fits = false;
  cancelAnimationFrame(moving);
  if (quiet()) {
    Object.assign(view, goal);
    return redraw();
  }
  const start = { ...view };
  const begun = performance.now();
  const step = (now) => {
    const t = Math.min(1, (now - begun) / 220);
    const eased = 1 - (1 - t) ** 3;
    for (const key of ['x', 'y', 'scale']) view[key] = start[key] + (goal[key] - start[key]) * eased;
    if (t < 1) moving = requestAnimationFrame(step);
    redraw(t === 1 || start.scale !== goal.scale);
  };
  moving = requestAnimationFrame(step);
}
function is_in_sight(box) {
  const x = box.x * view.scale + view.x;
  const y = box.y * view.scale + view.y;
  return view.scale > 0.4 && x > 20 && y > 20 && x + box.w * view.scale < size.w - 20 && y + box.h * view.scale < size.h - 20;
}
