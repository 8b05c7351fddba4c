"use strict";
// The machine: global memory in sectors of 32 bytes, blocks as rooms with their warps, lanes and shared storage in 32
// banks. What the warp of the moment touches is lit.

const BANKS = 32;
const MOST_ROOMS = 8; // drawn whole; further blocks are named in a line
const MOST_CELLS = 128; // of an array; of larger ones the sectors that the launch touches
const MOST_ROWS = 16; // of shared storage

class MachinePanel {
  constructor(run, where) {
    this.run = run;
    this.title = make("p", {class: "title"});
    this.memory = make("div", {class: "memory"});
    this.rooms = make("div", {class: "rooms"});
    this.arrows = make("svg:svg", {class: "overlay", "aria-hidden": "true"});
    this.stage = make("div", {class: "stage"}, this.memory, this.rooms, this.arrows);
    where.append(make("h3", {}, "The machine"), this.title,
      make("div", {class: "scroller", tabindex: 0, role: "region", "aria-label": "memory and blocks"}, this.stage));
    this.touched = new Map();
  }

  /** What a launch touches at all, found once for each. */
  survey(launch) {
    const [first, last, number] = launch;
    if (this.touched.has(number))
      return this.touched.get(number);
    const found = {sectors: new Map(), warps: new Map(), parts: this.run.partsOf(launch), blocks: []};
    for (let i = first; i <= last && i < this.run.events.length; ++i) {
      const event = this.run.events[i];
      if (event.do === "block")
        found.blocks.push(event.block);
      if (event.do !== "request")
        continue;
      if (event.space === "global" && event.array !== null) {
        if (!found.sectors.has(event.array))
          found.sectors.set(event.array, new Set());
        event.sectors.forEach((s) => found.sectors.get(event.array).add(s));
      }
      if (!found.warps.has(event.block))
        found.warps.set(event.block, new Map());
      const warps = found.warps.get(event.block);
      warps.set(event.warp, new Set([...(warps.get(event.warp) ?? []), ...event.lanes]));
    }
    found.blocks.sort((a, b) => a - b);
    this.touched.set(number, found);
    return found;
  }

  show(moment) {
    const launch = this.run.launchAround(moment.event);
    const event = moment.isEvent ? this.run.events[moment.event] : null;
    const state = this.run.stateAfter(moment.event);
    const found = launch ? this.survey(launch) : null;
    this.title.textContent = launch ? this.launchTitle(launch, moment.event) : "No kernel has run yet: the host is at work.";
    const arrays = new Set(found ? found.sectors.keys() : []);
    this.run.trace.arrays.forEach((a, i) => {
      if (this.run.names.holdsKeys(i) && state.global[i].known.includes(1))
        arrays.add(i);
    });
    if (event?.array !== undefined && event.array !== null)
      arrays.add(event.array);
    this.memory.replaceChildren(...[...arrays].sort((a, b) => a - b).map((i) => this.array(i, state, event, found)));
    this.showBlocks(found, state, event, launch);
    this.bringIntoSight();
    this.drawArrows(moment);
  }

  /** Scrolls sideways to the first place that is touched, where it is out of sight. */
  bringIntoSight() {
    const lit = this.stage.querySelector(".cell.lit");
    const window_ = this.stage.parentElement;
    if (!lit)
      return;
    const [cell, frame] = [lit.getBoundingClientRect(), window_.getBoundingClientRect()];
    if (cell.right > frame.right || cell.left < frame.left)
      window_.scrollLeft += cell.left - frame.left - frame.width / 3;
  }

  launchTitle([, last, number], now) {
    const launch = this.run.trace.launches[number];
    const blocks = launch.grid.reduce((a, b) => a * b);
    return `Launch ${number + 1} of ${this.run.trace.launches.length}: ${kernelName(launch.kernel)}, ` +
      `${blocks} ${blocks === 1 ? "block" : "blocks"} of ${launch.block} threads${now >= last ? "; it has ended" : ""}`;
  }

