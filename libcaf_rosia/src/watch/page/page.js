// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

"use strict";

// -- elements -----------------------------------------------------------------
// The program's data becomes text nodes and attributes, never markup.

const $ = id => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== false)
      element.setAttribute(key, value === true ? "" : value);
  element.append(...children.flat().filter(x => x !== null && x !== undefined));
  return element;
}

const el = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// -- texts --------------------------------------------------------------------

function seconds_text(x) {
  if (x >= 60)
    return `${Math.floor(x / 60)}min ${Math.round(x % 60)}s`;
  if (x >= 1)
    return x.toFixed(x < 10 ? 2 : 1) + "s";
  return x >= 0.001 ? (x * 1000).toFixed(1) + "ms" : x > 0 ? (x * 1e6).toFixed(0) + "us" : "0";
}

function rate_text(x) {
  if (x === undefined)
    return "";
  if (x >= 10000)
    return (x / 1000).toFixed(0) + "k";
  if (x >= 1000)
    return (x / 1000).toFixed(1) + "k";
  return x >= 10 ? x.toFixed(0) : x > 0 ? x.toFixed(1) : "0";
}

const percent_text = x => x === undefined || isNaN(x) ? ""
  : (x * 100).toFixed(x < 0.1 ? 1 : 0) + "%";

const short = (text, length) =>
  text.length > length ? text.slice(0, length - 1) + "…" : text;

// -- state --------------------------------------------------------------------

/// The limits, in seconds, above which a node is marked. Those of the explanation.
const stuck_after = 1, late_after = 0.1;

let state = null;         // as last received
let shown = null;         // the number of the visible source
let graphs = new Map();   // by the number of the source
let rates = new Map();    // by source: {nodes: the rates of each, history}
let picked = null;        // the node with visible details
let folded = new Set();   // composites that are drawn as one box, by source and name
let asked_graph = "";

const source = () => state?.sources.find(x => x.number === shown);

function kind_of(node) {
  if (node.left || node.stage === "left" || node.stage === "lost" || node.stage === "vanished")
    return "left";
  if (node.running && node.running_for >= stuck_after || node.stage === "failed")
    return "stuck";
  if (node.lag >= late_after)
    return "late";
  return node.running ? "busy" : "";
}

/// Returns a short text about a node's activity, or what it waits for.
function activity_of(node) {
  if (node.left)
    return "has left";
  if (node.running)
    return `runs ${node.code} at ${node.code_tag} for ${seconds_text(node.running_for)}`;
  const at = node.port ? ` at ${node.port}` : "";
  switch (node.blocker) {
    case "none": return "ready";
    case "start": return "start() has not run";
    case "failure": return "has failed";
    case "input": return `waits${at} for ${node.waits_for}, bound ${node.bound}`;
    case "loop": return `waits${at} for ${node.waits_for} of its loop, bound ${node.bound}`;
    case "receiver": return `waits${at}: ${node.waits_for} has too much to execute`;
    case "sender": return `waits${at} for ${node.waits_for}, which may send physically`;
    case "agreement": return "waits for the final tag";
    case "clock": return `waits for ${node.bound}`;
    case "last_tag": return `waits at the last tag for ${node.waits_for}`;
    case "end": return "waits for the end";
    case "outside": return "waits for values from outside";
    default: return "busy, or no worker is free";
  }
}

/// Returns a node's rates per second between the last two reports of its process.
function rates_of(node, before) {
  if (node.counted_at === undefined)
    return {per_output: []};
  // The process has not reported new counts.
  if (before?.counted_at === node.counted_at)
    return before;
  const passed = node.counted_at - before?.counted_at;
  const rate = (value, old_value) =>
    value === undefined || old_value === undefined || !(passed > 0)
      ? undefined : Math.max(0, value - old_value) / passed;
  // Include the time of running code.
  const busy = node.busy + (node.running ? node.running_for : 0);
  return {
    counted_at: node.counted_at, written: node.written, reactions: node.reactions, busy,
    per_output: node.written.map((n, k) => rate(n, before?.written?.[k])),
    per_second: rate(node.reactions, before?.reactions),
    share: before === undefined ? undefined : Math.min(1, rate(busy, before.busy) ?? NaN),
  };
}

const sum_of = (xs, value) => xs.some(x => value(x) !== undefined)
  ? xs.reduce((sum, x) => sum + (value(x) ?? 0), 0) : undefined;

function take_rates(x) {
  const before = rates.get(x.number);
  const nodes = x.nodes.map((node, i) => rates_of(node, before?.nodes[i]));
  const now = {
    time: x.elapsed, lags: x.lags, lag: Math.max(0, ...x.nodes.map(n => n.lag)),
    per_second: sum_of(nodes, n => n.per_second),
  };
  // Keep the last minute. Drop entries from before a restart of the program.
  const history = (before?.history ?? []).filter(
    y => y.time < now.time && y.time >= now.time - 60);
  rates.set(x.number, {nodes, history: [...history, now]});
}

