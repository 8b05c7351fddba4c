"use strict";
// What a storage goes through: rows of its values, and between two rows lines from what a thread read to what it wrote.
// Trees of scans, wires of networks, and keys on their way through launches are all of this form.

const MOST_COLUMNS = 128;

class Flow {
  constructor(name, places, rows) {
    this.name = name;
    this.places = places; // offsets, a column each
    this.rows = rows; // {title, first, last, values, lines: [{from, to, event, compared}]}
    this.columns = new Map(places.map((at, i) => [at, i]));
  }
  lines() {
    return sum(this.rows.map((row) => row.lines.length));
  }
}

/** Of each place, the array of keys that was written there last: parts of a sort may lie in either of two. */
class Holders {
  constructor(run, first) {
    this.run = run;
    this.of = Array(run.n).fill(first);
  }
  apply(event) {
    const wrote = event.do === "host writes" || event.do === "request" && event.after && event.space === "global";
    if (!wrote || !this.run.names.holdsKeys(event.array))
      return;
    const unit = event.do === "request" ? 0 : Math.min(4, this.run.trace.arrays[event.array].element);
    const places = unit ? event.values.map((_, i) => event.at + i * unit) : event.at;
    for (const at of places)
      if (at % this.run.key_bytes === 0 && at / this.run.key_bytes < this.run.n)
        this.of[at / this.run.key_bytes] = event.array;
  }
}

/** The keys, launch by launch. */
function flowOfKeys(run) {
  const keys = run.trace.arrays.map((a, i) => i).filter((i) => run.names.holdsKeys(i));
  const n = run.n;
  if (!run.sorts || keys.length === 0 || n === 0 || n > MOST_COLUMNS)
    return null;
  const places = Array.from({length: n}, (_, i) => i);
  const rows = [];
  const state = new State(run.trace);
  const holders = new Holders(run, keys[0]);
  const texts = (arrayOf) => places.map((i) => textAt(run, state.global[arrayOf(i)], i * run.key_bytes, run.key_bytes, true));
  const inOrder = (values) => [...values].sort().join();
  // Where a launch has moved some keys of a pass, both orders are there by halves: then what it writes is shown.
  const textsAfter = (written) => {
    const all = texts((i) => holders.of[i]);
    return inOrder(all) === inOrder(rows[0].values) ? all : texts(() => written);
  };
  let first = 0;
  run.events.forEach((event, i) => {
    state.apply(event, run.trace);
    holders.apply(event);
    if (event.do === "launch" && event.launch === 0)
      rows.push({title: "input", first: 0, last: i, values: texts(() => keys[0]), lines: []});
    if (event.do === "launch")
      first = i;
    if (event.do !== "launch ends")
      return;
    const lines = run.moves.launches[event.launch];
    if (lines.length === 0)
      return;
    const values = textsAfter(run.events[lines[lines.length - 1].event].array);
    rows.push({title: kernelName(run.trace.launches[event.launch].kernel), first, last: i, values, lines});
  });
  return rows.length > 1 ? new Flow("keys, launch by launch", places, rows) : null;
}

/** Gathers the rows of a flow from requests of one storage. */
class Follower {
  constructor(places, storage, textOf, first) {
    this.places = places;
    this.wanted = new Set(places);
    this.storage = storage;
    this.textOf = textOf;
    this.begin = first;
    this.rows = [];
    this.forget();
  }

  forget() {
    this.read = new Map(); // thread → places, and the last event
    this.writers = new Set();
    this.lines = [];
  }

  take(event, i) {
    event.lanes.forEach((lane, k) => {
      const at = event.at[k];
      if (!this.wanted.has(at))
        return;
      const thread = `${event.block}:${event.warp}:${lane}`;
      if (!this.read.has(thread))
        this.read.set(thread, {of: new Set(), event: i});
      const {of} = this.read.get(thread);
      if (!event.after || event.what === "atomic")
        of.add(at);
      if (!event.after)
        return;
      this.writers.add(thread);
      writeWords(this.storage, at, valueOf(event, event.after, k), event.size);
      of.forEach((from) => this.lines.push({from, to: at, event: i}));
    });
  }

  /** A barrier, or the end of a launch: what was written since the last becomes a row. */
  close(i, title) {
    for (const [thread, {of, event}] of this.read) // two places that were read and left as they are have been compared
      if (of.size === 2 && !this.writers.has(thread))
        this.lines.push({from: Math.min(...of), to: Math.max(...of), event, compared: true});
    if (this.writers.size > 0)
      this.rows.push({title, first: this.begin, last: i, lines: this.lines, values: this.places.map(this.textOf)});
    this.forget();
    this.begin = i + 1;
  }
}

/** A part of a block's shared storage, from barrier to barrier of one launch. */
function flowOfPart(run, part, block, first, last) {
  const storage = new Bytes(run.trace.launches[run.events[first].launch].shared_bytes);
  const follower = new Follower(part.places.slice(0, MOST_COLUMNS), storage,
    (at) => textAt(run, storage, at, part.size, isKeyPlace(run, first, at)), first);
  const close = (i) => follower.close(i, `phase ${follower.rows.length + 1}`);
  for (let i = first; i <= last && i < run.events.length; ++i) {
    const event = run.events[i];
    if (event.block === block && event.do === "barrier" && event.level !== "collective")
      close(i);
    if (event.do === "request" && event.space === "shared" && (event.owner ?? event.block) === block)
      follower.take(event, i);
  }
  close(last);
  return follower.rows.length > 1
    ? new Flow(`${part.name} in block ${block}, from barrier to barrier`, follower.places, follower.rows) : null;
}

/** An array of global memory that is no array of keys, from launch to launch. */
function flowOfArray(run, number) {
  const {bytes, element} = run.trace.arrays[number];
  const count = Math.floor(bytes / element);
  if (run.names.holdsKeys(number) && run.sorts || count < 2 || count > MOST_COLUMNS)
    return null;
  const storage = new Bytes(bytes);
  const follower = new Follower(Array.from({length: count}, (_, i) => i * element), storage,
    (at) => textAt(run, storage, at, element, run.names.holdsKeys(number)), 0);
  run.events.forEach((event, i) => {
    if (event.do === "host writes" && event.array === number)
      writeWords(storage, event.at, event.values, element);
    if (event.do === "request" && event.space === "global" && event.array === number)
      follower.take(event, i);
    if (event.do === "launch ends")
      follower.close(i, kernelName(run.trace.launches[event.launch].kernel));
  });
  const flow = new Flow(`${run.names.array(number)}, launch by launch`, follower.places, follower.rows);
  return follower.rows.length > 1 && flow.rows.some((row) => row.lines.some((l) => l.from !== l.to)) ? flow : null;
}

function isKeyPlace(run, eventOfLaunch, at) {
  return run.moves.keyPlaces.has(`${run.events[eventOfLaunch].launch}:${at}`);
}

/** What stands at a place, as people write it; null where it is not known. */
function textAt(run, storage, at, size, isKey) {
  const words = storage.read(at, size);
  if (words === null)
    return null;
  const keyWords = Math.max(1, run.key_bytes / 4);
  if (isKey) {
    const key = keyText(words.slice(0, keyWords), run);
    return words.length > keyWords && run.pairs ? `${key}/${words[keyWords]}` : key;
  }
  return words.length === 1 ? String(words[0])
    : words.length === 2 ? String((BigInt(words[1]) << 32n) | BigInt(words[0])) : words.join("/");
}
