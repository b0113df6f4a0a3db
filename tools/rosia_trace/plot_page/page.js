// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

"use strict";

const $ = id => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const nodes = data.nodes;

/// Creates an element. Data of a trace only becomes text, never markup.
function el(tag, attributes, ...children) {
  const result = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes))
    result.setAttribute(key, value);
  result.append(...children);
  return result;
}

function time_text(s) {
  const x = Math.abs(s), sign = s < 0 ? "−" : "";
  const digits = y => String(Number(y.toPrecision(4)));
  if (x >= 1)
    return sign + digits(x) + "s";
  if (x >= 1e-3)
    return sign + digits(x * 1e3) + "ms";
  if (x >= 1e-6)
    return sign + digits(x * 1e6) + "us";
  // Zooming causes rounding; no time is shorter than a nanosecond.
  return x >= 0.5e-9 ? sign + digits(x * 1e9) + "ns" : "0ns";
}

const count_text = x => String(Number(x.toPrecision(3)));

const percent_text = x => (x * 100).toFixed(x < 0.1 ? 1 : 0) + "%";

// -- plotted data -------------------------------------------------------------

const most_at_first = 8;
const bins = 240;

for (const node of nodes) {
  node.times = node.at.map(x => x / 1e9);
  node.lags = node.at.map((x, i) => (x - node.tag[i]) / 1e9);
}

const end = nodes.reduce((y, x) => x.times.reduce((a, b) => Math.max(a, b), y), 0) || 1e-3;
let range = [0, end];

// The busiest nodes are shown first.
const order = nodes.map((_, i) => i).sort((a, b) => nodes[b].busy - nodes[a].busy || a - b);
const visible = new Set(order.slice(0, most_at_first));
const color_of = new Map(order.map((node, i) => [node, `--c${i % 8}`]));

/// Computes the growth of a sum in equal parts of the visible time. Between two
/// tags, the sum grows evenly. So parts that are shorter than the time between
/// tags, or that have one tag more, do not look like changes of the rate. Nor do
/// omitted tags, because the sums include them. Before the first tag nothing is
/// known; after the last, the sum is constant.
/// @param sums the sum at each of the times.
function slopes(times, sums) {
  const [begin, stop] = range, width = (stop - begin) / bins;
  const last = times.length - 1;
  if (last < 1)
    return [];
  const mean = (times[last] - times[0]) / last;
  let k = 0;
  const sum_at = t => {
    while (k < last - 1 && times[k + 1] <= t)
      ++k;
    const gap = times[k + 1] - times[k];
    const share = gap > 0 ? Math.min(1, Math.max(0, (t - times[k]) / gap)) : 1;
    return sums[k] + share * (sums[k + 1] - sums[k]);
  };
  const result = [];
  for (let i = 0; i < bins; ++i) {
    const from = Math.max(begin + i * width, times[0]);
    const to = Math.min(begin + (i + 1) * width, times[last]);
    if (to > from) {
      const before = sum_at(from);
      result.push([begin + (i + 0.5) * width, (sum_at(to) - before) / (to - from)]);
    } else if (begin + i * width > times[last] + 2 * mean) {
      result.push([begin + (i + 0.5) * width, 0]);
    }
  }
  return result;
}

const tag_rates = node => slopes(node.times, node.number);

/// Computes the share of time in which code ran.
function busy_shares(node) {
  if (node.times.length === 0)
    return [];
  const last = (node.busy - node.busy_before.at(-1)) / 1e9;
  return slopes([...node.times, node.times.at(-1) + last],
                [...node.busy_before, node.busy].map(x => x / 1e9));
}

// Tags and delays are [ns, microsteps]; a delay above 0 ns resets the microstep.
const plus = (tag, delay) => [tag[0] + delay[0], (delay[0] > 0 ? 0 : tag[1]) + delay[1]];
const is_before = (a, b) => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);

const name_of = (node, port) => `${node.name}.${port.name}`;

/// The targets of a value at a port, with their delays: over connections, and
/// within a node from each input to each output.
const ways = new Map(nodes.flatMap(node => node.ports.map(port => [
  name_of(node, port), port.output ? [] : node.ports.filter(x => x.output).map(
    x => ({to: name_of(node, x), delay: [0, 0]}))])));
for (const {from, to, delay} of data.connections)
  ways.get(from)?.push({to, delay});

/// Returns the smallest delay from a port to another; zero if there is no path.
function delay_between(from, to) {
  const found = new Map([[from, [0, 0]]]), left = [from];
  while (left.length > 0) {
    const at = left.shift();
    for (const way of ways.get(at) ?? []) {
      const sum = plus(found.get(at), way.delay), known = found.get(way.to);
      if (known === undefined || is_before(sum, known)) {
        found.set(way.to, sum);
        left.push(way.to);
      }
    }
  }
  return found.get(to) ?? [0, 0];
}