/// Returns a quantile of the lags of the last minute's tags. Interpolates linearly
/// between the bounds of the histogram.
function quantile_of_lag(x, quantile) {
  const first = rates.get(x.number)?.history[0];
  if (!first || first.time === x.elapsed)
    return undefined;
  const counts = x.lags.map((n, i) => n - (first.lags[i] ?? 0));
  const all = counts.reduce((a, b) => a + b, 0);
  if (all <= 0)
    return undefined;
  let left = quantile * all;
  for (let i = 0; i < counts.length; ++i) {
    if (left <= counts[i]) {
      const low = x.lag_bounds[i - 1] ?? 0, high = x.lag_bounds[i] ?? low;
      return low + (high - low) * left / counts[i];
    }
    left -= counts[i];
  }
  return x.lag_bounds.at(-1);
}

// -- the connection -----------------------------------------------------------

let socket = null, pause = 500, last_told = 0;

function connect() {
  const url = new URL("live", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.search = "";
  socket = new WebSocket(url);
  socket.onopen = () => {
    pause = 500;
    say("live", "live");
    fetch_log();
  };
  socket.onmessage = event => {
    last_told = Date.now();
    take(JSON.parse(event.data));
  };
  socket.onclose = () => {
    const since = last_told ? ` since ${new Date(last_told).toLocaleTimeString()}` : "";
    say("lost", state ? `no connection${since}` : "no connection");
    $("main").classList.add("stale");
    setTimeout(connect, pause);
    pause = Math.min(pause * 2, 5000);
  };
}

function say(kind, text) {
  $("link").className = "link " + kind;
  $("link").textContent = text;
}

async function fetch_json(path) {
  const answer = await fetch(path);
  if (!answer.ok)
    throw new Error(await answer.text());
  return answer.json();
}

async function fetch_log() {
  try {
    add_lines((await fetch_json("log.json")).log);
  } catch (e) {
    // The handler of `onclose` reports a lost connection.
  }
}

async function fetch_graphs(key) {
  if (asked_graph === key)
    return;
  asked_graph = key;
  try {
    for (const x of (await fetch_json("graph.json")).sources)
      graphs.set(x.number, x);
    drawn = "";
    draw();
  } catch (e) {
    asked_graph = "";
  }
}

function take(told) {
  state = told;
  $("main").classList.remove("stale");
  // Some lines are missing.
  const first = told.log[0]?.number;
  if (first !== undefined && first > last_line + 1 && last_line > 0)
    fetch_log();
  add_lines(told.log);
  for (const x of told.sources)
    if (x.kind === "application")
      take_rates(x);
  if (!source())
    shown = (told.sources.findLast(x => x.kind === "application") ?? told.sources.at(-1))?.number ?? null;
  const wanted = told.sources.filter(x => x.graph).map(x => x.number);
  if (wanted.some(x => !graphs.get(x)?.nodes.length))
    fetch_graphs(String(wanted));
  draw();
}

// -- drawing: all -------------------------------------------------------------

function draw() {
  draw_sources();
  const x = source();
  $("control").hidden = !state?.control;
  if (!x)
    return;
  const is_application = x.kind === "application";
  draw_facts(x);
  $("why").hidden = x.explanation.length === 0;
  $("chain").replaceChildren(...x.explanation.map(text => el("li", {}, text)));
  $("graph").hidden = !is_application || !graphs.get(x.number)?.nodes.length;
  $("table").hidden = false;
  $("phases").hidden = is_application || x.timeline.length === 0;
  if (is_application) {
    if (!$("graph").hidden)
      draw_graph(x);
    draw_nodes(x);
  } else {
    draw_parts(x);
    draw_timeline(x);
  }
  const process = x.process ? `, process ${x.process}` : "";
  set_text($("program"), state.program);
  set_text($("place"), `on ${state.host}${process}, pid ${state.pid}`);
  document.title = `${state.program} on ${state.host}${process}: ${x.stage}`;
}

function draw_sources() {
  const all = state?.sources ?? [];
  const counts = {};
  $("sources").replaceChildren(...(all.length < 2 ? [] : all.map(x => {
    counts[x.kind] = (counts[x.kind] ?? 0) + 1;
    const several = all.filter(y => y.kind === x.kind).length > 1;
    const button = el("button", {"aria-pressed": String(x.number === shown)},
                      several ? `${x.kind} ${counts[x.kind]}` : x.kind);
    button.onclick = () => {
      shown = x.number;
      picked = null;
      drawn = "";
      draw();
    };
    return button;
  })));
}

/// Draws the last minute of a value as a line.
function sparkline(history, value, text) {
  const points = history.filter(x => value(x) !== undefined);
  if (points.length < 2)
    return null;
  const end = points.at(-1).time, high = Math.max(1e-9, ...points.map(value));
  const d = points.map(x => `${((x.time - end) / 60 * 100 + 100).toFixed(1)},`
    + `${(19 - value(x) / high * 18).toFixed(1)}`).join(" ");
  return svg("svg", {class: "spark", viewBox: "0 0 100 20", preserveAspectRatio: "none",
                     role: "img", "aria-label": `the last minute, up to ${text(high)}`},
             svg("polyline", {points: d}));
}

function draw_facts(x) {
  const facts = [];
  const add = (name, value, kind = "", picture = null) => facts.push(
    el("div", {class: "fact " + kind}, el("span", {}, name), el("b", {}, value), picture));
  add("stage", x.stage, x.stage === "aborted" ? "bad" : "");
  add(x.kind === "shutdown" ? "since it began" : "since the start", seconds_text(x.elapsed));
  if (x.kind === "application") {
    const left = x.nodes.filter(n => kind_of(n) === "left").length;
    add("nodes", left > 0 ? `${x.nodes.length}, ${left} left` : x.nodes.length);
    const {nodes: all, history} = rates.get(x.number) ?? {nodes: [], history: []};
    if (x.realtime) {
      const lag = Math.max(0, ...x.nodes.map(n => n.lag));
      add("largest lag", seconds_text(lag), lag >= late_after ? "bad" : "",
          sparkline(history, y => y.lag, seconds_text));
      const p99 = quantile_of_lag(x, 0.99);
      const most = Math.max(lag, ...x.nodes.map(n => n.lag_max ?? 0));
      add("lag, last minute", p99 === undefined ? `max ${seconds_text(most)}`
          : `99% ${seconds_text(Math.min(p99, most))}, max ${seconds_text(most)}`);
      if (x.late !== null)
        add("late tags", x.late, x.late > 0 ? "bad" : "");
    }
    const per_second = sum_of(all, n => n.per_second);
    if (per_second !== undefined)
      add("reactions per second", rate_text(per_second), "",
          sparkline(history, y => y.per_second, rate_text));
    const share = sum_of(all, n => n.share);
    if (share !== undefined && !isNaN(share))
      add("processors in code", share.toFixed(2));
    if (x.final)
      add("final tag", x.final);
  } else {
    add("participants left", x.count);
    add("unread messages", x.dead_letters);
  }
  add("actors", x.actors);
  for (const process of x.processes ?? [])
    if (process.problem)
      add(`process ${process.name}`, process.text, "bad wide");
  if (x.reason)
    add("reason", x.reason, "wide");
  $("facts").replaceChildren(...facts);
}

// -- drawing: the graph -------------------------------------------------------

const box = {width: 168, height: 56, gap: 34, layer: 96};

const margin = {x: 14, y: 26};   // between a composite's frame and its boxes

/// Returns the boxes of a graph: nodes, and composites with the boxes in them. A folded
/// composite has no boxes. The names of nodes in composites have dots.
function boxes_of(graph, number) {
  const root = {inner: [], pairs: []}, composites = new Map(), at = [];
  graph.nodes.forEach((node, i) => {
    let outer = root;
    for (let dot = node.name.indexOf("."); dot >= 0 && outer.inner;
         dot = node.name.indexOf(".", dot + 1)) {
      const name = node.name.slice(0, dot);
      if (!composites.has(name)) {
        const key = `${number} ${name}`;
        composites.set(name, {name, key, outer, index: outer.inner.length, nodes: [],
                              inner: folded.has(key) ? undefined : [], pairs: []});
        outer.inner.push(composites.get(name));
      }
      outer = composites.get(name);
      outer.nodes.push(i);
    }
    at[i] = outer;
    if (outer.inner) {
      at[i] = {name: node.name, outer, index: outer.inner.length, nodes: [i]};
      outer.inner.push(at[i]);
    }
  });
  for (const c of graph.connections)
    if (at[c.source] !== at[c.target]) {
      const [from, to] = siblings(at[c.source], at[c.target]);
      from.outer.pairs.push([from.index, to.index]);
    }
  return {root, at, composites: [...composites.values()]};
}

/// Returns the boxes at the ends of a connection that are inside of the same composite.
function siblings(from, to) {
  const path = x => x.outer ? [...path(x.outer), x] : [];
  const xs = path(from), ys = path(to);
  let i = 0;
  while (i + 1 < Math.min(xs.length, ys.length) && xs[i] === ys[i])
    ++i;
  return [xs[i], ys[i]];
}

/// Sets the places of all boxes within a composite, relative to its frame, and its size.
function place_boxes(outer, upright) {
  for (const x of outer.inner) {
    if (x.inner)
      place_boxes(x, upright);
    else
      Object.assign(x, {width: box.width, height: box.height});
  }
  const {at, stops} = lay_out(outer.inner, outer.pairs, upright);
  const low = key => at.reduce((least, p) => Math.min(least, p[key]), Infinity);
  const x = low("x") - margin.x, y = low("y") - margin.y;
  at.forEach(p => Object.assign(p, {x: p.x - x, y: p.y - y}));
  outer.inner.forEach((inner, i) => Object.assign(inner, at[i]));
  outer.stops = new Map([...stops].map(([key, ids]) => [key, ids.map(id => at[id])]));
  const high = (key, size) => at.reduce((most, p) => Math.max(most, p[key] + p[size]), 0);
  outer.width = high("x", "width") + margin.x;
  outer.height = high("y", "height") + margin.x;
}

/// Makes places within composites absolute.
function move_boxes(outer, x, y) {
  for (const stop of [...outer.stops.values()].flat())
    Object.assign(stop, {x: stop.x + x, y: stop.y + y});
  for (const inner of outer.inner) {
    Object.assign(inner, {x: inner.x + x, y: inner.y + y});
    if (inner.inner)
      move_boxes(inner, inner.x, inner.y);
  }
}

/// Puts boxes into layers along the connections between them, and orders each layer by the
/// neighbours in the previous one.
/// @param pairs the indices of connected boxes.
function lay_out(sizes, pairs, upright) {
  const count = sizes.length;
  const out = Array.from({length: count}, () => []);
  for (const [from, to] of pairs)
    if (from !== to)
      out[from].push(to);
  // Ignore connections that close a loop.
  const mark = new Uint8Array(count), order = [];
  const forward = Array.from({length: count}, () => []);
  for (let root = 0; root < count; ++root) {
    if (mark[root])
      continue;
    const path = [[root, 0]];
    mark[root] = 1;
    while (path.length > 0) {
      const top = path.at(-1);
      const next = out[top[0]][top[1]++];
      if (next === undefined) {
        mark[top[0]] = 2;
        order.push(top[0]);
        path.pop();
      } else if (mark[next] !== 1) {
        forward[top[0]].push(next);
        if (mark[next] === 0) {
          mark[next] = 1;
          path.push([next, 0]);
        }
      }
    }
  }
  order.reverse();
  const layer = Array(count).fill(0);
  for (const node of order)
    for (const next of forward[node])
      layer[next] = Math.max(layer[next], layer[node] + 1);
  // A connection over several layers gets a place in each of them.
  const stops = new Map();
  for (let node = 0; node < count; ++node)
    forward[node] = forward[node].map(next => {
      const key = `${node} ${next}`;
      if (layer[next] === layer[node] + 1 || stops.has(key))
        return stops.get(key)?.[0] ?? next;
      const ids = [];
      for (let i = layer[node] + 1; i < layer[next]; ++i) {
        ids.push(layer.length);
        order.push(layer.length);
        forward[layer.length] = [next];
        layer.push(i);
      }
      ids.slice(1).forEach((id, i) => forward[ids[i]] = [id]);
      stops.set(key, ids);
      return ids[0];
    });
  const layers = [];
  for (const node of order)
    (layers[layer[node]] ??= []).push(node);
  const before = Array.from({length: layer.length}, () => []);
  forward.forEach((all, node) => all.forEach(next => before[next].push(node)));
  const place = new Float64Array(layer.length);
  const set_places = row => row.forEach((node, i) => place[node] = i - (row.length - 1) / 2);
  const sort = (row, neighbours) => {
    const mean = node => neighbours[node].length === 0
      ? place[node]
      : neighbours[node].reduce((sum, x) => sum + place[x], 0) / neighbours[node].length;
    const means = new Map(row.map(node => [node, mean(node)]));
    row.sort((x, y) => means.get(x) - means.get(y));
    set_places(row);
  };
  layers.forEach(set_places);
  for (let round = 0; round < 4; ++round) {
    layers.forEach(row => sort(row, before));
    layers.toReversed().forEach(row => sort(row, forward));
  }
  // Split a very wide layer into several rows.
  const most = upright ? Math.max(3, Math.ceil(Math.sqrt(count) / 2)) : Math.max(30, 2 * Math.ceil(Math.sqrt(count)));
  const at = [];
  const [along, across] = upright ? ["height", "width"] : ["width", "height"];
  let offset = 0;
  for (const row of layers) {
    for (let i = 0; i < row.length; i += most) {
      const part = row.slice(i, i + most);
      const size = id => sizes[id] ?? box;
      const longest = part.reduce((most, id) => Math.max(most, size(id)[along]), 0);
      let side = -part.reduce((sum, id) => sum + size(id)[across] + box.gap, -box.gap) / 2;
      for (const id of part) {
        const {width, height} = size(id);
        at[id] = upright ? {x: side, y: offset, width, height} : {x: offset, y: side, width, height};
        if (id >= count)   // a stop
          at[id][along] = longest;
        side += at[id][across] + box.gap;
      }
      offset += longest + (upright ? 64 : box.layer);
    }
  }
  return {at, stops};
}

let drawn = "";      // identifies the graph of the elements below
let boxes = [], lines = [];   // the elements, with the indices of nodes and connections
let view = null;     // x, y, width, height of the visible part
let extent = null;

const is_upright = () => innerWidth < 700;

function draw_graph(x) {
  const graph = graphs.get(x.number);
  const key = `${x.number} ${is_upright()}`;
  if (drawn !== key) {
    drawn = key;
    make_graph(graph, x.number);
  }
  const rate = rates.get(x.number)?.nodes ?? [];
  for (const {group, first, second, nodes, composite} of boxes) {
    const shown = nodes.filter(i => x.nodes[i]);
    if (shown.length === 0)
      continue;
    const worst = shown.reduce((a, b) =>
      rank[kind_of(x.nodes[b])] < rank[kind_of(x.nodes[a])] ? b : a);
    const node = x.nodes[worst];
    set_class(group, "n " + kind_of(node) + (composite ? " composite" : "")
      + (shown.includes(picked) ? " picked" : ""));
    set_text(first, composite ? `${nodes.length} nodes`
             : node.logical || (node.running ? node.code_tag : ""));
    set_text(second, composite && kind_of(node) !== "" && kind_of(node) !== "busy"
             ? short(node.name.slice(composite.length + 1), 24) : node_line(node));
  }
  const waits = new Map(x.nodes.filter(n => n.waits_for && kind_of(n) !== "" && !n.running)
    .map(n => [n.name, n.waits_for]));
  for (const line of lines) {
    const all = line.connections.map(i => graph.connections[i]);
    const value = sum_of(all, c => rate[c.source]?.per_output[c.output]);
    const is_cause = all.some(c => {
      const from = graph.nodes[c.source];
      return waits.get(graph.nodes[c.target].name) === `${from.name}.${from.outputs[c.output]}`;
    });
    const near = all.some(c => picked === c.source || picked === c.target);
    set_class(line.group, line.kind + (is_cause ? " waits" : near ? " near" : ""));
    set_text(line.label, value > 0 || near ? rate_text(value) : "");
  }
  draw_picked(x);
}

function set_class(element, value) {
  if (element.getAttribute("class") !== value)
    element.setAttribute("class", value);
}

function set_text(element, value) {
  if (element.textContent !== value)
    element.textContent = value;
}

function node_line(node) {
  const parts = [];
  if (node.left)
    return "has left";
  if (node.running && node.running_for >= stuck_after)
    return short(`${node.code} for ${seconds_text(node.running_for)}`, 23);
  if (node.lag >= late_after)
    parts.push(`lag ${seconds_text(node.lag)}`);
  if (node.queued > 0)
    parts.push(`queue ${node.queued}`);
  if (node.waits_for && node.lag >= late_after)
    parts.push(`← ${node.waits_for}`);
  return short(parts.join(", "), 24);
}

/// Makes an element that a click or a key acts on.
function button(attributes, act, ...children) {
  const group = svg("g", {tabindex: 0, role: "button", ...attributes}, ...children);
  group.onclick = act;
  group.onkeydown = event => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      act();
    }
  };
  return group;
}

