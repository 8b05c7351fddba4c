"use strict";
// What has been paid so far, of how much in all; and the place in the source that pays it.

class LedgerPanel {
  constructor(run, where) {
    this.run = run;
    this.total = run.ledgerAfter(run.events.length - 1);
    this.body = make("tbody");
    where.append(make("h3", {}, "The ledger"),
      run.events.length === 0
        ? make("p", {class: "quiet"}, run.remark)
        : make("table", {class: "ledger"},
          make("thead", {}, make("tr", {}, ["paid for", "so far", "in all"].map((title) => make("th", {scope: "col"}, title)))),
          this.body));
    this.cells = new Map();
    for (const [key, text] of LEDGER) {
      if (this.total[key] === 0)
        continue;
      const cell = make("td", {"data-ledger": key}, "0");
      this.cells.set(key, cell);
      const all = make("td", {class: "quiet"}, this.total[key].toLocaleString("en"));
      this.body.append(make("tr", {}, make("th", {scope: "row"}, text), cell, all));
    }
  }

  show(moment) {
    const now = this.run.ledgerAfter(moment.event);
    for (const [key, cell] of this.cells) {
      cell.textContent = now[key].toLocaleString("en");
      cell.style.setProperty("--share", (now[key] / this.total[key]).toFixed(4));
    }
  }
}

/** The kernel's own text, with the line of the moment. */
class SourcePanel {
  constructor(run, where) {
    this.run = run;
    this.body = make("div");
    where.append(make("h3", {}, "The source"), this.body);
  }

  show(moment) {
    const event = moment.isEvent ? this.run.events[moment.event] : null;
    const launch = this.run.launchAround(moment.event);
    if (event?.site === undefined) {
      const kernel = launch ? kernelName(this.run.trace.launches[launch[2]].kernel) : null;
      const found = kernel ? this.find(kernel) : null;
      this.body.replaceChildren(found ? this.listing(found.file, found.line, found.line + 4, null)
        : make("p", {class: "quiet"}, "The line is shown while a warp touches memory."));
      return;
    }
    const [file, line] = this.run.trace.sites[event.site];
    this.body.replaceChildren(this.listing(file, line - 5, line + 4, line));
  }

  find(kernel) {
    for (const [file, text] of Object.entries(this.run.sources)) {
      const line = text.split("\n").findIndex((l) => l.startsWith(`struct ${kernel} `));
      if (line >= 0)
        return {file, line: line + 1};
    }
    return null;
  }

  listing(file, from, to, marked) {
    const lines = (this.run.sources[file] ?? "").split("\n");
    const shown = [];
    for (let n = Math.max(1, from); n <= Math.min(lines.length, to); ++n)
      shown.push(make("span", {class: n === marked ? "code-line lit" : "code-line", "aria-current": n === marked ? "true" : null},
        make("span", {class: "line-number"}, String(n).padStart(4) + "  "), lines[n - 1] + "\n"));
    return make("figure", {class: "listing"}, make("figcaption", {}, marked ? `${file}, line ${marked}` : file),
      make("pre", {tabindex: 0}, make("code", {}, shown)));
  }
}

/** Two runs: what each pays in all, side by side. */
function comparison(runs) {
  const totals = runs.map((run) => run.ledgerAfter(run.events.length - 1));
  const rows = LEDGER.filter(([key]) => totals.some((t) => t[key] > 0));
  return make("section", {class: "panel comparison", "aria-labelledby": "comparison-title"},
    make("h3", {id: "comparison-title"}, "Side by side, in all"),
    make("table", {class: "ledger"},
      make("thead", {}, make("tr", {},
        ["paid for", ...runs.map((run) => run.name)].map((title) => make("th", {scope: "col"}, title)))),
      make("tbody", {}, rows.map(([key, text]) => {
        const most = Math.max(...totals.map((t) => t[key]));
        return make("tr", {}, make("th", {scope: "row"}, text), totals.map((t) => {
          const cell = make("td", {"data-total": key}, t[key].toLocaleString("en"));
          cell.style.setProperty("--share", (t[key] / most).toFixed(4));
          return cell;
        }));
      }))));
}
