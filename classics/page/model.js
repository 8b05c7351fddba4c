"use strict";
// A run, read from its trace: the moments that can be stopped at, and memory as it was at each of them.
//
// What is known of memory is what the trace says was written; all else is unknown and shown as such. A moment's state is
// the nearest state kept before it, with the writes since then done again.

const KEPT_EVERY = 256; // events between two states that are kept

/** One array of global memory, or the shared storage of a block: bytes, and which of them are known. */
class Bytes {
  constructor(size) {
    this.bytes = new Uint8Array(size);
    this.known = new Uint8Array(size);
  }
  copy() {
    const other = new Bytes(0);
    other.bytes = this.bytes.slice();
    other.known = this.known.slice();
    return other;
  }
  write(at, value, size) {
    for (let i = 0; i < size && at + i < this.bytes.length; ++i) {
      this.bytes[at + i] = (value >>> (8 * i)) & 0xff;
      this.known[at + i] = 1;
    }
  }
  /** The words of `size` bytes at `at`, or null where they are not known. */
  read(at, size) {
    if (at < 0 || at + size > this.bytes.length || !this.known[at])
      return null;
    const words = [];
    for (let i = 0; i < size; i += 4) {
      let word = 0;
      for (let k = Math.min(4, size - i); k-- > 0;)
        word = word * 256 + this.bytes[at + i + k];
      words.push(word);
    }
    return words;
  }
}

/** Memory at a moment: global arrays by number, shared storage by block of the launch that runs. */
class State {
  constructor(trace) {
    this.global = trace.arrays.map((a) => new Bytes(a.bytes));
    this.shared = new Map();
    this.running = new Map(); // block → "runs" or "has ended"
    this.ticks = new Map(); // place → when an atomic last wrote it
    this.launch = -1;
  }
  copy() {
    const other = Object.create(State.prototype);
    other.global = this.global.map((a) => a.copy());
    other.shared = new Map([...this.shared].map(([b, s]) => [b, s.copy()]));
    other.running = new Map(this.running);
    other.ticks = new Map(this.ticks);
    other.launch = this.launch;
    return other;
  }
  /** The storage that a request is in: an array, or a block's shared storage. */
  storage(event) {
    return event.space === "global" ? this.global[event.array] : this.shared.get(event.owner ?? event.block);
  }
  apply(event, trace) {
    switch (event.do) {
      case "launch":
        this.launch = event.launch;
        this.shared.clear();
        this.running.clear();
        this.ticks.clear();
        break;
      case "block":
        this.shared.set(event.block, new Bytes(trace.launches[this.launch].shared_bytes));
        this.running.set(event.block, "runs");
        break;
      case "block ends":
        this.running.set(event.block, "has ended");
        break;
      case "host writes":
        writeWords(this.global[event.array], event.at, event.values, trace.arrays[event.array].element);
        break;
      case "bulk copy": {
        const shared = event.to === "shared";
        writeWords(shared ? this.shared.get(event.block) : this.global[event.array],
          shared ? event.shared_at : event.at, event.values, 4);
        break;
      }
      case "request": {
        const storage = event.after && this.storage(event);
        if (storage)
          event.at.forEach((at, i) => {
            if (this.isLatest(event, i))
              writeWords(storage, at, valueOf(event, event.after, i), event.size);
          });
        break;
      }
    }
  }

  /** Whether no atomic that was done later has been told already: those of other warps may have been. */
  isLatest(event, i) {
    if (!event.ticks)
      return true;
    const place = `${event.space}:${event.space === "global" ? event.array : event.owner ?? event.block}:${event.at[i]}`;
    if (event.ticks[i] < (this.ticks.get(place) ?? 0))
      return false;
    this.ticks.set(place, event.ticks[i]);
    return true;
  }
}

function writeWords(storage, at, words, size) {
  const unit = Math.min(size, 4);
  words.forEach((word, i) => storage.write(at + i * unit, word, unit));
}

/** Words of what the i-th lane of a request found (`before`) or left (`after`). */
function valueOf(event, values, i) {
  const each = Math.max(1, event.size / 4);
  return values.slice(i * each, (i + 1) * each);
}

/** An event of [shape, values...]; texts are the shape's. Lists in equal steps come as texts, "0+4x32" for 0, 4, … 124. */
const LISTS = ["lanes", "at", "before", "after", "sectors", "values", "ticks"];

