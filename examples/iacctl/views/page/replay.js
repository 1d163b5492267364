// SPDX-License-Identifier: BSL-1.0
// The replay of an apply: a slider over its time, for the timeline and for the graph.

const replay = { playing: false, at: 0, last: 0, speed: 1, moments: [], starts: [], ends: [], failures: [] };

function set_time(seconds) {
  const end = data.run.seconds;
  replay.at = Math.max(0, Math.min(end, seconds));
  options.time = replay.at;
  $('time').value = String(end > 0 ? Math.round((replay.at / end) * 1000) : 1000);
  $('time').setAttribute('aria-valuetext', duration_text(replay.at));
  $('clock').textContent = duration_text(replay.at) + ' of ' + duration_text(end);
  const is_end = replay.at >= end;
  const before = (list) => first_at_least(list, replay.at + 1e-9);
  const ended = before(replay.ends);
  const failed = before(replay.failures);
  const running = is_end ? replay.open : before(replay.starts) - ended;
  const skipped = is_end ? run_facts.left.length : 0;
  $('progress').textContent = (ended - failed - (is_end ? replay.open : 0)).toLocaleString('en-US') + ' of ' + replay.all.toLocaleString('en-US') + ' done, ' + running + ' running'
    + (failed ? ', ' + failed + ' failed' : '') + (skipped ? ', ' + skipped + ' skipped' : '');
  draw_future();
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
      const next = replay.moments[first_at_least(replay.moments, replay.at + 1e-9)];
      set_time(next === undefined ? data.run.seconds : next);
    }
  } else {
    set_time(replay.at + (Math.max(0, now - replay.last) / 1000) * replay.speed);
    replay.last = now;
  }
  if (replay.at >= data.run.seconds) return set_playing(false);
  requestAnimationFrame(play_on);
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
  const visits = vertices.filter((v) => v.visit).map((v) => v.visit);
  const sorted = (list) => list.sort((a, b) => a - b);
  replay.all = vertices.filter(is_operation).length;
  replay.starts = sorted(visits.map((one) => one.start));
  replay.ends = sorted(visits.map((one) => one.end));
  replay.failures = sorted(visits.filter((one) => one.result === 'failed').map((one) => one.end));
  replay.open = visits.filter((one) => one.result === 'running').length;
  replay.moments = sorted([...replay.starts, ...replay.ends]);
  $('speed').addEventListener('change', () => { replay.speed = Number($('speed').value); });
  $('play').addEventListener('click', () => set_playing(!replay.playing));
  $('time').addEventListener('input', () => {
    set_playing(false);
    set_time((Number($('time').value) / 1000) * data.run.seconds);
  });
  set_time(seconds);
}