/// Folds a composite, or shows the boxes in it.
function fold(key) {
  if (!folded.delete(key))
    folded.add(key);
  drawn = "";
  draw();
}

function make_line(graph, from, to, connections, upright) {
  const w = box.width;
  let d, at;
  if (from === to) {
    d = `M${from.x + w * .8},${from.y} c10,-42 -${w * .6 + 20},-42 -${w * .6},0`;
    at = [from.x + w / 2, from.y - 32];
  } else {
    const [x, y] = siblings(from, to);
    const middle = (x.outer.stops.get(`${x.index} ${y.index}`) ?? [])
      .flatMap(p => upright
        ? [[p.x + w / 2, p.y], [p.x + w / 2, p.y + p.height]]
        : [[p.x, p.y + p.height / 2], [p.x + p.width, p.y + p.height / 2]]);
    const points = upright
      ? [[from.x + w / 2, from.y + from.height], ...middle, [to.x + w / 2, to.y]]
      : [[from.x + w, from.y + from.height / 2], ...middle, [to.x, to.y + to.height / 2]];
    d = `M${points[0]}`;
    for (let i = 1; i < points.length; ++i) {
      const [[x1, y1], [x2, y2]] = [points[i - 1], points[i]];
      const back = upright ? y2 < y1 : x2 < x1;
      const bend = Math.abs(upright ? y2 - y1 : x2 - x1) / 2 + (back ? 40 : 0);
      d += upright ? ` C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}`
                   : ` C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`;
    }
    at = [(points[0][0] + points[1][0]) / 2, (points[0][1] + points[1][1]) / 2];
  }
  const all = connections.map(i => graph.connections[i]);
  const c = all[0];
  const kind = "e" + (c.loop ? " loop" : c.physical ? " physical" : c.delay ? " delay" : "");
  const name = all.map(c => `${graph.nodes[c.source].name}.${graph.nodes[c.source].outputs[c.output]} to `
    + `${graph.nodes[c.target].name}.${graph.nodes[c.target].inputs[c.input]}`
    + (c.physical ? ", physical" : c.delay ? `, after ${c.delay}` : "")
    + (c.maxwait ? `, maxwait ${c.maxwait}` : "")).join("\n");
  const label = svg("text", {x: at[0], y: at[1] - 4, "text-anchor": "middle"});
  const group = svg("g", {class: kind}, svg("path", {d, "marker-end": "url(#tip)"}), label,
                    svg("title", {}, name));
  return {group, label, kind, connections};
}

