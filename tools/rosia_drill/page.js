// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

"use strict";

// -- elements -----------------------------------------------------------------
// All that the report says becomes text nodes and attributes, never markup.

const svg_space = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key === "on") {
      for (const [event, handler] of Object.entries(value))
        element.addEventListener(event, handler);
    } else if (value === true) {
      element.setAttribute(key, "");
    } else if (value !== undefined && value !== null && value !== false) {
      element.setAttribute(key, value);
    }
  }
  element.append(...children.flat(3).filter(x => x !== null && x !== undefined));
  return element;
}

const el = (tag, attributes, ...children) =>
  fill(document.createElement(tag), attributes, children);

const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS(svg_space, tag), attributes, children);

/// A name from a foreign source, isolated so that it cannot change the
/// direction of the text around it.
const name_of = text => el("bdi", {}, String(text));

const signs = {held: "✓", failed: "✗", "not-run": "–"};

const mark = state => el("span", {class: "mark " + state, "aria-hidden": "true"}, signs[state]);

// -- texts --------------------------------------------------------------------

const units = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];

const list = x => Array.isArray(x) ? x : [];

const is_number = x => typeof x === "number" && isFinite(x);

function plural(count, one, many) {
  return `${count} ${count === 1 ? one : many ?? one + "s"}`;
}

/// Formats a duration, by default with four digits, which is readable.
function duration_text(ns, digits = 4) {
  if (!is_number(ns))
    return "";
  if (Math.abs(ns) >= 60e9) {
    const seconds = Math.round(Math.abs(ns) / 1e9);
    return `${ns < 0 ? "−" : ""}${Math.floor(seconds / 60)}min ${seconds % 60}s`;
  }
  const [size, unit]
    = units.find(([size]) => Math.abs(ns) >= size) ?? units[ns === 0 ? 0 : 3];
  return Number((ns / size).toPrecision(digits)) + unit;
}

/// Formats a tag as the library does in logs: without rounding.
function tag_text(tag) {
  if (!Array.isArray(tag) || !is_number(tag[0]))
    return "";
  const [ns, microstep] = tag;
  let text = "0s";
  if (ns !== 0) {
    const [size, unit] = units.find(([size]) => Math.abs(ns) >= size) ?? units[3];
    text = Math.trunc(ns / size) + "";
    const rest = Math.abs(ns % size);
    if (rest !== 0)
      text += "." + String(size + rest).slice(1).replace(/0+$/, "");
    text += unit;
  }
  return microstep ? `${text}+${microstep}` : text;
}

function status_text(status) {
  const text = String(status ?? "");
  return /^\d+$/.test(text) ? "status " + text : text;
}

/// Returns readable positions for the marks of an axis, with their labels.
function ticks_of(from, to, count) {
  const rough = (to - from) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(x => x * power >= rough);
  const [size, unit]
    = units.find(([size]) => Math.max(Math.abs(from), Math.abs(to)) >= size)
      ?? units[3];
  const digits = Math.max(0, Math.min(9, -Math.floor(Math.log10(step / size) + 1e-9)));
  const result = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; ++i)
    result.push(
      {at: i * step, text: i === 0 ? "0" : (i * step / size).toFixed(digits) + unit});
  return result;
}

const ruler = document.createElement("canvas").getContext("2d");

/// The fonts of the timeline, as in its style sheet.
const font = style => style + " system-ui, 'DejaVu Sans', sans-serif";
const fonts = {
  label: font("11px"), bold: font("600 11px"), name: font("12px"), title: font("600 12px")};

function width_of(text, style = fonts.label) {
  ruler.font = style;
  return ruler.measureText(text).width;
}

/// Truncates a text between characters to a width.
function fitting(text, width, style) {
  const all = Array.from(text.slice(0, 400));
  if (text.length <= 400 && width_of(text, style) <= width)
    return text;
  let low = 0, high = all.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (width_of(all.slice(0, middle).join("") + "…", style) <= width)
      low = middle;
    else
      high = middle - 1;
  }
  return low === 0 ? "" : all.slice(0, low).join("").trimEnd() + "…";
}

// -- kinds of events ----------------------------------------------------------

const kinds = {
  fault: {title: "Fault", many: "faults", rank: 0},
  end: {title: "End", many: "ends", rank: 1},
  step: {title: "Protocol", many: "steps of the protocol", rank: 2},
  log: {title: "Log", many: "log lines", rank: 3},
};

const kind_of = event => kinds[event.kind] ? event.kind : "log";

/// Returns the shape of a kind of event in the timeline, in its legend and in
/// the table. Kinds differ in shape, not only in colour.
function shape(kind, x, y, size = 5) {
  const css = {class: "k-" + kind};
  if (kind === "fault")
    return svg("path", {
      ...css,
      d: `M${x + 1} ${y - size - 2}L${x - size} ${y + 1}H${x - .5}L${x - 1} ${y + size + 2}`
         + `L${x + size} ${y - 1}H${x + .5}Z`,
      "stroke-width": .8});
  if (kind === "end")
    return svg("rect", {
      ...css, x: x - size + 1, y: y - size + 1, width: 2 * size - 2,
      height: 2 * size - 2});
  if (kind === "step")
    return svg("circle", {...css, cx: x, cy: y, r: size - .5, "stroke-width": 2});
  return svg("path", {...css, d: diamond(x, y)});
}

const diamond = (x, y) => `M${x} ${y - 3}l3 3l-3 3l-3 -3Z`;

const sign = kind => svg(
  "svg", {viewBox: "0 0 16 16", "aria-hidden": "true"}, shape(kind, 8, 8));

// -- the steps of a node ------------------------------------------------------

/// Returns the number of tags that a node had executed at this step of its
/// lane.
const number_of = (lane, i) => is_number(lane.steps[i][3]) ? lane.steps[i][3] : i + 1;

/// Returns the number of tags that a node executed. The report may have fewer
/// steps.
const tags_of = lane => is_number(lane.data?.tags) ? lane.data.tags : lane.steps.length;

// -- the timeline -------------------------------------------------------------

const process_colors = 6;
const compact_from = 25;

/// Returns whether a process was started.
const ran = x => is_number(x.started) && x.status !== "not started";

/// Returns the lanes: one for each process, followed by those of its nodes.
/// Assigns every event to the lane of its target.
function lanes_of(round) {
  const lanes = [];
  const processes = new Map();
  const nodes = new Map();
  const general = {kind: "drill", name: "drill", events: []};
  const add_process = (name, data) => {
    const lane = {kind: "process", name, data, events: [], nodes: []};
    processes.set(name, lane);
    return lane;
  };
  for (const x of list(round.processes))
    add_process(String(x.name ?? ""), ran(x) ? x : {...x, started: null, ended: null});
  const process_lane = name => processes.get(name) ?? add_process(name, null);
  const key = (process, node) => JSON.stringify([process, node]);
  for (const x of list(round.nodes)) {
    const process = process_lane(String(x.process ?? ""));
    const lane = {
      kind: "node", name: String(x.name ?? ""), data: x, process, events: [],
      steps: list(x.steps).filter(s => is_number(s?.[0]) && is_number(s?.[1])),
    };
    lane.steps.sort((a, b) => a[0] - b[0]);
    process.nodes.push(lane);
    nodes.set(key(process.name, lane.name), lane);
    if (!nodes.has(lane.name))
      nodes.set(lane.name, lane);
  }
  list(round.events).forEach((event, index) => {
    if (!is_number(event?.at))
      return;
    const process = String(event.process ?? ""), node = String(event.node ?? "");
    const lane = (node && (nodes.get(key(process, node)) ?? (!process && nodes.get(node))))
      || (process && process_lane(process)) || general;
    lane.events.push({...event, kind: kind_of(event), index, text: String(event.text ?? "")});
  });
  if (general.events.length > 0)
    lanes.push(general);
  let color = 0;
  for (const process of processes.values()) {
    process.color = `var(--p${color++ % process_colors})`;
    lanes.push(process, ...process.nodes);
  }
  for (const lane of lanes) {
    lane.color ??= lane.process?.color ?? "var(--soft)";
    lane.events.sort((a, b) => a.at - b.at);
  }
  return lanes;
}

