"use strict";
// What a storage goes through, drawn: a row of values after each launch or barrier, lines from what a thread read to
// what it wrote. Scans become trees, networks become wires.

const LEGEND = "A line leads from what a thread read to what it wrote, before the next barrier or in the same launch. " +
  "Dotted: compared and left. Straight and grey: the value stays. Pale: still to come.";

class FlowPanel {
  constructor(run, where, id, goTo) {
    this.run = run;
    this.goTo = goTo;
    this.choice = make("select", {id: `${id}-follow`});
    this.body = make("div", {class: "scroller", tabindex: 0, role: "region", "aria-label": "flow of values"});
    this.head = make("p", {class: "quiet"}, make("label", {for: `${id}-follow`}, "Follow "), this.choice);
    this.legend = make("p", {class: "quiet legend"}, LEGEND);
    where.append(make("h3", {}, "The flow"), this.head, this.body, this.legend);
    this.choice.addEventListener("change", () => {
      this.chosen = this.choice.value;
      this.show(this.moment);
    });
    this.keys = flowOfKeys(run);
    this.arrays = run.trace.arrays.map((_, i) => flowOfArray(run, i)).filter(Boolean);
    this.ofLaunch = new Map();
  }

  /** The flows that can be followed at a moment: the keys, and the storage of the blocks of its launch. */
  flowsAt(moment) {
    const launch = this.run.launchAround(moment.event);
    const flows = [...(this.keys ? [this.keys] : []), ...this.arrays];
    if (!launch)
      return flows;
    if (!this.ofLaunch.has(launch[2])) {
      const blocks = new Set();
      for (let i = launch[0]; i <= launch[1] && i < this.run.events.length; ++i)
        if (this.run.events[i].do === "block")
          blocks.add(this.run.events[i].block);
      const parts = this.run.partsOf(launch);
      this.ofLaunch.set(launch[2], [...blocks].sort((a, b) => a - b).slice(0, 8).flatMap((block) =>
        parts.map((part) => flowOfPart(this.run, part, block, launch[0], launch[1])).filter((flow) => flow && flow.lines() > 1)));
    }
    return [...flows, ...this.ofLaunch.get(launch[2])];
  }

  /** The keys where they move from launch to launch; else where most happens. */
  best(flows) {
    return flows[0] === this.keys && this.keys?.rows.length > 2 ? this.keys
      : [...flows].sort((a, b) => b.rows.length - a.rows.length || b.lines() - a.lines())[0];
  }

  show(moment) {
    this.moment = moment;
    const flows = this.flowsAt(moment);
    const names = flows.map((f) => f.name).join("|");
    if (names !== this.offered) {
      this.choice.replaceChildren(...flows.map((f) => make("option", {value: f.name}, f.name)));
      this.offered = names;
    }
    const flow = flows.find((f) => f.name === this.chosen) ?? this.best(flows);
    this.choice.disabled = flows.length < 2;
    this.head.hidden = this.legend.hidden = !flow;
    if (!flow) {
      this.body.replaceChildren(make("p", {class: "quiet"}, "Nothing has moved through a kernel yet."));
      return;
    }
    this.choice.value = flow.name;
    this.draw(flow, moment);
  }

  draw(flow, moment) {
    const longest = Math.max(0, ...flow.rows.flatMap((row) => row.values).map((text) => String(text ?? "").length));
    const pitch = Math.max(24, 8 + 7.6 * longest), tall = 22, gap = 40, margin = 104;
    const x = (column) => margin + (column + 0.5) * pitch;
    const y = (row) => row * (tall + gap);
    const width = margin + flow.places.length * pitch + 8, height = flow.rows.length * (tall + gap) - gap + 4;
    const svg = make("svg:svg", {class: "flow", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": this.spoken(flow)});
    flow.rows.forEach((row, r) => {
      const done = row.last <= moment.event;
      const now = !done && row.first <= moment.event;
      const reached = new Set(row.lines.filter((line) => !line.compared).map((line) => flow.columns.get(line.to)));
      if (r > 0)
        row.values.forEach((value, c) => {
          if (!reached.has(c) && value === flow.rows[r - 1].values[c] && value !== null)
            svg.append(make("svg:path", {class: "line stays", d: `M${x(c)} ${y(r - 1) + tall}V${y(r)}`}));
        });
      row.lines.forEach((line) => {
        const [a, b] = [flow.columns.get(line.from), flow.columns.get(line.to)];
        if (r === 0 || a === undefined || b === undefined)
          return;
        const [x1, y1, x2, y2] = [x(a), y(r - 1) + tall, x(b), y(r)];
        const when = line.event === moment.event && moment.isEvent ? "lit" : line.event <= moment.event ? "done" : "ahead";
        const half = gap / 2;
        svg.append(make("svg:path", {class: `line ${when}${a === b ? " stays" : ""}${line.compared ? " compared" : ""}`,
          d: `M${x1} ${y1}C${x1} ${y1 + half} ${x2} ${y2 - half} ${x2} ${y2}`}));
      });
      const group = make("svg:g", {class: `level ${done ? "done" : now ? "now" : "ahead"}`},
        make("svg:text", {class: "level-name", x: 2, y: y(r) + 15}, shortened(row.title)));
      row.values.forEach((value, c) => group.append(
        make("svg:rect", {x: x(c) - pitch / 2 + 2, y: y(r), width: pitch - 4, height: tall, rx: 3}),
        make("svg:text", {class: "value", x: x(c), y: y(r) + 15}, done || r === 0 ? value ?? "·" : "")));
      group.addEventListener("click", () => this.goTo(row.last));
      svg.append(group);
    });
    this.body.replaceChildren(svg);
  }

  spoken(flow) {
    const moved = flow.lines();
    return `${flow.name}: ${flow.rows.length} levels of ${flow.places.length} places, ` +
      `${moved} lines from what was read to what was written`;
  }
}

function shortened(text) {
  return text.length > 14 ? text.slice(0, 13) + "…" : text;
}
