"use strict";
// Going through the moments: forward, back, play; by steps of the sort, from barrier to barrier, or request by request.

const PACES = [["step", "steps"], ["phase", "barriers"], ["request", "requests"]];
const PLAY_MILLISECONDS = {step: 1400, phase: 900, request: 450};

/** A run with its panels. */
class Stage {
  constructor(run, number, where, goTo) {
    this.run = run;
    const id = `run${number}`;
    const panel = (name) => make("section", {class: `panel ${name}`, "aria-label": `${name}, ${run.name}`});
    const [idea, machine, flow, ledger, source] = ["idea", "machine", "flow", "ledger", "source"].map(panel);
    const hasKernels = run.events.length > 0;
    this.panels = [new IdeaPanel(run, idea, id), new LedgerPanel(run, ledger)];
    if (hasKernels)
      this.panels.push(new MachinePanel(run, machine), new FlowPanel(run, flow, id, goTo), new SourcePanel(run, source));
    where.append(make("article", {class: "stage-of-run", "data-run": run.name, "aria-labelledby": `${id}-name`},
      make("header", {class: "run-head"},
        make("h2", {id: `${id}-name`}, run.name),
        make("p", {}, run.summary),
        run.look ? make("p", {class: "look"}, run.look) : null,
        make("p", {class: "facts"},
          [`work ${run.work}`, `steps ${run.depth}`, run.stable ? "stable" : null, run.source].filter(Boolean).join(" · ")),
        make("p", {class: "command"}, make("code", {tabindex: 0}, run.command))),
      make("div", {class: hasKernels ? "panels" : null},
        make("div", {}, idea, hasKernels ? flow : null, ledger), hasKernels ? make("div", {}, machine, source) : null),
      make("details", {class: "essay panel"},
        make("summary", {}, `The essay: ${run.file}`), make("pre", {tabindex: 0}, run.essay))));
  }

  show(index) {
    this.index = index;
    const moment = this.run.moments[index];
    for (const panel of this.panels)
      panel.show(moment);
    return this.narrate(moment);
  }

  narrate(moment) {
    if (!moment.isEvent)
      return moment.step < 0 ? "Before anything has happened." : this.run.steps[moment.step].title;
    const event = this.run.events[moment.event];
    const names = this.run.names;
    switch (event.do) {
      case "launch":
        return `${kernelName(this.run.trace.launches[event.launch].kernel)} is launched.`; // by the host or by a kernel
      case "launch ends":
        return "The launch has ended.";
      case "block":
        return `Block ${event.block} begins.`;
      case "block ends":
        return `Block ${event.block} has ended.`;
      case "host writes":
        return `The host writes ${names.array(event.array)}.`;
      case "host reads":
        return `The host reads ${event.bytes} bytes of ${names.array(event.array)}.`;
      case "bulk copy":
        return `A bulk copy to ${event.to} memory has landed in block ${event.block}.`;
      case "barrier":
        return event.level === "block" ? `All threads of block ${event.block} have met at a barrier (${names.place(event.site)}).`
          : event.level === "collective"
            ? `Block ${event.block}, warp ${event.warp}: ${event.lanes.length} lanes exchange values by a warp-wide call.`
            : `A ${event.level} barrier (${names.place(event.site)}).`;
      default:
        return this.narrateRequest(event, this.run.launchAround(moment.event));
    }
  }

  narrateRequest(event, launch) {
    const names = this.run.names;
    const what = {"load": "load from", "store": "store to", "atomic": "do atomics on",
      "ordered load": "poll", "ordered store": "publish in"}[event.what];
    const where = event.space === "global" ? names.array(event.array)
      : event.space === "shared" ? `shared ${this.run.partsOf(launch).find((part) => part.offsets.has(event.at[0])).name}`
        : "the constants";
    const unit = {global: "sector", shared: "wavefront", constant: "address"}[event.space];
    const units = `${event.units} ${event.units === 1 ? unit : unit + (unit === "address" ? "es" : "s")}`;
    const lanes = `${event.lanes.length} ${event.lanes.length === 1 ? "lane" : "lanes"}`;
    return `Block ${event.block}, warp ${event.warp}: ${lanes} ${what} ${where}: ` +
      `${units}${event.units > event.ideal ? `, ${event.ideal} at best` : ""} (${names.place(event.site)}).`;
  }
}