function extent_of(lanes) {
  let last = 0, first = 0;
  const see = t => {
    if (is_number(t)) {
      first = Math.min(first, t);
      last = Math.max(last, t);
    }
  };
  for (const lane of lanes) {
    see(lane.data?.started);
    see(lane.data?.ended);
    lane.events.forEach(x => see(x.at));
    if (lane.steps?.length > 0) {
      see(lane.steps[0][0]);
      see(lane.steps.at(-1)[0]);
    }
  }
  return [first, last];
}

/// Adds a margin on both sides.
function widened([from, to]) {
  const room = Math.max((to - from) * .02, 1000);
  return [from - room, to + room];
}

/// Returns the index of the last entry that is not after x; -1 if there is
/// none.
function last_until(entries, x, value) {
  let low = -1, high = entries.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (value(entries[middle]) <= x)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/// Assigns space to labels, so that they do not overlap.
class shelf {
  constructor() {
    this.taken = [];
  }

  has_room(from, to) {
    const i = last_until(this.taken, from, x => x[0]);
    return (i < 0 || this.taken[i][1] <= from)
      && (i + 1 === this.taken.length || this.taken[i + 1][0] >= to);
  }

  /// Returns whether there is space for the label, and occupies it.
  take(from, to) {
    if (!this.has_room(from, to))
      return false;
    this.taken.splice(last_until(this.taken, from, x => x[0]) + 1, 0, [from, to]);
    return true;
  }
}

class timeline {
  constructor(round, on_pick) {
    this.round = round;
    this.on_pick = on_pick;
    this.lanes = lanes_of(round);
    this.node_lanes = this.lanes.filter(x => x.kind === "node");
    this.compact = this.node_lanes.length >= compact_from;
    this.faults = this.lanes.flatMap(x => x.events).filter(x => x.kind === "fault")
      .sort((a, b) => a.at - b.at);
    this.extent = extent_of(this.lanes);
    this.whole = widened(this.extent);
    [this.from, this.to] = this.whole;
    this.picked = null;
    this.make_elements();
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(this.box);
  }

  get empty() {
    return this.lanes.length === 0;
  }

  // -- elements ---------------------------------------------------------------

  make_elements() {
    this.head = svg("svg", {class: "head", "aria-hidden": "true"});
    this.bars = svg("svg", {
      class: "bars", role: "img", "aria-label": this.summary()});
    this.chart = svg("svg", {
      class: "chart", role: "img",
      "aria-label": "Logical time of each node against physical time"});
    this.tip = el("div", {class: "tip", hidden: true});
    this.selection = el("div", {class: "selection", hidden: true});
    this.box = el(
      "div", {
        class: "timeline", tabindex: 0, role: "group",
        "aria-label": "Timeline. Plus and minus zoom, the arrow keys move, 0 shows all.",
        on: {
          wheel: x => this.on_wheel(x), pointerdown: x => this.on_down(x),
          pointermove: x => this.on_move(x), pointerup: x => this.on_up(x),
          pointercancel: () => this.stop_dragging(),
          pointerleave: () => this.hide_tip(), dblclick: () => this.show(...this.whole),
          keydown: x => this.on_key(x), blur: () => this.hide_tip(),
        }},
      this.head, this.bars, this.node_lanes.length > 0 ? this.chart : null,
      this.selection, this.tip);
    this.range = el("span", {class: "soft", role: "status"});
    const button = (text, title, action) => el(
      "button", {class: "button", type: "button", title, "aria-label": title,
                 on: {click: action}}, text);
    this.zoom_out = button("−", "Zoom out", () => this.zoom(2));
    this.left = button("◀", "Move to the left", () => this.move(-.5));
    this.right = button("▶", "Move to the right", () => this.move(.5));
    this.end = button("The end", "Show it from the first fault on", () => this.show(
      ...widened([this.faults[0].at, this.extent[1]])));
    this.all = button("Show all", "Show the whole round", () => this.show(...this.whole));
    this.controls = el(
      "div", {class: "zoom"}, button("+", "Zoom in", () => this.zoom(.5)),
      this.zoom_out, this.left, this.right, this.all,
      this.faults.length > 0 ? this.end : null, this.range);
  }

  summary() {
    const processes = this.lanes.filter(x => x.kind === "process").length;
    return `${plural(processes, "process", "processes")}, `
      + `${plural(this.node_lanes.length, "node")}, `
      + `${plural(this.faults.length, "fault")}, in ${duration_text(this.extent[1])}. `
      + "The tables below say the same in words.";
  }

  // -- view -------------------------------------------------------------------

  show(from, to) {
    const [first, last] = this.whole;
    const width = Math.min(Math.max(to - from, 200), last - first);
    from = Math.min(Math.max(from, first), last - width);
    if (from === this.from && from + width === this.to)
      return;
    [this.from, this.to] = [from, from + width];
    this.hide_tip();
    this.draw_soon();
  }

  zoom(factor, around = (this.from + this.to) / 2) {
    this.show(around - (around - this.from) * factor, around + (this.to - around) * factor);
  }

  move(share) {
    const by = (this.to - this.from) * share;
    this.show(this.from + by, this.to + by);
  }

  /// Moves an event into view and marks it.
  pick(index, at) {
    this.picked = index;
    if (is_number(at) && (at < this.from || at > this.to)) {
      const half = (this.to - this.from) / 2;
      this.show(at - half, at + half);
    }
    this.draw_soon();
  }

  x_of(t) {
    return this.gutter + (t - this.from) / (this.to - this.from) * this.plot;
  }

  time_at(x) {
    return this.from + (x - this.gutter) / this.plot * (this.to - this.from);
  }

  is_whole() {
    return this.to - this.from >= (this.whole[1] - this.whole[0]) * .999999;
  }

  // -- drawing ----------------------------------------------------------------

  draw_soon() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = undefined;
      this.draw();
    });
  }

  lay_out() {
    const width = Math.max(Math.floor(this.box.clientWidth), 240);
    this.width = width;
    this.narrow = width < 620;
    const longest = Math.max(
      width_of("physical time") + 30, ...this.lanes.map(x => width_of(x.name.slice(0, 60)) * 1.12 + 32));
    this.gutter = this.narrow ? 8 : Math.min(longest, 240, width * .28);
    this.margin = this.narrow ? 8 : 96;
    this.plot = width - this.gutter - this.margin;
    let y = 0;
    for (const lane of this.lanes) {
      lane.top = y;
      lane.names = this.narrow ? 15 : 0;
      lane.height = lane.names
        + (lane.kind !== "node" ? 34 : this.compact ? 18 : 31);
      // The middle of the bar; above it is space for a line of labels.
      lane.middle = y + lane.names
        + (lane.kind !== "node" ? 24 : this.compact ? 9 : 21);
      y += lane.height;
    }
    this.height = Math.max(y, 1);
  }

  draw() {
    if (!this.box.isConnected || this.box.clientWidth === 0)
      return;
    this.lay_out();
    this.draw_head();
    this.draw_bars();
    if (this.node_lanes.length > 0)
      this.draw_chart();
    const whole = this.is_whole();
    this.zoom_out.disabled = this.all.disabled = whole;
    this.left.disabled = this.from <= this.whole[0];
    this.right.disabled = this.to >= this.whole[1];
    this.range.textContent = whole ? hint()
      : `${duration_text(Math.max(this.from, 0))} to ${duration_text(this.to)}`;
  }

  resize(target, height) {
    target.setAttribute("width", this.width);
    target.setAttribute("height", height);
    target.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
  }

  marks() {
    return ticks_of(this.from, this.to, Math.max(3, Math.floor(this.plot / 90)))
      .filter(x => x.at >= this.from && x.at <= this.to);
  }

  in_view(x) {
    return x.at >= this.from && x.at <= this.to;
  }

  /// Returns the labels of the faults in view, in rows above the axis. Faults
  /// without space for a label only have a sign in a row below.
  fault_labels() {
    const rows = [new shelf, new shelf, new shelf];
    return this.faults.filter(x => this.in_view(x)).map(fault => {
      const x = this.x_of(fault.at);
      const room = Math.max(this.width - 10 - x, x - 10);
      const text = fitting(fault.text, Math.min(400, room), fonts.bold);
      const size = width_of(text, fonts.bold);
      // To the right of its line, or to the left if there is no space.
      const from = x + 8 + size <= this.width - 2 ? x + 8 : x - 8 - size;
      const place = [Math.min(from - 3, x - 5), Math.max(from + size + 3, x + 5)];
      // Its line passes through the rows below.
      const row = rows.findIndex((r, i) => r.has_room(...place)
        && rows.slice(i + 1).every(below => below.has_room(x - 2, x + 2)));
      if (row >= 0) {
        rows[row].take(...place);
        rows.slice(row + 1).forEach(below => below.take(x - 2, x + 2));
      }
      return {x, from, text, row};
    });
  }

  /// Draws the axis of physical time, with the faults above it.
  draw_head() {
    const labels = this.fault_labels();
    const rows = Math.max(0, ...labels.map(x => x.row + 1));
    const used = rows + labels.some(x => x.row < 0);
    const base = used * 17 + 22;
    const parts = [], texts = [];
    for (const {x, from, text, row} of labels) {
      const y = 10 + (row < 0 ? rows : row) * 17;
      parts.push(svg("path", {class: "line-fault", d: `M${x} ${y + 6}V${base + 6}`}),
                 shape("fault", x, y, 4));
      if (row >= 0)
        texts.push(svg("text", {class: "fault", x: from, y: y + 4}, text));
    }
    const back = [];
    for (const {at, text} of this.marks()) {
      const x = this.x_of(at);
      back.push(svg("path", {class: "rule", d: `M${x} ${base}V${base + 6}`}));
      const half = width_of(text) / 2;
      if (x - half >= this.gutter - 4 && x + half <= this.width - this.margin + 30)
        back.push(svg("text", {class: "soft", x, y: base - 3, "text-anchor": "middle"}, text));
    }
    if (!this.narrow)
      back.push(svg("text", {class: "soft", x: 10, y: base - 3}, fitting("physical time", this.gutter - 14)));
    this.head.replaceChildren(...back, ...parts, ...texts);
    this.resize(this.head, base + 6);
  }

  draw_bars() {
    const parts = [];
    for (const lane of this.lanes)
      if (lane.kind !== "node")
        parts.push(svg("rect", {
          class: "stripe", x: 0, y: lane.top, width: this.width, height: lane.height}));
    parts.push(...this.verticals(this.height));
    for (const lane of this.lanes) {
      parts.push(this.lane_names(lane));
      if (lane.kind === "process")
        parts.push(this.process_bar(lane));
      else if (lane.kind === "node")
        parts.push(this.node_bar(lane));
    }
    for (const lane of this.lanes)
      parts.push(this.lane_labels(lane));
    this.bars.replaceChildren(...parts.flat(3).filter(x => x));
    this.resize(this.bars, this.height);
  }

  /// Draws the lines through all lanes: the grid and the faults.
  verticals(height) {
    return [
      ...this.marks().map(({at}) => svg(
        "path", {class: "grid", d: `M${this.x_of(at)} 0V${height}`})),
      ...this.faults.filter(x => this.in_view(x)).map(({at}) => svg(
        "path", {class: "line-fault", d: `M${this.x_of(at)} 0V${height}`})),
    ];
  }

  lane_names(lane) {
    const y = this.narrow ? lane.top + 12 : lane.middle + 4;
    const indent = lane.kind === "node" ? 22 : 10;
    const right = this.end_text(lane);
    const room = this.narrow
      ? this.width - 24 - indent - width_of(right.text) : this.gutter - indent - 8;
    const bold = lane.kind !== "node";
    const shown = lane.name || (lane.kind === "process" ? "(process not known)" : "");
    return [
      lane.kind === "process" ? svg("rect", {
        x: 0, y: lane.top, width: 4, style: `fill:${lane.color}`,
        height: lane.height + lane.nodes.reduce((sum, x) => sum + x.height, 0)}) : null,
      svg("text", {class: bold ? "title" : "name", x: indent, y},
          fitting(shown, room, bold ? fonts.title : fonts.name)),
      svg("text", {
        class: right.stands_out ? "strong" : "soft", x: this.width - 8, y, "text-anchor": "end",
      }, fitting(right.text, this.narrow ? this.width / 2 : this.margin - 14)),
    ];
  }

  /// Describes how the process or the node ended.
  end_text(lane) {
    if (lane.kind === "drill" || !lane.data)
      return {text: ""};
    if (lane.kind === "node") {
      const text = String(lane.data.ended ?? "");
      return {text, stands_out: text === "aborted" || text === "lost"};
    }
    if (!is_number(lane.data.started))
      return {text: "not started", stands_out: true};
    const text = status_text(lane.data.status);
    return {text, stands_out: text !== "status 0"};
  }

  process_bar({data, middle, color}) {
    if (!data || !is_number(data.started))
      return null;
    const from = Math.max(this.x_of(data.started), this.gutter);
    const ended = is_number(data.ended) ? data.ended : this.whole[1];
    const to = Math.min(this.x_of(ended), this.gutter + this.plot);
    if (to < from)
      return null;
    const style = `fill:${color}`;
    return [
      svg("rect", {class: "span", x: from, y: middle - 4, rx: 2, height: 8,
                   width: Math.max(to - from, 1.5), style}),
      this.from <= data.started && data.started <= this.to ? svg(
        "rect", {x: from - 1, y: middle - 7, width: 2, height: 14, style}) : null,
      is_number(data.ended) && this.from <= ended && ended <= this.to ? svg(
        "rect", {x: to - 1, y: middle - 7, width: 2, height: 14, style}) : null,
    ];
  }

  /// Returns the end of a lane: the end of the process, or the last event.
  end_of(lane) {
    const ended = lane.process.data?.ended;
    if (lane.steps.length === 0)
      return undefined;
    const last = Math.max(lane.steps.at(-1)[0], lane.events.at(-1)?.at ?? 0);
    return is_number(ended) ? Math.max(last, ended) : last;
  }

  /// Returns the range of the steps in view as indices: the first, and one past
  /// the last.
  visible_steps(lane) {
    const at = x => x[0];
    return [
      last_until(lane.steps, this.from - 1e-9, at) + 1,
      last_until(lane.steps, this.to, at) + 1,
    ];
  }

  node_bar(lane) {
    if (lane.steps.length === 0)
      return null;
    const from = Math.max(this.x_of(lane.steps[0][0]), this.gutter);
    const to = Math.min(this.x_of(this.end_of(lane)), this.gutter + this.plot);
    if (to < from)
      return null;
    const half = this.compact ? 4 : 5;
    const [begin, end] = this.visible_steps(lane);
    let path = "", last = -9;
    for (let i = begin; i < end; ++i) {
      const x = Math.round(this.x_of(lane.steps[i][0]) * 2) / 2;
      if (x === last)
        continue;
      path += `M${x} ${lane.middle - half}v${2 * half}`;
      last = x;
    }
    const style = `stroke:${lane.color}`;
    return [
      svg("path", {d: `M${from} ${lane.middle}H${to}`, style, opacity: .45}),
      path ? svg("path", {d: path, style, "stroke-width": 1.4}) : null,
    ];
  }

  /// Draws labels for the events of a lane, and then for the tags that its node
  /// executed, as far as there is space.
  lane_labels(lane) {
    const parts = [], row = new shelf;
    const events = lane.events.filter(x => this.in_view(x));
    const right = this.width - (this.narrow ? 4 : this.margin - 4);
    const texts = !(this.compact && lane.kind === "node");
    const y = lane.middle - 10;
    const put = (x, text, css, opacity) => {
      const size = width_of(text);
      const from = Math.max(
        this.gutter - 4, Math.min(x - (css ? 5 : size / 2), right - size));
      if (x < this.gutter - 1 || !row.take(from - 4, from + size + 4))
        return false;
      parts.push(svg("text", {class: css ?? "soft", x: from, y, opacity}, text));
      return true;
    };
    const by_rank = [...events].sort((a, b) => kinds[a.kind].rank - kinds[b.kind].rank);
    if (texts) {
      for (const x of by_rank)
        if (x.kind === "end" || x.kind === "step")
          put(this.x_of(x.at), fitting(x.text, 190), x.kind === "step" ? "step" : "end");
      if (lane.kind === "node")
        this.label_tags(lane, put);
    }
    return [this.lane_marks(lane, by_rank), parts];
  }

  /// Draws the events of a lane, the most important ones on top. Log lines may
  /// be thousands, so they are one shape.
  lane_marks(lane, by_rank) {
    const size = this.compact && lane.kind === "node" ? 4 : 5;
    const logs = by_rank.filter(x => x.kind === "log");
    const parts = [svg("path", {
      class: "k-log", d: logs.map(x => diamond(this.x_of(x.at), lane.middle)).join("")})];
    for (const x of by_rank.slice(0, by_rank.length - logs.length).reverse())
      parts.push(shape(x.kind, this.x_of(x.at), lane.middle, size));
    const picked = by_rank.find(x => x.index === this.picked);
    if (picked)
      parts.push(svg("circle", {
        class: "picked", cx: this.x_of(picked.at), cy: lane.middle, r: 10}));
    return parts;
  }

  label_tags(lane, put) {
    const [begin, end] = this.visible_steps(lane);
    let next = -Infinity;
    for (let i = begin; i < end; ++i) {
      const x = this.x_of(lane.steps[i][0]);
      if (x < next)
        continue;
      const text = tag_text([lane.steps[i][1], lane.steps[i][2]]);
      next = x + (put(x, text) ? width_of(text) + 8 : 6);
    }
  }

  // -- logical against physical time ------------------------------------------

  /// Returns the least and the greatest logical time in view; for the whole
  /// round, the range begins at zero.
  tags_in_view() {
    const whole = this.is_whole();
    let low = whole ? 0 : Infinity, high = 0;
    for (const lane of this.node_lanes) {
      const [begin, end] = this.visible_steps(lane);
      if (end === 0 || this.end_of(lane) < this.from)
        continue;
      low = Math.min(low, lane.steps[Math.max(begin - 1, 0)][1]);
      for (let i = Math.max(begin - 1, 0); i < end; ++i)
        high = Math.max(high, lane.steps[i][1]);
    }
    const final = this.round.report?.final?.[0];
    if (whole && is_number(final))
      high = Math.max(high, final);
    low = Math.min(low, high);
    return low === high && low > 0 ? [low * .9, high] : [low, Math.max(high, low + 1)];
  }

  draw_chart() {
    const height = 190, top = this.narrow ? 36 : 28, bottom = height - 8;
    const [least, most] = this.tags_in_view();
    const y_of = ns => bottom - (ns - least) / (most - least) * (bottom - top);
    this.y_of = y_of;
    const parts = [...this.verticals(height)];
    const labels = [];
    for (const {at, text} of ticks_of(least, most, 4)) {
      const y = y_of(at);
      parts.push(svg("path", {class: "grid", d: `M${this.gutter} ${y}H${this.gutter + this.plot}`}));
      labels.push(svg("text", {
        class: "soft", x: this.narrow ? 10 : this.gutter - 8, y: this.narrow ? y - 3 : y + 4,
        "text-anchor": this.narrow ? "start" : "end"}, text));
    }
    this.curves = this.node_lanes.filter(x => x.steps.length > 0)
      .map(lane => ({lane, d: this.curve(lane, y_of)}));
    for (const {lane, d} of this.curves)
      if (d)
        parts.push(svg("path", {
          d, style: `stroke:${lane.color}`, fill: "none", "stroke-width": 1.4,
          opacity: .75, "stroke-linejoin": "round"}));
    const final = this.round.report?.final;
    if (is_number(final?.[0]) && least <= final[0] && final[0] <= most) {
      const y = y_of(final[0]), text = "final tag " + tag_text(final);
      parts.push(svg("path", {
        style: "stroke:var(--end)", "stroke-dasharray": "2 3", d: `M${this.gutter} ${y}H${this.gutter + this.plot}`}));
      labels.push(svg("text", {x: this.gutter + this.plot - 4, y: y - 4, "text-anchor": "end"}, text));
    }
    if (!this.narrow)
      labels.push(...this.curve_names(y_of));
    this.highlight = svg("path", {fill: "none", "stroke-width": 3});
    this.chart.replaceChildren(
      ...parts, ...labels,
      svg("text", {class: "title", x: 10, y: 16},
          fitting("Logical time of the nodes", this.width - 20, fonts.title)),
      this.highlight);
    this.resize(this.chart, height);
  }

  /// Draws the names of the nodes at the end of their curves.
  curve_names(y_of) {
    const labels = [];
    for (const {lane} of this.curves) {
      const i = last_until(lane.steps, this.to, x => x[0]);
      if (i < 0)
        continue;
      const y = y_of(lane.steps[i][1]);
      const near = labels.find(x => Math.abs(x.y - y) < 12);
      if (near)
        ++near.others;
      else
        labels.push({y, lane, others: 0});
    }
    return labels.map(({y, lane, others}) => {
      const more = others > 0 ? ` +${others}` : "";
      return svg(
        "text", {x: this.gutter + this.plot + 6, y: y + 4, style: `fill:${lane.color}`},
        fitting(lane.name, this.margin - 14 - width_of(more)) + more);
    });
  }

  /// Draws a node's logical time, which is constant until the node executes a
  /// later tag.
  curve(lane, y_of) {
    const [begin, end] = this.visible_steps(lane);
    const until = Math.min(this.x_of(this.end_of(lane)), this.gutter + this.plot);
    const first = Math.max(begin - 1, 0);
    if (until < this.gutter || first >= lane.steps.length)
      return "";
    let x = Math.max(this.x_of(lane.steps[first][0]), this.gutter);
    if (x > this.gutter + this.plot)
      return "";
    let y = y_of(lane.steps[first][1]);
    let d = `M${x.toFixed(1)} ${y.toFixed(1)}`;
    for (let i = first + 1; i < end; ++i) {
      const to = this.x_of(lane.steps[i][0]);
      // Within half a pixel, only the last step counts.
      if (to - x >= .5) {
        d += `V${y.toFixed(1)}H${to.toFixed(1)}`;
        x = to;
      }
      y = y_of(lane.steps[i][1]);
    }
    return `${d}V${y.toFixed(1)}H${Math.max(until, x).toFixed(1)}`;
  }

  // -- input ------------------------------------------------------------------

  position(event) {
    const box = this.box.getBoundingClientRect();
    return event.clientX - box.left - this.box.clientLeft;
  }

  on_wheel(event) {
    if (page_scrolls())
      return;
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    const delta = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    if (sideways) {
      if (this.is_whole())
        return;
      event.preventDefault();
      this.move(Math.sign(delta) * Math.min(Math.abs(delta), 200) / 800);
      return;
    }
    // If zooming out has no effect, the page scrolls instead.
    if (event.deltaY > 0 && this.is_whole())
      return;
    event.preventDefault();
    const amount = Math.min(Math.abs(event.deltaY), 200) / 100 * (event.deltaMode ? 20 : 1);
    this.zoom(1.35 ** (Math.sign(event.deltaY) * Math.min(amount, 2)),
              this.time_at(this.position(event)));
  }

  on_down(event) {
    if (event.button !== 0)
      return;
    const x = this.position(event);
    this.drag = {
      x, moves: event.shiftKey || event.pointerType === "touch", far: false,
      from: this.from, to: this.to};
    this.box.setPointerCapture(event.pointerId);
  }

  on_move(event) {
    const x = this.position(event);
    if (!this.drag) {
      this.show_tip(event);
      return;
    }
    const {drag} = this;
    drag.far ||= Math.abs(x - drag.x) > 4;
    if (!drag.far)
      return;
    this.hide_tip();
    if (drag.moves) {
      const by = (drag.x - x) / this.plot * (drag.to - drag.from);
      this.show(drag.from + by, drag.to + by);
      return;
    }
    const [a, b] = [drag.x, x].map(
      v => Math.min(Math.max(v, this.gutter), this.gutter + this.plot)).sort((a, b) => a - b);
    this.selection.hidden = false;
    this.selection.style.left = a + "px";
    this.selection.style.width = b - a + "px";
    drag.range = [this.time_at(a), this.time_at(b)];
  }

  on_up(event) {
    const {drag} = this;
    this.stop_dragging();
    if (!drag)
      return;
    if (!drag.far) {
      const found = this.events_at(event);
      if (found.length > 0)
        this.on_pick(found[0]);
    } else if (drag.range) {
      this.show(...drag.range);
    }
  }

  stop_dragging() {
    this.drag = undefined;
    this.selection.hidden = true;
  }

  on_key(event) {
    const action = {
      "+": () => this.zoom(.5), "=": () => this.zoom(.5), "-": () => this.zoom(2),
      "0": () => this.show(...this.whole), ArrowLeft: () => this.move(-.2),
      ArrowRight: () => this.move(.2),
    }[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey)
      return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  // -- tooltips ---------------------------------------------------------------

  lane_at(event) {
    const y = event.clientY - this.bars.getBoundingClientRect().top;
    return this.lanes.find(x => y >= x.top && y < x.top + x.height);
  }

  events_at(event) {
    const x = this.position(event);
    const near = e => this.in_view(e) && Math.abs(this.x_of(e.at) - x) <= 7;
    const closest = (a, b) => Math.abs(this.x_of(a.at) - x) - Math.abs(this.x_of(b.at) - x)
      || kinds[a.kind].rank - kinds[b.kind].rank;
    if (event.clientY < this.head.getBoundingClientRect().bottom)
      return this.faults.filter(near).sort(closest);
    return (this.lane_at(event)?.events ?? []).filter(near).sort(closest);
  }

  tip_text(event) {
    const found = this.events_at(event);
    if (found.length > 0) {
      const lines = found.slice(0, 6).map(
        x => `${duration_text(x.at)}  ${kinds[x.kind].title}: ${x.text}`
             + (x.tag ? ` (tag ${tag_text(x.tag)})` : ""));
      if (found.length > 6)
        lines.push(`and ${found.length - 6} more: zoom in`);
      return lines.join("\n");
    }
    const lane = this.lane_at(event), t = this.time_at(this.position(event));
    if (!lane)
      return this.curve_text(event, t);
    if (lane.kind === "node")
      return this.node_text(lane, t);
    if (lane.kind === "process" && lane.data && is_number(lane.data.started))
      return `process ${lane.name}: started at ${duration_text(lane.data.started)}`
        + (is_number(lane.data.ended) ? `, ended at ${duration_text(lane.data.ended)}` : "")
        + (lane.data.status !== undefined ? `, ${status_text(lane.data.status)}` : "");
    return "";
  }

  node_text(lane, t) {
    const i = last_until(lane.steps, t, x => x[0]);
    const text = `${lane.name} at ${duration_text(t)}: `;
    if (lane.steps.length === 0)
      return lane.name + ": executed no tag";
    if (i < 0)
      return text + "has not executed a tag yet";
    const ended = lane.data.ended ? `; ended: ${lane.data.ended}` : "";
    const step = lane.steps[i], next = lane.steps[i + 1];
    const number = number_of(lane, i), later = next && number_of(lane, i + 1) - 1;
    // The report omits some steps of a node that executed many tags.
    if (later > number)
      return text + `logical time from ${tag_text(step.slice(1, 3))} on, `
        + `before ${tag_text(next.slice(1, 3))}\n`
        + `tag ${number} to ${later} of ${tags_of(lane)}` + ended;
    return text + `logical time ${tag_text(step.slice(1, 3))}, since ${duration_text(step[0])}\n`
      + (number === 0 ? "start()" : `tag ${number} of ${tags_of(lane)}`) + ended;
  }

  /// Describes the node with the closest curve.
  curve_text(event, t) {
    this.highlight?.removeAttribute("d");
    const box = this.chart.getBoundingClientRect();
    const y = event.clientY - box.top;
    if (!this.curves || y < 0 || y > box.height || t < this.from || t > this.to)
      return "";
    let best, distance = 25;
    for (const curve of this.curves) {
      const {steps} = curve.lane;
      const i = last_until(steps, t, x => x[0]);
      if (i < 0 || t > this.end_of(curve.lane))
        continue;
      const away = Math.abs(this.y_of(steps[i][1]) - y);
      if (away < distance)
        [best, distance] = [curve, away];
    }
    if (!best)
      return "";
    this.highlight.setAttribute("d", best.d);
    this.highlight.style.stroke = best.lane.color;
    return this.node_text(best.lane, t);
  }

  show_tip(event) {
    const text = this.tip_text(event);
    if (!text) {
      this.hide_tip();
      return;
    }
    this.tip.textContent = text;
    this.tip.hidden = false;
    const box = this.box.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const width = this.tip.offsetWidth, height = this.tip.offsetHeight;
    this.tip.style.left = Math.max(4, Math.min(x + 14, box.width - width - 6)) + "px";
    this.tip.style.top
      = (event.clientY + height + 30 > innerHeight ? y - height - 12 : y + 18) + "px";
  }

  hide_tip() {
    this.tip.hidden = true;
    this.highlight?.removeAttribute("d");
  }

  close() {
    this.sizes.disconnect();
  }
}

