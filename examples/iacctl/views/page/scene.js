// SPDX-License-Identifier: BSL-1.0
// All that is visible, with its place: boxes of vertices and closed groups, frames of open groups, and edges.

const scene = { boxes: [], frames: [], edges: [], width: 0, height: 0, of: new Map(), matches: () => true };
const links = links_by_group();

function build_scene(measure) {
  const made = layout_group(root, links, measure);
  scene.boxes = [];
  scene.frames = [];
  scene.of = new Map();
  (function place(inner, x, y) {
    for (const item of inner.items) {
      const left = x + item.x;
      const top = y + item.y;
      if (item.of.groups && item.of.open) {
        scene.frames.push({ of: item.of, x: left, y: top, w: item.w, h: item.h });
        place(item.of.inner, left, top);
      } else {
        const box = { of: item.of, x: left, y: top, w: item.w, h: item.h, vertices: null };
        scene.boxes.push(box);
        scene.of.set(item.of, box);
      }
    }
  })(made, 0, 0);
  canvas.dataset.boxes = String(scene.boxes.length);
  scene.width = made.w;
  scene.height = made.h;
  const between = new Map();
  const numbers = new Map(scene.boxes.map((box, i) => [box, i]));
  for (const e of edges) {
    const from = scene.of.get(visible_of(e.dependency));
    const to = scene.of.get(visible_of(e.dependent));
    if (from === to) continue;
    const key = numbers.get(from) * scene.boxes.length + numbers.get(to);
    const on_path = critical_edges.has(e.dependent.number + '<' + e.dependency.number);
    const found = between.get(key);
    if (found) {
      found.all.push(e);
      found.on_path = found.on_path || on_path;
    } else between.set(key, { from, to, all: [e], on_path });
  }
  scene.edges = [...between.values()];
  for (const box of scene.boxes) box.vertices = box.of.groups ? vertices_in(box.of) : [box.of];
}

function vertices_in(group) {
  const found = [...group.vertices];
  for (const g of group.groups.values()) found.push(...vertices_in(g));
  return found.filter((v) => v.kind !== 'join');
}

// The action that stands for several vertices: the riskiest.
const order_of_risk = ['destroy', 'replace', 'forget', 'update', 'create', 'read', ''];
function action_of(box) {
  if (!box.of.groups) return box.of.action;
  if (box.action === undefined) box.action = order_of_risk.find((one) => box.vertices.some((v) => v.action === one)) || '';
  return box.action;
}

const middle_right = (box) => [box.x + box.w, box.y + box.h / 2];
const middle_left = (box) => [box.x, box.y + box.h / 2];

// The curve of an edge: start, two control points, end.
function curve_of(edge) {
  const [x1, y1] = middle_right(edge.from);
  const [x2, y2] = middle_left(edge.to);
  const bend = Math.max(24, Math.abs(x2 - x1) / 2.2);
  return [x1, y1, x1 + bend, y1, x2 - bend, y2, x2, y2];
}

function box_at(x, y) {
  for (const box of scene.boxes) {
    const slack = box.of.kind === 'join' ? 5 : 0;
    if (x >= box.x - slack && x <= box.x + box.w + slack && y >= box.y - slack && y <= box.y + box.h + slack) return box;
  }
  return null;
}

// The head of a frame: the innermost one.
function frame_at(x, y) {
  let found = null;
  for (const f of scene.frames) if (x >= f.x && x <= f.x + f.w && y >= f.y && y <= f.y + metrics.head) found = f;
  return found;
}

function edge_at(x, y, reach) {
  let nearest = null;
  let least = reach;
  for (const edge of scene.edges) {
    const c = curve_of(edge);
    const low = Math.min(c[0], c[6], c[2], c[4]) - reach;
    const high = Math.max(c[0], c[6], c[2], c[4]) + reach;
    if (x < low || x > high || y < Math.min(c[1], c[7]) - reach || y > Math.max(c[1], c[7]) + reach) continue;
    let px = c[0];
    let py = c[1];
    for (let i = 1; i <= 24; ++i) {
      const t = i / 24;
      const u = 1 - t;
      const qx = u * u * u * c[0] + 3 * u * u * t * c[2] + 3 * u * t * t * c[4] + t * t * t * c[6];
      const qy = u * u * u * c[1] + 3 * u * u * t * c[3] + 3 * u * t * t * c[5] + t * t * t * c[7];
      const length = (qx - px) ** 2 + (qy - py) ** 2 || 1;
      const along = Math.max(0, Math.min(1, ((x - px) * (qx - px) + (y - py) * (qy - py)) / length));
      const distance = Math.hypot(x - px - along * (qx - px), y - py - along * (qy - py));
      if (distance < least) {
        least = distance;
        nearest = edge;
      }
      px = qx;
      py = qy;
    }
  }
  return nearest;
}