class Player {
  constructor(runs, root) {
    this.runs = runs;
    this.root = root;
    this.stages = [];
    const columns = make("div", {class: runs.length > 1 ? "columns" : "single"});
    root.append(columns);
    this.stages = runs.map((run, i) => new Stage(run, i, columns, (event) => this.goToEvent(run, event)));
    if (runs.length > 1)
      root.append(comparison(runs));
    this.controls();
    this.setPace(runs.every((run) => run.steps.length > 2) ? "step" : "phase");
    this.go(0);
  }

  controls() {
    const at = (id) => document.getElementById(id);
    this.slider = at("position");
    this.said = at("said");
    this.count = at("count");
    this.playButton = at("play");
    at("first").onclick = () => this.go(0);
    at("back").onclick = () => this.go(this.position - 1);
    at("forward").onclick = () => this.go(this.position + 1);
    at("last").onclick = () => this.go(this.length - 1);
    this.playButton.onclick = () => (this.timer ? this.pause() : this.play());
    this.slider.oninput = () => this.go(Number(this.slider.value));
    for (const [pace, name] of PACES) {
      const radio = make("input", {type: "radio", name: "pace", id: `pace-${pace}`, value: pace});
      radio.onchange = () => this.setPace(pace);
      at("paces").append(radio, make("label", {for: `pace-${pace}`}, name));
    }
    document.addEventListener("keydown", (e) => this.key(e));
  }

  key(e) {
    if (e.ctrlKey || e.altKey || e.metaKey || e.target.closest("select, summary, pre, .scroller:focus, input[type=radio]"))
      return;
    const pressed = {ArrowRight: () => this.go(this.position + 1), ArrowLeft: () => this.go(this.position - 1),
      Home: () => this.go(0), End: () => this.go(this.length - 1), 1: () => this.setPace("step"), 2: () => this.setPace("phase"),
      3: () => this.setPace("request")}[e.key];
    const onButton = e.target.closest("button");
    if (e.key === " " && !onButton)
      this.playButton.click();
    else if (pressed)
      pressed();
    else
      return;
    e.preventDefault();
  }

  setPace(pace) {
    const before = this.stages.map((s) => s.index ?? 0);
    this.pace = pace;
    this.stops = this.runs.map((run) => run.stops(pace));
    this.length = Math.max(...this.stops.map((s) => s.length));
    this.slider.max = String(this.length - 1);
    document.getElementById(`pace-${pace}`).checked = true;
    // Where the first run is now, or the last stop before.
    const stops = this.stops[0];
    const later = stops.findIndex((i) => i > before[0]);
    this.go(later < 0 ? stops.length - 1 : Math.max(0, later - 1));
  }

  go(position) {
    this.position = Math.min(Math.max(0, position), this.length - 1);
    const said = this.stages.map((stage, i) => {
      const stops = this.stops[i];
      const text = stage.show(stops[Math.min(this.position, stops.length - 1)]);
      return this.runs.length > 1 ? `${this.runs[i].name}: ${this.position >= stops.length ? "has ended." : text}` : text;
    });
    this.slider.value = String(this.position);
    this.slider.setAttribute("aria-valuetext", `${this.position + 1} of ${this.length}`);
    this.count.textContent = `${this.position + 1} / ${this.length}`;
    this.said.replaceChildren(...said.map((text) => make("p", {}, text)));
    this.root.dataset.position = String(this.position);
    if (this.timer && this.position === this.length - 1)
      this.pause();
  }

  goToEvent(run, event) {
    if (this.pace === "step")
      this.setPace("phase");
    const stops = this.stops[this.runs.indexOf(run)];
    const found = stops.findIndex((i) => run.moments[i].event >= event);
    this.go(found < 0 ? stops.length - 1 : found);
  }

  play() {
    if (this.position === this.length - 1)
      this.go(0);
    this.playButton.setAttribute("aria-pressed", "true");
    this.playButton.textContent = "Pause";
    this.timer = setInterval(() => this.go(this.position + 1), PLAY_MILLISECONDS[this.pace]);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.playButton.setAttribute("aria-pressed", "false");
    this.playButton.textContent = "Play";
  }
}

function begin() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const runs = data.runs.map((one) => {
    const run = new Run(one);
    run.moves = new Moves(run);
    return run;
  });
  window.player = new Player(runs, document.getElementById("stages"));
  addEventListener("resize", () => window.player.go(window.player.position));
}

begin();