/// Returns the help for the timeline, which depends on the input device.
function hint() {
  return matchMedia("(hover: none)").matches
    ? "+ and − zoom. Drag to move; tap a sign to see it in the table."
    : "Wheel or drag to zoom, Shift and drag to move, double click for all.";
}

/// Whether a wheel gesture is scrolling the page. Then the timeline that moves
/// under the pointer must not start to zoom.
const scrolling = {until: 0};
addEventListener("wheel", event => {
  const inside = event.target instanceof Element && event.target.closest(".timeline");
  if (!inside || event.timeStamp < scrolling.until)
    scrolling.until = event.timeStamp + 250;
}, {capture: true, passive: true});
const page_scrolls = () => performance.now() < scrolling.until;

// -- tables -------------------------------------------------------------------

function table(titles, rows, attributes = {}) {
  return el(
    "div", {class: "scroll " + (attributes.class ?? ""), tabindex: 0, role: "region",
            "aria-label": attributes.label},
    el("table", {},
       el("thead", {}, el("tr", {}, titles.map(x => el("th", {scope: "col"}, x)))),
       el("tbody", {}, rows)));
}

const event_rows_at_once = 300;

const count_text = (shown, all) => all > shown ? `${shown} of ${all}` : String(shown);

/// A table of all events of a round, filtered by kind.
class event_table {
  constructor(round, on_pick) {
    this.events = list(round.events)
      .map((x, index) => ({...x, index, kind: kind_of(x)}))
      .sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
    this.on_pick = on_pick;
    this.picked = null;
    this.limit = event_rows_at_once;
    const count = kind => this.events.filter(x => x.kind === kind).length;
    // The total number of events, if the report has only some of them.
    const happened = {log: round.log_lines, step: round.protocol_steps};
    // Log lines are the least important, and may be many.
    this.shown = new Set(Object.keys(kinds));
    if (count("log") > 50)
      this.shown.delete("log");
    this.body = el("tbody");
    this.more = el("button", {class: "button", type: "button", on: {click: () => {
      this.limit = Infinity;
      this.draw();
    }}});
    this.scroll = el(
      "div", {class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Events"},
      el("table", {class: "events"}, el("thead", {}, el("tr", {}, ["Time", "Kind", "Where", "What", "Tag"]
        .map(x => el("th", {scope: "col"}, x)))), this.body));
    this.element = el(
      "div", {},
      el("div", {class: "checks"}, Object.keys(kinds).filter(count).map(
        kind => el("label", {}, el("input", {
          type: "checkbox", checked: this.shown.has(kind),
          on: {change: x => this.toggle(kind, x.target.checked)}}),
          `${kinds[kind].many} (${count_text(count(kind), happened[kind])})`))),
      this.scroll, this.more);
    this.draw();
  }

  toggle(kind, on) {
    if (on)
      this.shown.add(kind);
    else
      this.shown.delete(kind);
    this.draw();
  }

  draw() {
    const events = this.events.filter(x => this.shown.has(x.kind));
    this.body.replaceChildren(...events.slice(0, this.limit).map(x => this.row(x)));
    this.more.hidden = events.length <= this.limit;
    this.more.textContent = `Show all ${events.length}`;
  }

  row(event) {
    const where = [event.process, event.node].filter(Boolean).join(" / ");
    const css = event.index === this.picked ? "picked-row" : null;
    return el(
      "tr", {class: css, "data-index": event.index},
      el("td", {class: "time"}, is_number(event.at) ? el("button", {
        class: "link", type: "button", title: "Show in the timeline",
        on: {click: () => this.on_pick(event)}}, duration_text(event.at)) : "–"),
      el("td", {class: "kind"}, sign(event.kind), kinds[event.kind].title),
      el("td", {}, where ? name_of(where) : "–"),
      el("td", {class: "wide"}, name_of(event.text ?? "")),
      el("td", {class: "time"}, tag_text(event.tag) || "–"));
  }

  /// Marks a row, and scrolls it into view within the table.
  pick(event) {
    this.picked = event.index;
    this.shown.add(event.kind);
    const position = this.events.filter(x => this.shown.has(x.kind))
      .findIndex(x => x.index === event.index);
    if (position >= this.limit)
      this.limit = Infinity;
    for (const box of this.element.querySelectorAll("input"))
      if (box.parentElement.textContent.startsWith(kinds[event.kind].many))
        box.checked = true;
    this.draw();
    const row = this.body.querySelector(".picked-row");
    this.scroll.scrollTop = row.offsetTop - this.scroll.clientHeight / 2;
  }
}

/// Returns the timeline as a table.
function lanes_table(lanes) {
  const rows = lanes.filter(x => x.kind !== "drill").map(lane => {
    const {data} = lane;
    if (lane.kind === "process")
      return el(
        "tr", {}, el("th", {scope: "row"}, name_of(lane.name || "(not known)")),
        el("td", {}, "process"), el("td", {class: "time"}, duration_text(data?.started) || "–"),
        el("td", {class: "time"}, duration_text(data?.ended) || "–"), el("td", {}, "–"),
        el("td", {}, "–"), el("td", {}, status_text(data?.status) || "–"));
    const first = lane.steps[0], last = lane.steps.at(-1);
    return el(
      "tr", {}, el("th", {scope: "row"}, name_of(lane.name)),
      el("td", {}, "node of ", name_of(lane.process.name || "(not known)")),
      el("td", {class: "time"}, first ? duration_text(first[0]) : "–"),
      el("td", {class: "time"}, last ? duration_text(last[0]) : "–"),
      el("td", {class: "number"}, String(tags_of(lane))),
      el("td", {class: "time"}, last ? tag_text([last[1], last[2]]) : "–"),
      el("td", {}, String(data.ended ?? "–")));
  });
  return table(
    ["Name", "What", "First sign", "Last sign", "Tags", "Logical time", "Ended"],
    rows, {class: "tall", label: "Processes and nodes"});
}

// -- the library's report -----------------------------------------------------

const clauses = {
  start: "its start() has not run yet", failure: "it has failed",
  agreement: "waits for the final tag", none: "ready to continue",
  outside: "waits for physical actions", unknown: "busy, not known",
};

function held_back_text(node) {
  const by = node.held_back;
  if (!by)
    return node.code?.running ? "its code is still running" : "–";
  const bound = tag_text(by.bound);
  const wait = by.waits_for ? `waits for '${by.waits_for}'` : "waits";
  const reason = {
    input: `${wait}, which may still send a value of ${bound ? `tag ${bound}` : "any tag"}`,
    loop: `${wait}, which may still cause a value of ${bound ? `tag ${bound}` : "any tag"}`,
    clock: `waits for physical time to pass ${bound}`,
    receiver: `${wait}, which has max_in_flight messages to execute`,
    sender: `${wait}, which may still send physically`,
  }[by.by] ?? clauses[by.by] ?? String(by.by);
  return by.port ? `at '${by.port}': ${reason}` : reason;
}

function code_text(node) {
  const {code} = node;
  if (!code)
    return "–";
  const name = code.name === "start" || code.name === "shutdown"
    ? code.name + "()" : `'${code.name}'`;
  return `${name} at ${tag_text(code.tag) || "–"}`
    + (code.running ? `, is still running after ${duration_text(code.running_for_ns)}` : "");
}

function queues_text(node) {
  const parts = Object.entries(node.queues ?? {}).map(([port, size]) => `'${port}' ${size}`);
  if (node.outside > 0)
    parts.push(`${node.outside} from outside`);
  if (node.yielded > 0)
    parts.push(`${node.yielded} yielded`);
  if (node.scheduled > 0)
    parts.push(`${node.scheduled} scheduled`);
  if (node.inbox > 0)
    parts.push(`inbox ${node.inbox}`);
  return parts.join(", ") || "–";
}

/// Returns the rank of a node as in the library: nodes that may block other nodes are first.
function urgency(node) {
  if (node.stage === "left")
    return 9;
  if (node.code?.running || node.stage === "failed" || node.stage === "vanished"
      || node.stage === "lost")
    return 0;
  if (node.stage === "asked")
    return 1;
  const by = node.held_back?.by;
  return ["input", "loop", "sender"].includes(by) ? 3
    : ["agreement", "outside"].includes(by) ? 4 : 2;
}

/// Returns the logical time of a node at the time of the report: as reported,
/// or from its trace if the node was busy or is lost.
function logical_of(node, report, round) {
  if (node.complete)
    return {text: tag_text(node.logical)};
  const traced = list(round.nodes).find(x => x.name === node.name);
  const steps = list(traced?.steps).filter(x => is_number(x?.[0]) && is_number(x?.[1]));
  const at = is_number(round.began) && is_number(report.elapsed_ns)
    ? round.began + report.elapsed_ns : Infinity;
  const step = steps[last_until(steps, at, x => x[0])];
  return {text: step ? tag_text(step.slice(1, 3)) : "", title: "As its trace says"};
}

function application_report(report, round) {
  const nodes = list(report.nodes);
  const sorted = [...nodes].sort((a, b) => urgency(a) - urgency(b));
  const facts = [
    report.stage === "aborted" ? "the application is being aborted"
      : report.stage ? `the application is ${report.stage}` : "",
    is_number(report.elapsed_ns) ? `${duration_text(report.elapsed_ns)} after the start` : "",
    report.final ? `final tag ${tag_text(report.final)}` : "no final tag",
    is_number(report.status) ? `status ${report.status}` : "",
  ].filter(Boolean).join(", ");
  return [
    el("p", {class: "soft"}, facts),
    report.reason ? el("p", {}, "Why: ", name_of(report.reason)) : null,
    table(
      ["Node", "State", "Logical time", "STAT", "Next tag", "Blocker", "Queued",
       "Last code"],
      sorted.map(node => [node, logical_of(node, report, round)]).map(([node, logical]) => el(
        "tr", {class: urgency(node) === 0 ? "blames" : null, title: node.text},
        el("th", {scope: "row"}, urgency(node) === 0 ? "▸ " : null, name_of(node.name ?? "")),
        el("td", {}, String(node.stage ?? "–") + (node.has_left && node.stage !== "left" ? ", has left" : "")),
        el("td", {class: "time", title: logical.title}, logical.text || "–"),
        el("td", {class: "time"}, node.complete ? tag_text(node.stat) || "forever" : "–"),
        el("td", {class: "time"}, tag_text(node.next) || "–"),
        el("td", {class: "wide"}, name_of(held_back_text(node))),
        el("td", {}, name_of(queues_text(node))),
        el("td", {class: "wide"}, name_of(code_text(node))))),
      {class: "tall", label: "The nodes at the abort"}),
  ];
}

function shutdown_report(report) {
  return [
    el("p", {class: "soft"}, [
      report.stage ? `the system is in stage '${report.stage}'` : "",
      report.reason ? `because of: ${report.reason}` : "",
      is_number(report.elapsed_ns) ? `since ${duration_text(report.elapsed_ns)}` : "",
      is_number(report.actors) ? `${plural(report.actors, "actor")} alive` : "",
    ].filter(Boolean).join(", ")),
    el("ul", {class: "chain"}, [...list(report.chain), ...list(report.others)].map(
      x => el("li", {}, name_of(x)))),
    table(
      ["Part", "Kind", "State", "Phase", "Since", "Waits for", "Says"],
      list(report.parts).map(x => el(
        "tr", {class: x.state === "failed" || x.state === "aborted" ? "blames" : null},
        el("th", {scope: "row"}, name_of(x.name ?? "")), el("td", {}, String(x.kind ?? "–")),
        el("td", {}, String(x.state ?? "–")), el("td", {}, name_of(x.phase ?? "–")),
        el("td", {class: "time"}, duration_text(x.since_ns) || "–"),
        el("td", {}, name_of(x.waits_for ?? (x.unanswered ? plural(x.unanswered, "answer") : "–"))),
        el("td", {class: "wide"}, name_of(x.error ?? x.blocker ?? "–")))),
      {class: "tall", label: "The parts of the system"}),
  ];
}

function report_of({report, ...round}) {
  if (Array.isArray(report.nodes))
    return application_report(report, round);
  if (Array.isArray(report.parts))
    return shutdown_report(report);
  return el("div", {class: "scroll"}, el("pre", {}, JSON.stringify(report, null, 1)));
}

// -- a round ------------------------------------------------------------------

function replay_command(drill, round) {
  const which = `${drill.name}:${round.number}`;
  const quoted = /^[\w.:@%+=,/-]+$/.test(which) ? which : `'${which.replaceAll("'", "'\\''")}'`;
  return "rosia-drill replay report.json " + quoted;
}

function make_round(drill, round, actions) {
  const rounds = drill.rounds, position = rounds.indexOf(round);
  const failing = rounds.filter((x, i) => !x.held && i !== position);
  const next_failing = failing.find(x => rounds.indexOf(x) > position) ?? failing[0];
  const button = (text, target, title) => el("button", {
    class: "button", type: "button", disabled: !target, title,
    on: {click: () => actions.open(drill, target)}}, text);
  const details = [
    ["Seed", round.seed], ["Took", duration_text(round.seconds * 1e9)],
    ["Kept in", round.folder], ["Again", replay_command(drill, round)]];
  const heading = el(
    "h3", {tabindex: -1}, mark(round.held ? "held" : "failed"), ` Round ${round.number} of ${drill.name} `,
    el("span", {class: round.held ? "says-held" : "says-failed"},
       round.held ? "held" : "did not hold"));
  const element = el(
    "section", {class: "round", "aria-label": `Round ${round.number}`},
    el("header", {}, heading, el(
      "div", {class: "buttons"},
      button("‹ Round", rounds[position - 1], "The round before"),
      button("Round ›", rounds[position + 1], "The round after"),
      button("Next that failed", next_failing, "The next round that did not hold"),
      el("button", {class: "button", type: "button", title: "Close this round (Escape)",
                    on: {click: () => actions.close()}}, "Close"))),
    el("dl", {class: "details"}, details.filter(([, x]) => x || x === 0).map(
      ([key, value]) => el("div", {}, el("dt", {}, key), " ", el(
        "dd", {class: key === "Took" ? null : "mono"}, name_of(value))))));
  const failures = list(round.failures);
  if (failures.length > 0)
    element.append(el("ul", {class: "why", "aria-label": "Failed expectations"}, failures.map(
      x => el("li", {}, "✗ ", el("strong", {}, name_of(x.expectation ?? "")),
              x.what ? [": ", name_of(x.what)] : null))));
  const events = list(round.events);
  const pick = event => {
    view.pick(event.index, event.at);
    rows.pick(event);
  };
  const view = new timeline(round, pick);
  const rows = new event_table(round, pick);
  element.append(el("h4", {}, "Timeline"));
  if (view.empty) {
    element.append(el("p", {class: "nothing"}, "Nothing was recorded of this round."));
  } else {
    const all = view.lanes.flatMap(x => x.events.map(y => y.kind));
    const present = Object.keys(kinds).filter(x => all.includes(x));
    element.append(
      view.controls, view.box,
      el("div", {class: "legend"}, present.map(
        x => el("span", {}, sign(x), kinds[x].many)),
        view.node_lanes.length > 0 ? el("span", {}, svg(
          "svg", {viewBox: "0 0 16 16", "aria-hidden": "true"}, svg(
            "path", {d: "M1 8H15M4 3V13M8 3V13M13 3V13", style: "stroke:var(--p0)"})),
          "tags that a node executed, above them their times"
          + (view.node_lanes.some(x => tags_of(x) > x.steps.length)
            ? "; of nodes with many, some of these" : "")) : null));
  }
  if (round.report)
    element.append(el("h4", {}, "Blockers"), ...[report_of(round)].flat());
  if (events.length > 0)
    element.append(el("h4", {}, "Events"), rows.element);
  if (view.lanes.some(x => x.kind !== "drill"))
    element.append(el("h4", {}, "Processes and nodes"), lanes_table(view.lanes));
  return {element, heading, timeline: view};
}

// -- drills -------------------------------------------------------------------

const small_cells_from = 61;
const reasons_shown = 5;

/// Returns the failed expectations, each with its rounds. Texts that differ
/// only in numbers count as one.
function reasons_of(drill) {
  const found = new Map();
  for (const round of drill.rounds) {
    for (const x of list(round.failures)) {
      const text = String(x.what ?? "");
      const key = JSON.stringify([x.expectation, text.replace(/\d+(\.\d+)?(ns|us|ms|s)?/g, "0")]);
      if (!found.has(key))
        found.set(key, {...x, what: text, rounds: [], differs: false});
      const reason = found.get(key);
      reason.rounds.push(round);
      reason.differs ||= reason.what !== text;
    }
  }
  return [...found.values()].sort((a, b) => b.rounds.length - a.rounds.length);
}

function reasons_list(drill) {
  const all = reasons_of(drill);
  if (all.length === 0)
    return null;
  const links = rounds => rounds.slice(0, 8).flatMap((x, i) => [
    i > 0 ? ", " : null, el("a", {href: link_to(drill, x)}, String(x.number))]);
  return el(
    "ul", {class: "why", "aria-label": "Failed expectations"},
    all.slice(0, reasons_shown).map(x => el(
      "li", {}, "✗ ", el("strong", {}, name_of(x.expectation ?? "")),
      x.what ? [x.differs ? ": for instance " : ": ", name_of(x.what)] : null,
      el("span", {class: "soft"}, x.rounds.length === 1 ? " in round " : " in rounds ",
         links(x.rounds), x.rounds.length > 8 ? ` and ${x.rounds.length - 8} more` : null))),
    all.length > reasons_shown
      ? el("li", {class: "soft"}, `and ${plural(all.length - reasons_shown, "other reason")}`)
      : null);
}

const link_to = (drill, round) =>
  `#round/${encodeURIComponent(drill.key)}/${encodeURIComponent(round.number)}`;

function make_cell(drill, round, small, actions) {
  const text = `Round ${round.number}: ${round.held ? "held" : "did not hold"}`
    + `, ${duration_text(round.seconds * 1e9)}, seed ${round.seed}`;
  const button = el(
    "button", {
      class: round.held ? "cell" : "cell failed", type: "button", tabindex: -1,
      title: text, "aria-label": text, "aria-expanded": "false",
      on: {click: () => actions.toggle(drill, round)}},
    small ? (round.held ? "" : "✗") : (round.held ? "" : "✗ ") + round.number);
  return button;
}

/// Moves between cells with the arrow keys, so that a drill has a single tab
/// stop.
function on_cell_key(drill, event) {
  const {cells} = drill;
  const i = cells.indexOf(event.target);
  const below = cells.findIndex((x, k) => k > i && x.offsetLeft === event.target.offsetLeft);
  const above = cells.findLastIndex((x, k) => k < i && x.offsetLeft === event.target.offsetLeft);
  const next = {
    ArrowRight: i + 1, ArrowLeft: i - 1, ArrowDown: below, ArrowUp: above, Home: 0,
    End: cells.length - 1}[event.key];
  if (i < 0 || next === undefined)
    return;
  event.preventDefault();
  focus_cell(drill, cells[next]);
}

function focus_cell(drill, cell) {
  if (!cell)
    return;
  for (const x of drill.cells)
    x.tabIndex = -1;
  cell.tabIndex = 0;
  cell.focus();
}

const state_texts = {held: "held", failed: "did not hold", "not-run": "was not run"};

function make_drill(drill, actions) {
  const held = drill.rounds.filter(x => x.held).length, all = drill.rounds.length;
  const small = all >= small_cells_from;
  drill.cells = drill.rounds.map(x => make_cell(drill, x, small, actions));
  const first = Math.max(0, drill.rounds.findIndex(x => !x.held));
  if (drill.cells.length > 0)
    drill.cells[first].tabIndex = 0;
  const term = (title, lines, css) => lines.length === 0 ? null : el(
    "div", {class: lines.length > 6 ? "term long" : "term"}, el("dt", {}, title),
    lines.map(x => el("dd", {class: css}, name_of(x))));
  drill.element = el(
    "article", {class: `drill closed ${drill.state}`, id: "drill/" + drill.key,
                "aria-label": drill.name},
    el("header", {}, mark(drill.state), el("h2", {}, name_of(drill.name)),
       el("span", {class: "says-" + drill.state}, state_texts[drill.state]),
       el("span", {class: "soft count"},
          `${held} of ${plural(all, "round")} held`)),
    drill.purpose ? el("p", {class: "purpose"}, name_of(drill.purpose)) : null,
    reasons_list(drill),
    el("dl", {class: "terms"},
       term("Faults", list(drill.faults)), term("Expected", list(drill.expectations)),
       list(drill.program).length > 0 || drill.file ? el(
         "div", {}, term("Program", [list(drill.program).join(" ")].filter(Boolean), "mono"),
         term("File", [drill.file].filter(Boolean), "mono")) : null),
    all === 0 ? el("p", {class: "soft"}, "No round was run.") : el(
      "div", {class: small ? "rounds many" : "rounds", role: "group",
              "aria-label": `Rounds of ${drill.name}`,
              on: {keydown: x => on_cell_key(drill, x)}}, drill.cells));
  return drill.element;
}

// -- the page -----------------------------------------------------------------

/// Adds missing fields of a report, and a key for links to each drill.
function prepare(data) {
  const used = new Map();
  const drills = list(data.drills).map((x, index) => {
    const name = String(x.name || `drill ${index + 1}`);
    const count = (used.get(name) ?? 0) + 1;
    used.set(name, count);
    const rounds = list(x.rounds).map((y, i) => ({...y, number: y.number ?? i + 1, held: y.held === true}));
    return {...x, name, key: count === 1 ? name : `${name}~${count}`, rounds,
            state: x.held !== true ? "failed" : rounds.length > 0 ? "held" : "not-run"};
  });
  // The sort is stable.
  const order = ["failed", "not-run", "held"];
  drills.sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  return drills;
}

function started_text(iso) {
  const time = new Date(iso ?? NaN);
  return isNaN(time) ? String(iso ?? "") : time.toLocaleString(undefined, {
    dateStyle: "medium", timeStyle: "medium"});
}

function share_bar(failed, all) {
  const part = el("i");
  part.style.width = all === 0 ? "0" : `max(${failed > 0 ? 4 : 0}px, ${failed / all * 100}%)`;
  return el("div", {class: "bar", "aria-hidden": "true"}, part);
}

function fact(number, text, failed, all) {
  return el("div", {class: "fact"}, el("div", {}, el("b", {}, number), " ", text),
            failed === undefined ? null : share_bar(failed, all));
}

function verdict_of(data, drills) {
  const count = state => drills.filter(x => x.state === state).length;
  const all = drills.length;
  if (all === 0)
    return ["not-run", "No drill was run"];
  if (count("failed") > 0)
    return ["failed", `${count("failed")} of ${plural(all, "drill")} did not hold`];
  if (data.not_run > 0 || count("not-run") > 0)
    return ["not-run", "Interrupted: what was run has held"];
  if (data.held === false)
    return ["failed", "The run did not hold"];
  return ["held", all === 1 ? "The drill held" : `All ${all} drills held`];
}

function page_head(data, drills) {
  const held = drills.filter(x => x.state === "held").length;
  const bad = drills.filter(x => x.state === "failed").length;
  const rounds = drills.flatMap(x => x.rounds);
  const lost = rounds.filter(x => !x.held).length;
  const [state, verdict] = verdict_of(data, drills);
  document.title = verdict;
  return [
    el("div", {class: "top"},
       el("h1", {class: "verdict"}, mark(state), verdict),
       el("p", {class: "soft"}, [data.tool, started_text(data.started)].filter(Boolean).join(" · "))),
    drills.length === 0 ? null : el(
      "div", {class: "facts", role: "group", "aria-label": "Summary"},
      fact(`${held} of ${drills.length}`, "drills held", bad, drills.length),
      fact(`${rounds.length - lost} of ${rounds.length}`, "rounds held", lost, rounds.length),
      data.not_run > 0 ? fact(data.not_run, data.not_run === 1
        ? "round not run to its end" : "rounds not run to their end") : null,
      is_number(data.seconds) ? fact(duration_text(data.seconds * 1e9, 2), "in all") : null),
  ];
}

class page {
  constructor(data, host) {
    this.host = host;
    this.drills = prepare(data);
    this.only = "all";
    const actions = {
      open: (drill, round) => this.go(drill, round), close: () => this.leave(),
      toggle: (drill, round) => this.is_open(drill, round) ? this.leave() : this.go(drill, round),
    };
    this.actions = actions;
    this.none = el("p", {class: "nothing", role: "status", hidden: true}, "No drill fits.");
    host.replaceChildren(
      ...page_head(data, this.drills).filter(Boolean),
      ...(this.drills.length > 0 ? [this.make_tools()] : [el(
        "p", {class: "nothing"}, "The report is empty: there is nothing to show.")]),
      ...this.drills.map(x => make_drill(x, actions)), this.none);
    addEventListener("hashchange", () => this.follow());
    addEventListener("keydown", event => {
      if (event.key === "Escape" && this.open)
        this.leave();
    });
    addEventListener("beforeprint", () => this.open?.view.timeline.draw());
    this.follow();
  }