/// Computes the time from the start of a tag at one node to the start of the
/// tag at which its values arrive at the other.
function latencies() {
  const [from, to] = ["from", "to"].map(id => {
    const [i, k] = $(id).value.split("/").map(Number);
    const node = nodes[i], port = node.ports[k];
    return {node, points: port.points, name: name_of(node, port)};
  });
  const delay = delay_between(from.name, to.name);
  const began = new Map(from.points.map(
    i => [plus([from.node.tag[i], from.node.microstep[i]], delay).join("/"), from.node.times[i]]));
  const points = to.points.flatMap(i => {
    const since = began.get(`${to.node.tag[i]}/${to.node.microstep[i]}`);
    return since === undefined ? [] : [[to.node.times[i], to.node.times[i] - since]];
  });
  return {delay, points};
}

function delay_text([ns, microsteps]) {
  const parts = [];
  if (ns > 0)
    parts.push(time_text(ns / 1e9));
  if (microsteps > 0)
    parts.push(microsteps === 1 ? "a microstep" : `${microsteps} microsteps`);
  return parts.length === 0 ? "" : `over a delay of ${parts.join(" and ")}: `;
}

const each_visible = points => order.filter(i => visible.has(i)).map(
  i => ({name: nodes[i].name, color: color_of.get(i), points: points(nodes[i])}));

const charts = {
  lag: {text: time_text, lines: () => each_visible(x => x.times.map((t, i) => [t, x.lags[i]]))},
  latency: {text: time_text, lines: () => {
    const {delay, points} = has_ports ? latencies() : {delay: [0, 0], points: []};
    say_quantiles(delay, points);
    return [{name: "", color: "--accent", points}];
  }},
  rate: {text: count_text, bars: true,
         lines: () => each_visible(tag_rates)},
  busy: {text: percent_text, bars: true,
         lines: () => each_visible(busy_shares)},
};

function say_quantiles(delay, points) {
  const inside = points.filter(([t]) => t >= range[0] && t <= range[1]).map(x => x[1])
    .sort((a, b) => a - b);
  const at = q => time_text(inside[Math.min(inside.length - 1, Math.floor(q * inside.length))]);
  $("quantiles").textContent = inside.length === 0
    ? "no tag has values at both ports"
    : `${delay_text(delay)}${inside.length} tags; half of them within ${at(0.5)}, 99% within ${at(0.99)}, `
      + `all within ${at(1)}`;
}

// -- drawing ------------------------------------------------------------------

const margin = {left: 58, right: 8, top: 8, bottom: 22};

function steps(low, high, count) {
  const raw = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(x => x * power).find(x => x >= raw);
  const result = [];
  for (let i = Math.ceil(low / step); i * step <= high * (1 + 1e-9); ++i)
    result.push(i * step);
  return result;
}

function draw_chart(id) {
  const canvas = $(id), chart = charts[id];
  const w = canvas.clientWidth, h = canvas.clientHeight, scale = devicePixelRatio || 1;
  if (w === 0)
    return;
  canvas.width = w * scale;
  canvas.height = h * scale;
  const to = canvas.getContext("2d"), style = getComputedStyle(document.body);
  const paint = name => style.getPropertyValue(name);
  to.scale(scale, scale);
  to.font = "11px system-ui, sans-serif";
  chart.drawn = chart.lines();
  let low = 0, high = 0;
  for (const line of chart.drawn)
    for (const [t, y] of line.points)
      if (t >= range[0] && t <= range[1]) {
        low = Math.min(low, y);
        high = Math.max(high, y);
      }
  high = high > low ? high + (high - low) * 0.05 : low + 1e-9;
  const x_of = t => margin.left + (t - range[0]) / (range[1] - range[0]) * (w - margin.left - margin.right);
  const y_of = y => h - margin.bottom - (y - low) / (high - low) * (h - margin.top - margin.bottom);
  to.strokeStyle = paint("--grid");
  to.fillStyle = paint("--soft");
  to.lineWidth = 1;
  for (const y of steps(low, high, 4)) {
    to.beginPath();
    to.moveTo(margin.left, y_of(y));
    to.lineTo(w - margin.right, y_of(y));
    to.stroke();
    to.textAlign = "right";
    to.fillText(chart.text(y), margin.left - 6, y_of(y) + 4);
  }
  for (const t of steps(range[0], range[1], Math.max(3, w / 110))) {
    to.textAlign = "center";
    to.fillText(time_text(t), Math.min(x_of(t), w - 20), h - 6);
  }
  to.save();
  to.beginPath();
  to.rect(margin.left, 0, w - margin.left - margin.right, h);
  to.clip();
  for (const line of chart.drawn) {
    to.strokeStyle = to.fillStyle = paint(line.color);
    to.lineWidth = 1.4;
    to.beginPath();
    line.points.forEach(([t, y], i) =>
      i === 0 ? to.moveTo(x_of(t), y_of(y)) : to.lineTo(x_of(t), y_of(y)));
    to.stroke();
    if (!chart.bars && line.points.length < 2 * w)
      for (const [t, y] of line.points)
        to.fillRect(x_of(t) - 1.5, y_of(y) - 1.5, 3, 3);
  }
  if (drag && drag.id === id) {
    to.globalAlpha = 0.2;
    to.fillStyle = paint("--accent");
    to.fillRect(Math.min(drag.from, drag.to), 0, Math.abs(drag.to - drag.from), h - margin.bottom);
  }
  to.restore();
}