function unpacked(packed, shapes) {
  const {names, texts} = shapes[packed[0]];
  const event = {...texts};
  names.forEach((name, i) => event[name] = packed[i + 1]);
  for (const list of LISTS)
    if (typeof event[list] === "string") {
      const [first, by, count] = event[list].match(/^(-?\d+)\+(-?\d+)x(\d+)$/).slice(1).map(Number);
      event[list] = Array.from({length: count}, (_, i) => first + i * by);
    }
  return event;
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** What is paid so far: one line of the ledger for each moment. */
const LEDGER = [
  ["launches", "launches"],
  ["requests", "requests of warps"],
  ["asked", "bytes that lanes asked for"],
  ["moved", "bytes of global memory moved, whole sectors"],
  ["sectors", "sectors of global memory"],
  ["best", "sectors at best"],
  ["wavefronts", "wavefronts of shared memory"],
  ["conflicts", "of them replays by bank conflicts"],
  ["atomics", "atomic requests"],
  ["barriers", "barriers of a block"],
  ["collectives", "warp-wide calls and barriers"],
];

function addToLedger(line, event) {
  if (event.do === "launch")
    ++line.launches;
  if (event.do === "barrier") {
    if (event.level === "block")
      ++line.barriers;
    if (event.level === "warp" || event.level === "collective")
      ++line.collectives;
  }
  if (event.do !== "request")
    return;
  ++line.requests;
  line.asked += event.lanes.length * event.size;
  if (event.what === "atomic")
    ++line.atomics;
  if (event.space === "global") {
    line.sectors += event.units;
    line.moved += event.units * 32;
    line.best += event.ideal;
  }
  if (event.space === "shared") {
    line.wavefronts += event.units;
    line.conflicts += event.units - event.ideal;
  }
}

class Run {
  constructor(data) {
    Object.assign(this, data);
    this.trace ??= {arrays: [], launches: [], events: [], sites: [], shapes: []};
    this.trace.events = this.trace.events.map((event) => unpacked(event, this.trace.shapes));
    this.names = new Names(this);
    this.findMoments();
    this.keepStates();
  }

  get events() {
    return this.trace.events;
  }

  /** Events and steps in one list. A step comes when its last launch has ended or, where a launch has several steps, at
   * its barrier; what a launch does before belongs to that step, which is then under way. */
  findMoments() {
    this.moments = [];
    let next = 0;
    const steps = (isDone) => {
      for (; next < this.steps.length && isDone(this.steps[next]); ++next)
        this.moments.push({step: next, event: this.lastEvent});
    };
    this.lastEvent = -1;
    let launch = -1, barriers = 0;
    this.events.forEach((event, i) => {
      if (event.do === "launch") {
        steps((s) => s.launches <= event.launch);
        [launch, barriers] = [event.launch, 0];
      }
      this.lastEvent = i;
      const [begun, step] = [next > 0 ? this.steps[next - 1].launches : 0, this.steps[next]];
      const sharesIt = next > 0 && this.steps[next - 1].barriers > 0; // with the step before
      const runs = step !== undefined && step.launches > launch && launch >= (sharesIt ? begun - 1 : begun);
      this.moments.push({event: i, step: runs ? next : next - 1, isEvent: true, underWay: runs});
      if (event.do === "barrier" && event.level === "block" && event.block === 0) {
        ++barriers;
        steps((s) => s.launches === launch + 1 && s.barriers > 0 && s.barriers <= barriers);
      }
      if (event.do === "launch ends")
        steps((s) => s.launches <= event.launch + 1 && next + 1 < this.steps.length); // the last is the result
    });
    steps(() => true);
    if (this.moments.length === 0)
      this.moments.push({event: -1, step: -1});
  }

  /** Where each way of going forward stops: indices of moments. */
  stops(pace) {
    const wanted = {
      step: (m) => !m.isEvent,
      phase: (m) => !m.isEvent || this.isPhase(this.events[m.event]),
      request: (m) => !m.isEvent || !["block", "host reads"].includes(this.events[m.event].do),
    }[pace];
    const found = this.moments.map((m, i) => (wanted(m) ? i : -1)).filter((i) => i >= 0);
    return found.length > 0 ? found : [this.moments.length - 1];
  }

  isPhase(event) {
    return (event.do === "barrier" && ["block", "cluster", "grid"].includes(event.level)) || event.do === "launch ends";
  }

  keepStates() {
    this.kept = [];
    this.ledger = [];
    const state = new State(this.trace);
    const line = Object.fromEntries(LEDGER.map(([key]) => [key, 0]));
    this.events.forEach((event, i) => {
      if (i % KEPT_EVERY === 0)
        this.kept.push(state.copy());
      state.apply(event, this.trace);
      addToLedger(line, event);
      this.ledger.push({...line});
    });
    this.nothing = Object.fromEntries(LEDGER.map(([key]) => [key, 0]));
  }

  /** Memory after event i; -1: before all. */
  stateAfter(i) {
    if (i < 0)
      return new State(this.trace);
    const from = Math.floor(i / KEPT_EVERY);
    const state = this.kept[from].copy();
    for (let k = from * KEPT_EVERY; k <= i; ++k)
      state.apply(this.events[k], this.trace);
    return state;
  }

  /** The parts of shared storage in a launch, [first event, last event, number]: names, places. */
  partsOf(launch) {
    this.parts ??= new Map();
    if (!this.parts.has(launch[2]))
      this.parts.set(launch[2], this.names.sharedParts(launch[0], launch[1]));
    return this.parts.get(launch[2]);
  }

  ledgerAfter(i) {
    return i < 0 ? this.nothing : this.ledger[i];
  }

  /** The launch that event i belongs to or comes after, as [first event, last event, number]; null before all. */
  launchAround(i) {
    let first = i;
    while (first >= 0 && this.events[first].do !== "launch")
      --first;
    if (first < 0)
      return null;
    let last = first;
    while (last < this.events.length && this.events[last].do !== "launch ends")
      ++last;
    return [first, last, this.events[first].launch];
  }
}