  make_tools() {
    const count = state => this.drills.filter(x => x.state === state).length;
    this.words = el("input", {
      type: "search", placeholder: "Find drills", "aria-label": "Find drills by name, purpose, fault or file",
      on: {input: () => this.filter()}});
    const choice = (key, text) => el("button", {
      class: "button", type: "button", "aria-pressed": String(this.only === key),
      "data-only": key, on: {click: () => this.choose(key)}}, text);
    this.choices = [
      choice("all", `All ${this.drills.length}`), choice("failed", `✗ Not held ${count("failed")}`),
      choice("held", `✓ Held ${count("held")}`)];
    return el("div", {class: "tools"}, this.words,
              el("div", {class: "choice", role: "group", "aria-label": "Which drills"},
                 this.choices));
  }

  choose(key) {
    this.only = key;
    for (const x of this.choices)
      x.setAttribute("aria-pressed", String(x.dataset.only === key));
    this.filter();
  }

  filter() {
    const words = this.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const x of this.drills) {
      x.words ??= [x.name, x.file, x.purpose, ...list(x.faults), ...list(x.expectations),
                   ...list(x.program)].join("\n").toLowerCase();
      const fits = (this.only === "all" || x.state === this.only)
        && words.every(word => x.words.includes(word));
      x.element.hidden = !fits;
      count += fits;
    }
    this.none.hidden = count > 0;
  }