  array(number, state, event, found) {
    const array = this.run.trace.arrays[number];
    const isKeys = this.run.names.holdsKeys(number);
    const here = event?.do === "request" && event.space === "global" && event.array === number ? event : null;
    const places = new Set(here?.at ?? []);
    const count = Math.floor(array.bytes / array.element);
    const perSector = Math.max(1, Math.floor(32 / array.element));
    const sectors = count <= MOST_CELLS ? Array.from({length: Math.ceil(count / perSector)}, (_, s) => s)
      : [...(found?.sectors.get(number) ?? [])].sort((a, b) => a - b).slice(0, MOST_CELLS / perSector);
    const placesOf = (s) => Array.from({length: Math.min(count, (s + 1) * perSector) - s * perSector}, (_, k) => s * perSector + k);
    const texts = new Map(sectors.flatMap(placesOf).map((i) =>
      [i, textAt(this.run, state.global[number], i * array.element, array.element, isKeys)]));
    const heights = isKeys ? ranks([...texts.values()]) : [];
    const bars = new Map([...texts.keys()].map((i, k) => [i, heights[k]]));
    const drawn = sectors.map((s, k) => make("span",
      {class: `sector${here?.sectors.includes(s) ? " lit" : ""}${k > 0 && s !== sectors[k - 1] + 1 ? " after-gap" : ""}`},
      placesOf(s).map((i) => {
        const cell = make("span", {class: cellClass(isKeys, texts.get(i), places.has(i * array.element), event),
          "data-at": `g${number}:${i * array.element}`}, texts.get(i) ?? "·");
        if (bars.get(i) !== null && bars.get(i) !== undefined)
          cell.style.setProperty("--rank", bars.get(i).toFixed(3));
        return cell;
      })));
    const cost = here ? `${here.units} ${here.units === 1 ? "sector" : "sectors"}, ${here.ideal} at best` : "";
    const columns = this.columnsOf(number, count);
    const spoken = `global array ${this.run.names.array(number)}, ${count} elements${cost ? ", " + cost : ""}`;
    return make("div", {class: "array", role: "group", "aria-label": spoken},
      make("div", {class: "array-name"}, this.run.names.array(number), make("small", {}, ` ${count} × ${array.element} bytes`),
        cost ? make("b", {class: "cost"}, cost) : null),
      make("div", {class: columns ? "sectors matrix" : "sectors", style: columns ? `--columns: ${columns}` : null}, drawn));
  }

  /** Of a table: its columns, as a step of the sort shows it; else 0. */
  columnsOf(number, count) {
    if (!/table/.test(this.run.names.array(number)))
      return 0;
    for (const step of this.run.steps)
      for (const row of step.rows) {
        const rows = step.rows.filter((r) => r.table && r.table === row.table).length;
        if (rows > 1 && rows * row.cells.length === count)
          return row.cells.length;
      }
    return 0;
  }

  /** The rooms of a launch stay, with their cells: laying out new ones takes longer than all else. */
  showBlocks(found, state, event, launch) {
    const active = event?.block;
    const shown = found ? found.blocks.filter((b, i) => i < MOST_ROOMS || b === active) : [];
    const names = `${launch?.[2]}: ${shown}`;
    if (names !== this.shown) {
      this.shown = names;
      this.drawn = shown.map((b) => new Room(this.run, b, found, launch));
      const rest = (found?.blocks.length ?? 0) - shown.length;
      this.rooms.replaceChildren(...this.drawn.map((room) => room.element),
        ...(rest > 0 ? [make("p", {class: "quiet"}, `${rest} more blocks`)] : []));
    }
    for (const room of this.drawn)
      room.show(state, event);
  }

  /** From the places that lanes had their keys from to those they go to. Measuring lays the page out: only where something moves. */
  drawArrows(moment) {
    this.arrows.replaceChildren();
    const moves = moment.isEvent ? this.run.moves.ofEvent.get(moment.event) : undefined;
    this.arrows.style.display = moves ? "" : "none";
    if (!moves)
      return;
    const frame = this.stage.getBoundingClientRect();
    this.arrows.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
    this.arrows.setAttribute("width", frame.width);
    this.arrows.setAttribute("height", frame.height);
    const cellAt = (place) => this.stage.querySelector(`[data-at="${place.storage}:${place.at}"]`);
    for (const move of moves) {
      const [from, to] = [cellAt(move.from), cellAt(move.to)].map((cell) => cell?.getBoundingClientRect());
      if (!from || !to)
        continue;
      const down = to.top >= from.top;
      const [x1, y1] = [from.left - frame.left + from.width / 2, (down ? from.bottom : from.top) - frame.top];
      const [x2, y2] = [to.left - frame.left + to.width / 2, (down ? to.top : to.bottom) - frame.top];
      const bend = (y1 + y2) / 2;
      this.arrows.append(make("svg:path", {class: "arrow", d: `M${x1} ${y1}C${x1} ${bend} ${x2} ${bend} ${x2} ${y2}`}),
        make("svg:circle", {class: "arrow-head", cx: x2, cy: y2, r: 2.5}));
    }
  }
}

function cellClass(isKey, text, lit, event) {
  const touched = !lit ? "" : event.after ? " lit written" : " lit";
  return `cell ${isKey ? "keys" : "numbers"}${text === null ? " unknown" : ""}${touched}`;
}

/** A block: its warps, and its part of shared storage. */
class Room {
  constructor(run, block, found, launch) {
    this.run = run;
    this.block = block;
    this.threads = run.trace.launches[launch[2]].block;
    this.working = [...(found.warps.get(block) ?? new Map())].sort((a, b) => a[0] - b[0]);
    this.condition = make("small");
    this.warps = make("div", {class: "warps"});
    this.parts = found.parts.map((part) => new PartOfShared(run, part, block, launch));
    this.cost = make("div");
    this.shared = make("div", {class: "shared"}, this.cost, this.parts.map((part) => part.element));
    this.element = make("section", {}, make("h4", {}, `block ${block}`, this.condition), this.warps);
    this.lit = null; // whether the moment before was this block's
  }