function make_box(graph, x) {
  const first = svg("text", {x: 9, y: 33, class: "small"});
  const second = svg("text", {x: 9, y: 48});
  const place = {class: "n", transform: `translate(${x.x},${x.y})`};
  const name = short(x.name.slice(x.name.lastIndexOf(".") + 1), 22);
  const children = [svg("rect", {width: x.width, height: x.height, rx: 7}),
                    svg("text", {x: 9, y: 18, class: "name"}, name), first, second];
  if (x.key)
    return {first, second, nodes: x.nodes, composite: x.name, group: button(
      {...place, "aria-expanded": "false"}, () => fold(x.key), ...children,
      svg("title", {}, `composite ${x.name}: a click shows its nodes`))};
  const node = graph.nodes[x.nodes[0]];
  return {first, second, nodes: x.nodes, group: button(
    place, () => pick(x.nodes[0]), ...children,
    svg("title", {}, node.name + (node.process ? ` in ${node.process}` : "")))};
}

/// Makes the frame of a composite that is not folded.
const make_frame = x => button(
  {class: "frame", "aria-expanded": "true", transform: `translate(${x.x},${x.y})`},
  () => fold(x.key),
  svg("rect", {width: x.width, height: x.height, rx: 9}),
  svg("text", {x: 9, y: 17}, short(x.name.slice(x.name.lastIndexOf(".") + 1), x.width / 8)),
  svg("title", {}, `composite ${x.name}: a click folds it`));

