// SPDX-License-Identifier: BSL-1.0
// The replay of an apply: a slider over its time, and the number of operations that ran.

const replay = { playing: false, at: 0, last: 0, speed: 1, moments: [] };

function set_time(seconds) {
  const end = data.run.seconds;
  replay.at = Math.max(0, Math.min(end, seconds));
  options.time = replay.at;
  $('time').value = String(end > 0 ? Math.round((replay.at / end) * 1000) : 1000);
  $('time').setAttribute('aria-valuetext', duration_text(replay.at));
  $('clock').textContent = duration_text(replay.at) + ' of ' + duration_text(end);
  const count = { done: 0, running: 0, failed: 0 };
  let all = 0;
  for (const v of vertices) {
    if (!v.operation) continue;
    all += 1;
    const its = state_at(v, replay.at);
    if (its in count) count[its] += 1;
  }
  $('progress').textContent = count.done + ' of ' + all + ' done, ' + count.running + ' running' + (count.failed ? ', ' + count.failed + ' failed' : '');
  redraw();
}

function set_playing(on) {
  replay.playing = on;
  $('play').textContent = on ? 'Pause' : 'Play';
  $('play').setAttribute('aria-label', on ? 'Pause' : 'Play');
  if (!on) return;
  if (replay.at >= data.run.seconds) set_time(0);
  replay.last = performance.now();
  requestAnimationFrame(play_on);
}

// With reduced motion the replay goes from event to event, a few in a second.
function play_on(now) {
  if (!replay.playing) return;
  if (quiet()) {
    if (now - replay.last >= 300) {
      replay.last = now;
      const next = replay.moments.find((moment) => moment > replay.at + 1e-9);
      set_time(next === undefined ? data.run.seconds : next);
    }
  } else {
    set_time(replay.at + ((now - replay.last) / 1000) * replay.speed);
    replay.last = now;
  }
  if (replay.at >= data.run.seconds) return set_playing(false);
  requestAnimationFrame(play_on);
}

function draw_activity() {
  const chart = $('activity');
  const area = chart.getBoundingClientRect();
  const ratio = Math.min(2, devicePixelRatio || 1);
  chart.width = Math.max(1, Math.round(area.width * ratio));
  chart.height = Math.max(1, Math.round(area.height * ratio));
  const steps = [];
  for (const v of vertices) if (v.visit) steps.push([v.visit.start, 1], [v.visit.end, -1]);
  steps.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let most = 1;
  let running = 0;
  for (const [, change] of steps) most = Math.max(most, (running += change));
  const p = chart.getContext('2d');
  p.clearRect(0, 0, chart.width, chart.height);
  const x = (seconds) => (data.run.seconds > 0 ? (seconds / data.run.seconds) * chart.width : 0);
  const y = (count) => chart.height - (count / most) * (chart.height - 2 * ratio);
  p.beginPath();
  p.moveTo(0, chart.height);
  running = 0;
  for (const [at, change] of steps) {
    p.lineTo(x(at), y(running));
    p.lineTo(x(at), y((running += change)));
  }
  p.lineTo(chart.width, chart.height);
  p.closePath();
  p.globalAlpha = 0.3;
  p.fillStyle = colors.accent;
  p.fill();
  p.globalAlpha = 1;
  p.fillStyle = colors.destroy;
  for (const v of vertices) if (v.visit && v.visit.result === 'failed') p.fillRect(x(v.visit.end) - ratio, 0, 2 * ratio, chart.height);
}

function begin_replay() {
  $('replay').hidden = false;
  const seconds = data.run.seconds || 0;
  // A replay takes about ten seconds unless someone wants otherwise.
  const usual = seconds > 0 ? seconds / 10 : 1;
  for (const [word, factor] of [['slow', 0.25], ['normal', 1], ['fast', 4], ['real time', 1 / usual]]) {
    const choice = element('option', { value: String(factor * usual) }, word);
    choice.selected = word === 'normal';
    $('speed').append(choice);
  }
  replay.speed = usual;
  replay.moments = vertices.filter((v) => v.visit).flatMap((v) => [v.visit.start, v.visit.end]).sort((a, b) => a - b);
  $('speed').addEventListener('change', () => { replay.speed = Number($('speed').value); });
  $('play').addEventListener('click', () => set_playing(!replay.playing));
  $('time').addEventListener('input', () => {
    set_playing(false);
    set_time((Number($('time').value) / 1000) * data.run.seconds);
  });
  set_time(seconds);
}