  show(state, event) {
    const here = event?.block === this.block;
    const condition = !state.running.has(this.block) ? "has not begun"
      : here && event.do === "barrier" && event.level !== "collective" ? "all threads have met at a barrier"
        : state.running.get(this.block);
    this.element.className = `room${here ? " lit" : ""} ${condition.replaceAll(" ", "-")}`;
    this.element.setAttribute("aria-label", `block ${this.block}, ${condition}`);
    this.condition.textContent = condition;
    if (here || this.lit !== false)
      this.showWarps(here ? event : null);
    this.lit = here;
    this.showShared(state.shared.get(this.block), event);
  }

  showWarps(event) {
    const idle = Math.ceil(this.threads / 32) - this.working.length;
    this.warps.replaceChildren(...this.working.map(([warp, working]) => this.warp(warp, working, event)),
      ...(idle > 0 ? [make("small", {class: "quiet"}, `${idle} ${idle === 1 ? "warp touches" : "warps touch"} no memory`)] : []));
  }

  warp(warp, working, event) {
    const lit = new Set(event && event.warp === warp && event.lanes ? event.lanes : []);
    const lanes = Math.min(32, this.threads - 32 * warp);
    return make("div", {class: "warp", role: "img", "aria-label": `warp ${warp}: ${lit.size} of ${lanes} lanes in this request`},
      make("span", {class: "warp-name"}, `w${warp}`),
      make("span", {class: "lanes"}, Array.from({length: lanes}, (_, lane) =>
        make("i", {class: `lane${lit.has(lane) ? " lit" : ""}${working.has(lane) ? "" : " idle"}`}))));
  }

  /** A row for 32 banks, the parts that the launch touches one after another. */
  showShared(storage, event) {
    if (!storage || this.parts.length === 0) {
      this.shared.remove();
      return;
    }
    const here = event?.do === "request" && event.space === "shared" && (event.owner ?? event.block) === this.block ? event : null;
    const cost = here ? this.banks(here) : make("div");
    this.cost.replaceWith(cost);
    this.cost = cost;
    for (const part of this.parts)
      part.show(storage, here);
    if (!this.shared.parentElement)
      this.element.append(this.shared);
  }

  /** How many different words the request wants of each bank. */
  banks(event) {
    const words = Array.from({length: BANKS}, () => new Set());
    event.at.forEach((at, k) => {
      for (let b = 0; b < Math.max(4, event.size); b += 4)
        words[Math.floor((at + b) / 4) % BANKS].add(event.what === "atomic" ? `${at + b}:${k}` : Math.floor((at + b) / 4));
    });
    const replays = event.units - event.ideal;
    const text = `${event.units} ${event.units === 1 ? "wavefront" : "wavefronts"}, ${event.ideal} at best` +
      (replays > 0 ? `: ${replays} ${replays === 1 ? "replay" : "replays"} by bank conflicts` : "");
    return make("div", {class: "banks", role: "img", "aria-label": text},
      make("b", {class: "cost"}, text),
      make("span", {class: "bank-row"}, words.map((w, b) =>
        make("i", {class: `bank${w.size > 0 ? " lit" : ""}${w.size > 1 ? " conflict" : ""}`, title: `bank ${b}`},
          w.size > 1 ? String(w.size) : ""))));
  }
}

/** An array of shared storage. Of each cell it keeps what it shows. */
class PartOfShared {
  constructor(run, part, block, launch) {
    this.run = run;
    this.size = part.size;
    this.cells = []; // {at, isKey, element, look, text}
    const grid = make("div", {class: "bank-grid"});
    const wide = Math.max(1, part.size / 4);
    const rows = [...new Set(part.places.map((at) => Math.floor(at / 128)))];
    const places = new Map(rows.slice(0, MOST_ROWS).map((row, i) => [row, i + 1]));
    for (const at of part.places) {
      const row = places.get(Math.floor(at / 128));
      if (row === undefined)
        continue;
      const element = make("span", {"data-at": `s${block}:${at}`});
      element.style.gridColumn = `${Math.floor((at % 128) / 4) + 1} / span ${wide}`;
      element.style.gridRow = String(row);
      grid.append(element);
      this.cells.push({at, isKey: isKeyPlace(run, launch[0], at), element, look: null, text: null});
    }
    const rest = rows.length - MOST_ROWS;
    const spoken = `shared array ${part.name}, ${part.places.length} places used`;
    this.element = make("div", {class: "part-of-shared", role: "group", "aria-label": spoken},
      make("div", {class: "array-name"}, part.name, make("small", {}, ` ${part.places.length} × ${part.size} bytes`)),
      grid, rest > 0 ? make("p", {class: "quiet"}, `${rest} more rows of banks`) : null);
  }

  show(storage, here) {
    const lit = new Set(here?.at ?? []);
    for (const cell of this.cells) {
      const known = textAt(this.run, storage, cell.at, this.size, cell.isKey);
      const [look, text] = [cellClass(cell.isKey, known, lit.has(cell.at), here), known ?? "·"];
      if (look !== cell.look)
        cell.element.className = cell.look = look;
      if (text !== cell.text)
        cell.element.textContent = cell.text = text;
    }
  }
}