function draw() {
  $("range").textContent = `${time_text(range[0])} to ${time_text(range[1])} after the start`;
  Object.keys(charts).forEach(draw_chart);
}

// -- zooming ------------------------------------------------------------------

let drag = null;

const time_at = (canvas, x) => range[0]
  + (x - margin.left) / (canvas.clientWidth - margin.left - margin.right) * (range[1] - range[0]);

function set_range(from, to) {
  const low = Math.max(0, Math.min(from, to)), high = Math.min(end, Math.max(from, to));
  if (high - low > end * 1e-7)
    range = [low, high];
  draw();
}

function zoom(factor) {
  const middle = (range[0] + range[1]) / 2, half = (range[1] - range[0]) / 2 * factor;
  set_range(middle - half, middle + half);
}

function point_at(id, event) {
  const canvas = $(id), t = time_at(canvas, event.offsetX);
  let best = null;
  for (const line of charts[id].drawn)
    for (const [x, y] of line.points)
      if (best === null || Math.abs(x - t) < Math.abs(best.x - t))
        best = {x, y, name: line.name};
  canvas.parentElement.querySelector(".value").textContent = best === null ? ""
    : `${charts[id].text(best.y)} at ${time_text(best.x)}${best.name ? ", " + best.name : ""}`;
}

for (const id of Object.keys(charts)) {
  const canvas = $(id);
  canvas.onpointerdown = event => {
    drag = {id, from: event.offsetX, to: event.offsetX};
    canvas.setPointerCapture(event.pointerId);
  };
  canvas.onpointermove = event => {
    if (!drag)
      return point_at(id, event);
    drag.to = event.offsetX;
    draw_chart(id);
  };
  canvas.onpointerup = () => {
    const done = drag;
    drag = null;
    if (done && Math.abs(done.to - done.from) > 6)
      set_range(time_at(canvas, done.from), time_at(canvas, done.to));
    else
      draw_chart(id);
  };
  canvas.onpointercancel = () => {
    drag = null;
    draw_chart(id);
  };
  canvas.ondblclick = () => set_range(0, end);
}
$("closer").onclick = () => zoom(0.5);
$("farther").onclick = () => zoom(2);
$("whole").onclick = () => set_range(0, end);

// -- ports and nodes ----------------------------------------------------------

const all_ports = nodes.flatMap((node, i) => node.ports.map(
  (port, k) => ({value: `${i}/${k}`, text: `${node.name}.${port.name}`, port})));
const has_ports = all_ports.length > 0;
const first_output = all_ports.find(x => x.port.output && x.port.points.length > 0);
const last_input = all_ports.findLast(x => !x.port.output && x.port.points.length > 0);
for (const [id, first] of [["from", first_output], ["to", last_input]]) {
  for (const x of all_ports)
    $(id).append(el("option", {value: x.value}, x.text));
  if (first)
    $(id).value = first.value;
  $(id).onchange = draw;
}

function fill_table() {
  const sum = key => nodes.reduce((x, node) => x + node[key], 0);
  const columns = ["tags", "reactions", "in", "out"];
  const cells = x => [...columns.map(key => el("td", {}, String(x(key)))),
                      el("td", {}, time_text(x("busy") / 1e9))];
  const head = el("thead", {}, el("tr", {}, ...["node", ...columns, "time in code"].map(
    x => el("th", {scope: "col"}, x))));
  const body = el("tbody", {}, ...nodes.map((node, i) => {
    const box = el("input", {type: "checkbox", "aria-label": `plot ${node.name}`});
    box.checked = visible.has(i);
    box.onchange = () => {
      box.checked ? visible.add(i) : visible.delete(i);
      draw();
    };
    const swatch = el("i", {class: "swatch"});
    swatch.style.background = `var(${color_of.get(i)})`;
    return el("tr", {}, el("td", {}, el("label", {}, box, swatch, node.name)),
              ...cells(key => node[key]));
  }));
  const foot = el("tfoot", {}, el("tr", {}, el("td", {}, "total"), ...cells(sum)));
  $("nodes").replaceChildren(head, body, foot);
}

const notes = [];
if (!data.realtime)
  notes.push("The run did not wait for physical time, so that there is no lag.");
if (data.kept > 1)
  notes.push(`One of ${data.kept} tags is plotted; the sums of the nodes count all.`);
$("note").textContent = notes.join(" ");
$("note").hidden = notes.length === 0;
$("lag_card").hidden = !data.realtime;
fill_table();
draw();
addEventListener("resize", draw);
matchMedia("(prefers-color-scheme: dark)").onchange = draw;