  // -- the open round, from the address ---------------------------------------

  is_open(drill, round) {
    return this.open?.drill === drill && this.open.round === round;
  }

  go(drill, round) {
    const target = link_to(drill, round);
    if (location.hash === target)
      this.follow();
    else
      location.hash = target;
  }

  leave() {
    const {cell, drill} = this.open ?? {};
    history.pushState(null, "", location.pathname + location.search);
    this.shut();
    if (cell)
      focus_cell(drill, cell);
  }

  shut() {
    if (!this.open)
      return;
    const {drill, cell, view} = this.open;
    cell.setAttribute("aria-expanded", "false");
    drill.element.classList.replace("open", "closed");
    view.timeline.close();
    view.element.remove();
    this.open = undefined;
  }

  find() {
    const [kind, key, number] = location.hash.slice(1).split("/");
    if (kind !== "round" || number === undefined)
      return undefined;
    const decoded = text => {
      try {
        return decodeURIComponent(text);
      } catch {
        return "";
      }
    };
    const drill = this.drills.find(x => x.key === decoded(key));
    const round = drill?.rounds.find(x => String(x.number) === decoded(number));
    return round && {drill, round};
  }

  follow() {
    const found = this.find();
    if (found && this.is_open(found.drill, found.round))
      return;
    this.shut();
    if (!found)
      return;
    const {drill, round} = found;
    if (drill.element.hidden) {
      this.words.value = "";
      this.choose("all");
    }
    const cell = drill.cells[drill.rounds.indexOf(round)];
    for (const x of drill.cells)
      x.tabIndex = -1;
    cell.tabIndex = 0;
    cell.setAttribute("aria-expanded", "true");
    drill.element.classList.replace("closed", "open");
    const view = make_round(drill, round, this.actions);
    this.open = {drill, round, cell, view};
    drill.element.append(view.element);
    view.timeline.draw();
    view.heading.focus({preventScroll: true});
    view.element.scrollIntoView({block: "start"});
  }
}

// -- start --------------------------------------------------------------------

function complain(host, text) {
  document.title = "Drills";
  host.replaceChildren(el("h1", {}, "Drills"), el("p", {class: "nothing", role: "alert"}, text));
}

/// A seed may exceed the exact range of numbers in JavaScript, so it stays
/// text.
function parse_report(text) {
  return JSON.parse(text.replace(/"seed":\s*(\d{16,})/g, '"seed":"$1"'));
}

const host = document.getElementById("main");
let report;
try {
  report = parse_report(document.getElementById("report").textContent);
} catch (error) {
  complain(host, `There is no report in this page (${error.message}); write one with: rosia-drill run`);
}
if (report?.format === 1)
  new page(report, host);
else if (report !== undefined)
  complain(host, `The report has format ${JSON.stringify(report?.format)}, and this page shows format 1.`);
