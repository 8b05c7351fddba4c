"use strict";
// The idea: a step of the sort as the sort tells it. Rows of cells, block by block; tables; comparators; where keys go.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; strings become text. */
function make(tag, attributes = {}, ...children) {
  const element = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** The rank of each key among those shown, from 0 to 1: the bar in its cell. */
function ranks(cells) {
  const numbers = cells.map((c) => (c === null ? NaN : Number(String(c).split("/")[0])));
  if (numbers.some(Number.isNaN))
    return cells.map(() => null);
  const order = [...new Set(numbers)].sort((a, b) => a - b);
  const rank = new Map(order.map((x, i) => [x, order.length > 1 ? i / (order.length - 1) : 1]));
  return numbers.map((x) => rank.get(x));
}

function cellRow(row) {
  const bars = row.kind === "keys" ? ranks(row.cells) : [];
  const bounds = new Set(row.bounds ?? []);
  const groups = [];
  row.cells.forEach((text, i) => {
    if (i === 0 || bounds.has(i))
      groups.push(make("span", {class: "part"}));
    const cell = make("span", {class: `cell ${row.kind}`, "data-place": i}, text);
    if (bars[i] !== null && bars[i] !== undefined)
      cell.style.setProperty("--rank", bars[i].toFixed(3));
    if (row.kind === "flags" && text === "1")
      cell.classList.add("on");
    groups[groups.length - 1].append(cell);
  });
  const spoken = groups.map((g) => [...g.children].map((c) => c.textContent).join(" ")).join(", next block: ");
  return make("div", {class: "row"},
    make("span", {class: "label"}, row.label),
    make("span", {class: "cells", role: "img", "aria-label": `${row.label || row.kind}: ${spoken}`}, groups));
}

function tableOf(rows) {
  const widest = Math.max(...rows.map((row) => row.cells.length));
  return make("table", {class: "buckets"},
    make("caption", {}, make("span", {class: "stays"}, rows[0].table)),
    make("tbody", {}, rows.map((row) => make("tr", {},
      make("th", {scope: "row"}, row.label),
      Array.from({length: widest}, (_, i) => make("td", {class: row.cells[i] === "0" ? "zero" : null}, row.cells[i] ?? ""))))));
}

/** Rows of a step as elements, each with the rows that it shows: rows with the same table stand in one. */
function rowsOf(step) {
  const made = [];
  for (let i = 0; i < step.rows.length; ++i) {
    let end = i + 1;
    while (step.rows[i].table && end < step.rows.length && step.rows[end].table === step.rows[i].table)
      ++end;
    const rows = step.rows.slice(i, end);
    made.push({rows, element: step.rows[i].table ? tableOf(rows) : cellRow(step.rows[i])});
    i = end - 1;
  }
  return made;
}

/** How wide a column is, so that the longest text fits. */
function pitchFor(texts) {
  return Math.max(28, 12 + 8.5 * Math.max(0, ...texts.map((text) => String(text ?? "").length)));
}

/** Comparators of a step as a network draws them: a wire for each place, an arrow towards where the greater key goes. */
function networkOf(step, width, pitch) {
  const columns = [];
  for (const wire of step.wires) {
    let column = columns.find((c) => c.every((w) => wire.low > w.high || wire.high < w.low));
    if (!column)
      columns.push((column = []));
    column.push(wire);
  }
  const height = 16 + 14 * columns.length;
  const svg = make("svg:svg", {class: "network", viewBox: `0 0 ${width * pitch} ${height}`, width: width * pitch, height,
    role: "img", "aria-label": `${step.wires.length} comparators: ` + step.wires.map((w) =>
      `${w.low} and ${w.high}${w.descending ? ", greater first" : ""}${w.exchanged ? ", exchanged" : ""}`).join("; ")});
  for (let i = 0; i < width; ++i)
    svg.append(make("svg:line", {class: "wire", x1: (i + 0.5) * pitch, x2: (i + 0.5) * pitch, y1: 0, y2: height}));
  columns.forEach((column, c) => column.forEach((w) => {
    const y = 12 + 14 * c;
    const [tail, head] = w.descending ? [w.high, w.low] : [w.low, w.high];
    const x = (i) => (i + 0.5) * pitch;
    const way = Math.sign(head - tail);
    svg.append(make("svg:g", {class: w.exchanged ? "comparator exchanged" : "comparator"},
      make("svg:circle", {cx: x(tail), cy: y, r: 3}),
      make("svg:path", {d: `M${x(tail)} ${y}H${x(head)}` +
        `M${x(head) - 6 * way} ${y - 4}L${x(head)} ${y}L${x(head) - 6 * way} ${y + 4}`})));
  }));
  return svg;
}

/** Lines from cells of one row to cells of another, as a strip between them. */
function arrowsBetween(arrows, width, pitch) {
  const height = 44;
  const x = (i) => (i + 0.5) * pitch;
  return make("svg:svg", {class: "arrows", viewBox: `0 0 ${width * pitch} ${height}`, width: width * pitch, height, role: "img",
    "aria-label": "keys go " + arrows.map((a) => `from ${a.from} to ${a.to}`).join(", ")},
    arrows.map((a) => make("svg:path", {
      class: a.from === a.to ? "arrow stays" : "arrow",
      d: `M${x(a.from)} 1C${x(a.from)} ${height / 2} ${x(a.to)} ${height / 2} ${x(a.to)} ${height - 7}m-3-5l3 6l3-6`})));
}

class IdeaPanel {
  constructor(run, where, id) {
    this.run = run;
    this.id = id;
    this.body = make("div", {class: "idea-body"});
    where.append(make("h3", {}, "The idea"), this.body);
  }

  show(moment) {
    const step = this.run.steps[moment.step];
    this.body.replaceChildren();
    if (!step) {
      this.body.append(make("p", {class: "quiet"}, "Nothing has been shown yet."));
      return;
    }
    const number = this.run.steps.slice(0, moment.step + 1).length;
    this.body.append(make("p", {class: "title"},
      make("span", {class: "number"}, `${number}/${this.run.steps.length} ${moment.underWay ? "under way " : ""}`), step.title));
    const rows = rowsOf(step);
    const pitch = pitchFor(step.rows.filter((r) => !r.table).flatMap((r) => r.cells));
    const width = Math.max(0, ...step.rows.filter((r) => !r.table).map((r) => r.cells.length));
    const ofKeys = rows.filter((r) => r.rows[0].kind === "keys" && !r.rows[0].table);
    const last = rows.indexOf(ofKeys[ofKeys.length - 1]);
    if (step.wires.length > 0 && width > 0)
      rows.splice(ofKeys.length > 1 ? rows.indexOf(ofKeys[0]) + 1 : Math.max(0, last), 0, {element: networkOf(step, width, pitch)});
    else if (step.arrows.length > 0 && ofKeys.length > 0)
      rows.splice(last, 0, ...this.wayOfKeys(step, ofKeys, last - rows.indexOf(ofKeys[0]), width, pitch));
    const scroller = make("div", {class: "scroller", tabindex: 0, role: "region", "aria-label": "rows of this step"},
      rows.map((r) => r.element));
    scroller.style.setProperty("--pitch", `${pitch}px`);
    this.body.append(scroller);
  }

  /** The lines to the last row of keys; where the first is not right above it, that row again before them. */
  wayOfKeys(step, ofKeys, distance, width, pitch) {
    const again = distance > 1 ? [{element: cellRow({...ofKeys[0].rows[0], label: `from ${ofKeys[0].rows[0].label || "keys"}`})}] : [];
    return [...again, {element: arrowsBetween(step.arrows, width, pitch)}];
  }
}