function make_graph(graph, number) {
  const upright = is_upright();
  const {root, at, composites} = boxes_of(graph, number);
  place_boxes(root, upright);
  move_boxes(root, 0, 0);
  // A folded composite has one line to each other box.
  const together = new Map();
  graph.connections.forEach((c, i) => {
    const from = at[c.source], to = at[c.target];
    if (from === to && from.key)
      return;
    const key = from.key || to.key ? `${from.nodes[0]} ${to.nodes[0]}` : i;
    if (!together.has(key))
      together.set(key, {from, to, connections: []});
    together.get(key).connections.push(i);
  });
  lines = [...together.values()].map(
    x => make_line(graph, x.from, x.to, x.connections, upright));
  boxes = [...new Set(at)].map(x => make_box(graph, x));
  const frames = composites.filter(x => x.inner).map(make_frame);
  extent = {x: -16, y: -19, width: root.width + 32, height: root.height + 35};
  view = {...extent};
  const tip = svg("marker", {id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8,
                             markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto"},
                  svg("path", {d: "M0,0.5 L8,4 L0,7.5 z"}));
  $("canvas").replaceChildren(svg("svg", {"aria-label": "the graph"}, svg("defs", {}, tip),
    frames, lines.map(x => x.group), boxes.map(x => x.group)));
  show_whole();
}

/// Sets the height that the graph needs.
function set_height() {
  const scale = Math.min(1.1, $("canvas").clientWidth / extent.width);
  const height = Math.min(Math.max(extent.height * Math.max(scale, 0.42), 170), innerHeight * 0.6);
  $("canvas").style.height = `${Math.round(height)}px`;
}

/// Shows the whole graph, but not larger than its natural size or too small to read.
function show_whole() {
  set_height();
  const {clientWidth: w, clientHeight: h} = $("canvas");
  const scale = Math.min(1.1, Math.max(0.42, Math.min(w / extent.width, h / extent.height)));
  view = {width: w / scale, height: h / scale};
  view.x = extent.width * scale <= w ? extent.x - (view.width - extent.width) / 2
         : is_upright() ? extent.x + (extent.width - view.width) / 2 : extent.x;
  view.y = extent.height * scale <= h ? extent.y - (view.height - extent.height) / 2
         : is_upright() ? extent.y : extent.y + (extent.height - view.height) / 2;
  apply_view();
}

function show_all() {
  const {clientWidth: w, clientHeight: h} = $("canvas");
  const scale = Math.min(1.1, w / extent.width, h / extent.height);
  view = {width: w / scale, height: h / scale};
  view.x = extent.x - (view.width - extent.width) / 2;
  view.y = extent.y - (view.height - extent.height) / 2;
  apply_view();
}

const apply_view = () => $("canvas").firstElementChild?.setAttribute(
  "viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);

function zoom(factor, x = view.x + view.width / 2, y = view.y + view.height / 2) {
  view = {x: x - (x - view.x) * factor, y: y - (y - view.y) * factor,
          width: view.width * factor, height: view.height * factor};
  apply_view();
}

function prepare_canvas() {
  const canvas = $("canvas");
  let last = null;
  const scale = () => view.width / canvas.clientWidth;
  canvas.onwheel = event => {
    if (!view || !(event.ctrlKey || event.metaKey || event.shiftKey))
      return;
    event.preventDefault();
    const area = canvas.getBoundingClientRect();
    zoom(event.deltaY > 0 || event.deltaX > 0 ? 1.2 : 1 / 1.2,
         view.x + (event.clientX - area.x) * scale(), view.y + (event.clientY - area.y) * scale());
  };
  canvas.onpointerdown = event => last = {x: event.clientX, y: event.clientY, moved: 0};
  canvas.onpointermove = event => {
    if (!last || !view)
      return;
    const dx = event.clientX - last.x, dy = event.clientY - last.y;
    const moved = last.moved + Math.abs(dx) + Math.abs(dy);
    if (moved > 4 && !canvas.classList.contains("drag")) {
      canvas.classList.add("drag");
      canvas.setPointerCapture(event.pointerId);
    }
    view.x -= dx * scale();
    view.y -= dy * scale();
    last = {x: event.clientX, y: event.clientY, moved};
    apply_view();
  };
  canvas.onpointerup = canvas.onpointercancel = () => {
    last = null;
    canvas.classList.remove("drag");
  };
  $("closer").onclick = () => view && zoom(1 / 1.3);
  $("farther").onclick = () => view && zoom(1.3);
  $("whole").onclick = () => view && show_all();
}

function pick(i) {
  picked = picked === i ? null : i;
  draw();
}

function draw_picked(x) {
  const node = x.nodes[picked];
  $("node").hidden = !node;
  if (!node)
    return;
  const rows = [];
  const add = (name, value) => {
    if (value !== "" && value !== undefined)
      rows.push(el("dt", {}, name), el("dd", {}, String(value)));
  };
  const rate = rates.get(x.number)?.nodes[picked];
  const described = graphs.get(x.number).nodes[picked];
  add("does", activity_of(node));
  add("process", node.process);
  add("executed with", node.group);
  add("stage", node.stage);
  add("logical time", node.logical);
  add("next tag", node.next);
  add("STAT", node.stat);
  add("behind", x.realtime ? seconds_text(node.lag) : "");
  add("queued", node.queued);
  add("last code", node.running ? "" : node.code && `${node.code} at ${node.code_tag}`);
  add("pieces of code", node.reactions === undefined ? ""
      : `${node.reactions}, ${rate_text(rate?.per_second) || "0"} per second`);
  add("busy", percent_text(rate?.share));
  for (const missed of node.missed_deadlines)
    add(`missed by ${missed.reaction}`, `${missed.count} deadlines`);
  for (const dropped of node.dropped_by_spacing)
    add(`dropped by ${dropped.action}`, `${dropped.count} values`);
  for (const tardy of node.tardy_values)
    add(`tardy at ${tardy.input}`, `${tardy.count} values`);
  for (const mode of node.modes)
    add(`mode ${mode.name}`, `${mode.active ? "active" : "not active"}, entered ${mode.count} times`);
  for (const dog of node.watchdogs)
    add(`watchdog ${dog.name}`,
        `${dog.expiry ? `expires at ${dog.expiry}` : "does not run"}, expired ${dog.count} times`);
  described.outputs.forEach((name, k) =>
    add(`output ${name}`, node.written === undefined ? ""
        : `${node.written[k]} values, ${rate_text(rate?.per_output[k]) || "0"} per second`));
  $("node").replaceChildren(el("b", {}, node.name), el("dl", {}, rows));
}

// -- drawing: tables ----------------------------------------------------------

/// @param rows arrays of cells, with the class and the click handler of the row.
function draw_table(names, rows) {
  const text = $("find").value.toLowerCase();
  const found = rows.filter(x => x.name.toLowerCase().includes(text));
  const head = el("thead", {}, el("tr", {}, names.map((x, i) => el(
    "th", {scope: "col", class: rows[0]?.cells[i].kind}, x))));
  const body = el("tbody", {}, found.slice(0, 300).map(x => {
    const row = el("tr", {class: x.kind, tabindex: x.open ? 0 : undefined}, x.cells.map(
      (c, i) => el("td", {class: c.kind, "data-title": names[i]}, String(c.text))));
    if (x.open) {
      row.onclick = x.open;
      row.onkeydown = event => event.key === "Enter" && x.open();
    }
    return row;
  }));
  const focused = [...$("rows").querySelectorAll("tbody tr")].indexOf(document.activeElement);
  $("rows").replaceChildren(head, body);
  if (focused >= 0)
    body.children[focused]?.focus({preventScroll: true});
  return found.length;
}

const rank = {stuck: 0, late: 1, busy: 2, "": 3, left: 4};

function draw_nodes(x) {
  const rate = rates.get(x.number)?.nodes ?? [];
  const rows = x.nodes.map((node, i) => ({
    name: node.name, kind: kind_of(node), lag: node.lag, open: () => {
      picked = i;
      draw();
      $("node").scrollIntoView({block: "nearest"});
    },
    cells: [
      {kind: "name", text: node.name},
      {kind: "number", text: node.logical || "–"},
      {kind: "number", text: x.realtime ? seconds_text(node.lag) : "–"},
      {kind: "number", text: node.queued},
      {kind: "number", text: rate_text(rate[i]?.per_second) || "–"},
      {kind: "number", text: percent_text(rate[i]?.share) || "–"},
      {kind: "text", text: activity_of(node)},
    ],
  }));
  // Keep the order of nodes that are neither stuck nor late.
  const wrong = y => y.kind === "stuck" || y.kind === "late" ? rank[y.kind] : 2;
  rows.sort((a, b) => wrong(a) - wrong(b) || (wrong(a) < 2 ? b.lag - a.lag : 0));
  const count = draw_table(["node", "logical time", "lag", "queue", "per second", "busy", "does"], rows);
  set_text($("table_title"), count > 300 ? `Nodes: the first 300 of ${count}` : "Nodes");
}

function draw_parts(x) {
  draw_table(["participant", "kind", "phase", "state", "since", ""], x.parts.map(part => ({
    name: part.name, kind: part.state === "failed" || part.state === "aborted" ? "stuck" : "",
    cells: [
      {kind: "name", text: part.name}, {kind: "", text: part.kind}, {kind: "", text: part.phase},
      {kind: "", text: part.state}, {kind: "number", text: part.state === "running" ? "–" : seconds_text(part.since)},
      {kind: "text", text: part.text},
    ],
  })));
  set_text($("table_title"), x.count > x.parts.length
    ? `Participants: the first ${x.parts.length} of ${x.count}` : "Participants");
}

function draw_timeline(x) {
  const end = Math.max(0.001, ...x.timeline.map(y => y.end));
  $("timeline").replaceChildren(...x.timeline.map(y => {
    const kind = (y.kind === "phase" ? "phase " : "") + (y.aborted ? "aborted" : y.over ? "" : "open");
    const bar = svg("rect", {x: y.begin / end * 1000, y: 2, height: 10, rx: 2,
                             width: Math.max(3, (y.end - y.begin) / end * 1000)});
    return el("div", {class: "row " + kind},
      el("span", {}, y.kind === "phase" ? y.name : `${y.name} (${y.kind})`),
      svg("svg", {viewBox: "0 0 1000 14", preserveAspectRatio: "none", "aria-hidden": "true"}, bar),
      el("span", {}, seconds_text(y.end - y.begin) + (y.over ? "" : " …")));
  }));
}

// -- the log ------------------------------------------------------------------

const levels = ["trace", "debug", "info", "warning", "error", "critical"];
const most_lines = 2000;
let log_lines = [], last_line = 0;

function add_lines(told) {
  // A restarted program counts from 1 again.
  if (told.length > 0 && told.at(-1).number < last_line - most_lines)
    log_lines = [];
  const known = new Set(log_lines.map(x => x.number + " " + x.time));
  const more = told.filter(x => !known.has(x.number + " " + x.time));
  if (more.length === 0)
    return;
  log_lines = [...log_lines, ...more].sort((x, y) => x.time - y.time || x.number - y.number)
    .slice(-most_lines);
  last_line = log_lines.at(-1).number;
  draw_log();
}

function draw_log() {
  const text = $("filter").value.toLowerCase();
  const least = levels.indexOf($("level").value);
  const wanted = log_lines.filter(
    x => levels.indexOf(x.level) >= least
         && (text === "" || `${x.logger} ${x.text}`.toLowerCase().includes(text)));
  $("log").replaceChildren(...wanted.slice(-500).map(x => {
    const when = new Date(x.time);
    const clock = when.toLocaleTimeString([], {hour12: false}) + "."
      + String(when.getMilliseconds()).padStart(3, "0");
    return el("div", {class: x.level}, el("span", {class: "when"}, clock + " "),
              `${x.level.padEnd(8)} ${x.logger}: ${x.text}`);
  }));
  if ($("follow").checked)
    $("log").scrollTop = $("log").scrollHeight;
}

// -- control ------------------------------------------------------------------

async function control(command, done) {
  try {
    const answer = await fetch("control/" + command, {method: "POST"});
    $("answer").textContent = answer.ok ? done : await answer.text();
  } catch (e) {
    $("answer").textContent = "no connection";
  }
}

// -- the start ----------------------------------------------------------------

prepare_canvas();
$("filter").oninput = $("level").onchange = $("follow").onchange = draw_log;
$("find").oninput = draw;
$("report").onclick = () => control("report", "the report is in the log");
$("end").onclick = () => confirm("Request an end, as a signal does?")
  && control("end", "an end is requested");
let width = innerWidth;
addEventListener("resize", () => {
  if (width !== innerWidth) {
    width = innerWidth;
    drawn = "";
    draw();
  }
});
connect();
