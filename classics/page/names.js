"use strict";
// What things are called: arrays and places by what the kernels' source says, keys by their type.

/** `make_flags` of "sortile::classics::…::make_flags<unsigned int>". */
function kernelName(full) {
  let depth = 0;
  let plain = "";
  for (const c of full) {
    depth += c === "<" ? 1 : 0;
    plain += depth === 0 ? c : "";
    depth -= c === ">" ? 1 : 0;
  }
  return plain.split("::").pop();
}

const ACCESS =
  /([A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*)*?)\s*(?:\[|(?:\.|->)(?:load|store|fetch_\w+|exchange|compare_exchange)\()/g;

/** The name before the `[` or `.load(` that a column of a line belongs to. */
function nameInLine(line, column) {
  let best = null;
  for (const match of line.matchAll(ACCESS)) {
    const open = match.index + match[0].length;
    if (best === null || open <= column)
      best = match[1];
  }
  return best;
}

/** A key of its words, lowest first, in the notation of the run's steps. */
function keyText(words, run) {
  const bits = words.reduceRight((all, word) => (all << 32n) | BigInt(word), 0n);
  const half = BigInt(4 * run.key_bytes);
  switch (run.shown) {
    case "bin":
      return bits.toString(2).padStart(run.digits, "0");
    case "hex":
      return bits.toString(16).padStart(run.digits, "0");
    case "halves":
      return `${bits >> half}/${bits & ((1n << half) - 1n)}`;
  }
  const view = new DataView(new ArrayBuffer(8));
  view.setUint32(0, words[0], true);
  view.setUint32(4, words[1] ?? 0, true);
  switch (run.type) {
    case "i32":
      return String(view.getInt32(0, true));
    case "f32":
      return shortNumber(view.getFloat32(0, true));
    case "u64":
      return String(view.getBigUint64(0, true));
    case "i64":
      return String(view.getBigInt64(0, true));
    case "f64":
      return shortNumber(view.getFloat64(0, true));
    default:
      return String(words[0]);
  }
}

function shortNumber(x) {
  return Object.is(x, -0) ? "-0" : String(Number(x.toPrecision(6)));
}

class Names {
  constructor(run) {
    this.run = run;
    this.trace = run.trace;
    this.keyBytes = run.key_bytes;
    this.names = this.trace.arrays.map((a) => (a.name ? new Map([[a.name, Infinity]]) : new Map()));
    this.atSite = this.trace.sites.map(([file, line, column]) => nameInLine(this.sourceLine(file, line), column));
    for (const event of this.trace.events)
      if (event.do === "request" && event.space === "global" && event.array !== null && this.atSite[event.site])
        this.count(this.names[event.array], lastPart(this.atSite[event.site]));
  }

  count(names, name) {
    names.set(name, (names.get(name) ?? 0) + 1);
  }

  sourceLine(file, line) {
    return this.run.sources[file]?.split("\n")[line - 1] ?? "";
  }

  /** What a global array is called: by the run, or by the kernels that use it most. */
  array(number) {
    if (number === null)
      return "memory of its own";
    const ranked = [...this.names[number]].sort((a, b) => b[1] - a[1]);
    return ranked.length > 0 ? ranked[0][0] : `array ${number}`;
  }

  holdsKeys(number) {
    return number !== null && /keys$/.test(this.trace.arrays[number].name);
  }

  place(site) {
    const [file, line] = this.trace.sites[site];
    return `${file}:${line}`;
  }

  /** The parts of a launch's shared storage: by name, with the offsets that are touched and the bytes of an element. */
  sharedParts(first, last) {
    const parts = new Map();
    for (let i = first; i <= last && i < this.trace.events.length; ++i) {
      const event = this.trace.events[i];
      if (event.do !== "request" || event.space !== "shared")
        continue;
      const name = this.atSite[event.site] ?? "single values";
      if (!parts.has(name))
        parts.set(name, {name, offsets: new Set(), size: event.size, weight: 0});
      const part = parts.get(name);
      part.size = Math.min(part.size, event.size);
      event.at.forEach((at) => part.offsets.add(at));
    }
    return joinParts([...parts.values()]);
  }
}

function lastPart(name) {
  return name.split(/\.|->/).pop();
}

/** Parts that share places are one: a function's parameter and the array that it was given. */
function joinParts(parts) {
  const joined = [];
  parts.sort((a, b) => /^s\./.test(b.name) - /^s\./.test(a.name));
  for (const part of parts) {
    const same = joined.find((j) => [...part.offsets].some((at) => j.offsets.has(at)));
    if (same) {
      part.offsets.forEach((at) => same.offsets.add(at));
      same.size = Math.min(same.size, part.size);
    } else {
      joined.push({...part, name: lastPart(part.name)});
    }
  }
  for (const part of joined)
    part.places = [...part.offsets].sort((a, b) => a - b);
  return joined.sort((a, b) => a.places[0] - b.places[0]);
}
