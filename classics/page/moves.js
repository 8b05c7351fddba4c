"use strict";
// Where keys move: from the values that a thread has read and what it then writes.
//
// A thread that reads a key and later writes the same value has moved it; of several equal values that it has read, the
// oldest that it has not yet written. Where a key comes to a thread by a shuffle, it is not followed: no arrow is better
// than a wrong one.

class Moves {
  constructor(run) {
    this.run = run;
    this.trace = run.trace;
    this.keyBytes = run.key_bytes;
    this.launches = this.trace.launches.map(() => []); // of each: {from, to}, places of the array of keys
    this.ofEvent = new Map(); // of a store: [{lane, from: {storage, at}, to: {storage, at}}]
    this.keyPlaces = new Set(); // "launch:offset" of shared storage that holds keys
    this.launch = -1;
    if (run.sorts) // what a scan writes are sums: equal to an element by chance alone
      this.trace.events.forEach((event, i) => this.follow(event, i));
  }

  follow(event, i) {
    if (event.do === "launch") {
      this.launch = event.launch;
      this.held = new Map(); // thread → keys that it has read
      this.shared = new Map(); // "block:offset" → where the key there came from
    }
    if (event.do !== "request" || event.space === "constant" || event.size % this.keyBytes !== 0)
      return;
    const ofKeys = event.space === "shared" || this.run.names.holdsKeys(event.array);
    if (!ofKeys)
      return;
    if (event.after)
      this.write(event, i);
    else
      this.read(event);
  }

  place(event, k) {
    return event.space === "global"
      ? {storage: `g${event.array}`, at: event.at[k]}
      : {storage: `s${event.owner ?? event.block}`, at: event.at[k]};
  }

  keyOf(words) {
    return words.slice(0, Math.max(1, this.keyBytes / 4)).join();
  }

  read(event) {
    event.lanes.forEach((lane, k) => {
      const place = this.place(event, k);
      const value = this.keyOf(valueOf(event, event.before, k));
      const came = event.space === "global"
        ? {origin: event.at[k] / this.keyBytes}
        : this.shared.get(`${place.storage}:${place.at}`);
      if (came === undefined || (came.value !== undefined && came.value !== value))
        return;
      const thread = `${event.block}:${event.warp}:${lane}`;
      if (!this.held.has(thread))
        this.held.set(thread, []);
      this.held.get(thread).push({value, place, origin: came.origin, written: false});
    });
  }

  write(event, i) {
    const arrows = [];
    event.lanes.forEach((lane, k) => {
      const place = this.place(event, k);
      const value = this.keyOf(valueOf(event, event.after, k));
      const held = (this.held.get(`${event.block}:${event.warp}:${lane}`) ?? []).filter((h) => h.value === value);
      const source = held.find((h) => !h.written) ?? held[held.length - 1];
      if (event.space === "shared")
        this.shared.delete(`${place.storage}:${place.at}`);
      if (!source)
        return;
      source.written = true;
      arrows.push({lane, from: source.place, to: place});
      if (event.space === "shared") {
        this.shared.set(`${place.storage}:${place.at}`, {origin: source.origin, value});
        this.keyPlaces.add(`${this.launch}:${place.at}`);
      } else {
        this.launches[this.launch].push({from: source.origin, to: event.at[k] / this.keyBytes, event: i});
      }
    });
    if (arrows.length > 0)
      this.ofEvent.set(i, arrows);
  }
}
