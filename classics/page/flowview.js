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
    this.drawings = new Map();
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

  /** A flow is drawn once; a moment then changes the lines and rows whose turn it is. */
  draw(flow, moment) {
    if (!this.drawings.has(flow))
      this.drawings.set(flow, new FlowDrawing(flow, this.spoken(flow), this.goTo));
    const drawing = this.drawings.get(flow);
    drawing.show(moment);
    if (this.body.firstChild !== drawing.svg || this.body.childNodes.length > 1)
      this.body.replaceChildren(drawing.svg);
  }

  spoken(flow) {
    const moved = flow.lines();
    return `${flow.name}: ${flow.rows.length} levels of ${flow.places.length} places, ` +
      `${moved} lines from what was read to what was written`;
  }
}

const ROW_TALL = 22, ROW_GAP = 40, NAMES_WIDE = 104;

/** A flow as a picture. Of each line and row it keeps what it shows. */
class FlowDrawing {
  constructor(flow, spoken, goTo) {
    this.flow = flow;
    const longest = Math.max(0, ...flow.rows.flatMap((row) => row.values).map((text) => String(text ?? "").length));
    this.pitch = Math.max(24, 8 + 7.6 * longest);
    this.lines = []; // {path, event, look, when}
    this.rows = []; // {row, group, cells, look, told}
    const width = NAMES_WIDE + flow.places.length * this.pitch + 8;
    const height = flow.rows.length * (ROW_TALL + ROW_GAP) - ROW_GAP + 4;
    this.svg = make("svg:svg", {class: "flow", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": spoken});
    flow.rows.forEach((row, r) => {
      if (r > 0)
        this.drawLines(row, r);
      this.drawRow(row, r, goTo);
    });
  }

  x(column) {
    return NAMES_WIDE + (column + 0.5) * this.pitch;
  }

  y(row) {
    return row * (ROW_TALL + ROW_GAP);
  }

  drawLines(row, r) {
    const {columns, rows} = this.flow;
    const [above, below] = [this.y(r - 1) + ROW_TALL, this.y(r)];
    const reached = new Set(row.lines.filter((line) => !line.compared).map((line) => columns.get(line.to)));
    row.values.forEach((value, c) => {
      if (!reached.has(c) && value === rows[r - 1].values[c] && value !== null)
        this.svg.append(make("svg:path", {class: "line stays", d: `M${this.x(c)} ${above}V${below}`}));
    });
    for (const line of row.lines) {
      const [a, b] = [columns.get(line.from), columns.get(line.to)];
      if (a === undefined || b === undefined)
        continue;
      const [x1, x2, half] = [this.x(a), this.x(b), ROW_GAP / 2];
      const path = make("svg:path", {d: `M${x1} ${above}C${x1} ${above + half} ${x2} ${below - half} ${x2} ${below}`});
      this.lines.push({path, event: line.event, look: `${a === b ? " stays" : ""}${line.compared ? " compared" : ""}`, when: null});
      this.svg.append(path);
    }
  }

  drawRow(row, r, goTo) {
    const cells = row.values.map((_, c) => make("svg:text", {class: "value", x: this.x(c), y: this.y(r) + 15}));
    const group = make("svg:g", {}, make("svg:text", {class: "level-name", x: 2, y: this.y(r) + 15}, shortened(row.title)),
      cells.flatMap((cell, c) =>
        [make("svg:rect", {x: this.x(c) - this.pitch / 2 + 2, y: this.y(r), width: this.pitch - 4, height: ROW_TALL, rx: 3}), cell]));
    group.addEventListener("click", () => goTo(row.last));
    this.rows.push({row, group, cells, look: null, told: null});
    this.svg.append(group);
  }

  show(moment) {
    for (const line of this.lines) {
      const when = line.event === moment.event && moment.isEvent ? "lit" : line.event <= moment.event ? "done" : "ahead";
      if (when !== line.when)
        line.path.setAttribute("class", `line ${line.when = when}${line.look}`);
    }
    this.rows.forEach((shown, r) => {
      const {row, group, cells} = shown;
      const look = row.last <= moment.event ? "done" : row.first <= moment.event ? "now" : "ahead";
      if (look !== shown.look)
        group.setAttribute("class", `level ${shown.look = look}`);
      const told = look === "done" || r === 0;
      if (told !== shown.told)
        cells.forEach((cell, c) => cell.textContent = told ? row.values[c] ?? "·" : "");
      shown.told = told;
    });
  }
}

function shortened(text) {
  return text.length > 14 ? text.slice(0, 13) + "…" : text;
}
