// See page.hpp.
#include "classics/page.hpp"

#include "classics/embedded.hpp"
#include "classics/trace.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace sortile::classics {

using json = nlohmann::ordered_json;

namespace {

constexpr std::string_view page_parts = "classics/page/";
// In the order in which they need one another.
constexpr std::string_view scripts[] = {"model.js",   "names.js",    "moves.js",  "flow.js",  "idea.js",
                                        "machine.js", "flowview.js", "ledger.js", "player.js"};

std::string_view content_of(std::string_view path) {
  for (const embedded_text& text : embedded_texts())
    if (text.path == path)
      return text.content;
  throw std::logic_error("classics: no embedded text " + std::string(path));
}

std::string_view part_of_page(std::string_view name) {
  return content_of(std::string(page_parts) + std::string(name));
}

// The gallery's source of a name without folders; nothing where it is not carried.
std::string_view source_of(std::string_view file) {
  for (const embedded_text& text : embedded_texts())
    if (!text.path.starts_with(page_parts) && text.path.substr(text.path.rfind('/') + 1) == file)
      return text.content;
  return {};
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text)
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  return result;
}

void replace_all(std::string& in, std::string_view mark, std::string_view by) {
  for (std::size_t at = in.find(mark); at != std::string::npos; at = in.find(mark, at + by.size()))
    in.replace(at, mark.size(), by);
}

std::string_view name_of(cell_kind kind) {
  switch (kind) {
  case cell_kind::keys:
    return "keys";
  case cell_kind::numbers:
    return "numbers";
  case cell_kind::flags:
    return "flags";
  case cell_kind::words:
    break;
  }
  return "words";
}

json step_as_json(const step& s) {
  json rows = json::array(), arrows = json::array(), wires = json::array();
  for (const row& r : s.rows)
    rows.push_back(
        {{"label", r.label}, {"kind", name_of(r.kind)}, {"cells", r.cells}, {"bounds", r.bounds}, {"table", r.table}});
  for (const arrow& a : s.arrows)
    arrows.push_back({{"from", a.from}, {"to", a.to}});
  for (const wire& w : s.wires)
    wires.push_back({{"low", w.low}, {"high", w.high}, {"descending", w.descending}, {"exchanged", w.exchanged}});
  return {{"title", s.title}, {"launches", s.launches}, {"barriers", s.barriers},
          {"rows", rows},     {"arrows", arrows},       {"wires", wires}};
}

// A list in equal steps, as addresses and lanes of neighbours are, as a short text: "0+4x32" is 0, 4, … 124. Any other
// as it is.
json packed_list(const json& list) {
  if (!list.is_array() || list.size() < 3)
    return list;
  const auto first = list[0].get<std::int64_t>(), by = list[1].get<std::int64_t>() - first;
  for (std::size_t i = 2; i < list.size(); ++i)
    if (list[i].get<std::int64_t>() != first + by * static_cast<std::int64_t>(i))
      return list;
  return std::to_string(first) + "+" + std::to_string(by) + "x" + std::to_string(list.size());
}

// The trace as pages carry it, which model.js unpacks: an event is [shape, values...], and a shape the names of these;
// members that are texts, as "do" is, are the shape's. Banks are left out: addresses give them.
json packed(json trace) {
  if (trace.is_null())
    return trace;
  std::map<json, std::size_t> shapes;
  trace["shapes"] = json::array();
  for (json& event : trace["events"]) {
    event.erase("banks");
    json shape = {{"names", json::array()}, {"texts", json::object()}};
    json values = json::array({0});
    for (const auto& [name, value] : event.items()) {
      if (value.is_string()) {
        shape["texts"][name] = value;
        continue;
      }
      shape["names"].push_back(name);
      values.push_back(packed_list(value));
    }
    const auto [known, is_new] = shapes.emplace(shape, shapes.size());
    if (is_new)
      trace["shapes"].push_back(shape);
    values[0] = known->second;
    event = std::move(values);
  }
  return trace;
}

// The sources that the trace names, and the classic's own.
json sources_of(const shown_run& run) {
  std::set<std::string> files = {std::string(run.what->file)};
  if (!run.trace.is_null())
    for (const json& site : run.trace["sites"])
      files.insert(site[0].get<std::string>());
  json sources = json::object();
  for (const std::string& file : files)
    if (const std::string_view text = source_of(file); !text.empty())
      sources[file] = text;
  return sources;
}

// How many digits of base 2 or 16 the steps write of a key.
std::size_t digits_of_keys(const shown_run& run) {
  for (const step& s : run.steps)
    for (const row& r : s.rows)
      if (r.kind == cell_kind::keys && !r.cells.empty())
        return r.cells.front().substr(0, r.cells.front().find('/')).size();
  return 0;
}

json run_as_json(const shown_run& run) {
  json steps = json::array();
  for (const step& s : run.steps)
    steps.push_back(step_as_json(s));
  const classic& c = *run.what;
  return {{"name", c.name},
          {"family", c.family},
          {"summary", c.summary},
          {"work", c.work},
          {"depth", c.depth},
          {"stable", c.stable && c.task->has_direction},
          {"sorts", c.task->has_direction},
          {"source", c.source},
          {"file", c.file},
          {"essay", essay_of(c.file)},
          {"command", run.command},
          {"look", run.look},
          {"remark", run.remark},
          {"n", run.asked.n},
          {"type", name(run.asked.type)},
          {"key_bytes", key_bytes(run.asked.type)},
          {"pairs", run.asked.pairs},
          {"shown", name(c.changes_keys ? notation::hexadecimal : run.asked.shown)},
          {"digits", c.changes_keys ? 2 * key_bytes(run.asked.type) : digits_of_keys(run)},
          {"steps", steps},
          {"trace", packed(run.trace)},
          {"sources", sources_of(run)}};
}

// The keys as the first step has them.
std::string keys_of(const shown_run& run) {
  std::string text;
  for (const step& s : run.steps)
    for (const row& r : s.rows)
      if (r.kind == cell_kind::keys || r.kind == cell_kind::numbers) {
        for (const std::string& cell : r.cells)
          text += (text.empty() ? "" : " ") + cell;
        return text;
      }
  return text;
}

} // namespace

std::string essay_of(std::string_view file) {
  std::string_view rest = source_of(file);
  std::string essay;
  while (rest.starts_with("//")) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(2, end - 2);
    essay += std::string(line.starts_with(' ') ? line.substr(1) : line) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return essay;
}

shown_run run_to_show(const classic& c, const request& asked, std::string command) {
  const auto refuse = [&](const std::string& what) {
    throw invalid_argument("classic " + std::string(c.name) + ": " + what);
  };
  const engine on = c.place == place::host ? engine::host : engine::executor;
  refuse_undeclared(c, asked, on);
  if (asked.n > largest_on_page)
    refuse(std::to_string(asked.n) + " keys are too many to be seen (allowed: at most " +
           std::to_string(largest_on_page) + ")");
  shown_run shown{&c, asked, std::move(command), {}, {}, nullptr, {}};
  const auto run_on = [&](std::vector<step>* steps) {
    machine m({.seed = asked.seed, .checks = executor::check::counters});
    const outcome result = run(c, asked, on, m, 1, steps);
    if (!result.verdict)
      refuse(result.verdict.complaint);
  };
  run_on(&shown.steps);
  if (c.place == place::host) {
    shown.remark = "A sort of the host: no kernel runs, so there is no machine to show.";
    return shown;
  }
  trace seen;
  if (const executor::observing now(seen); true)
    run_on(nullptr);
  if (seen.overflowed() || seen.size() > most_events_on_page)
    shown.remark = "More happens in this run than a page shows, over " + std::to_string(most_events_on_page) +
                   " events: here are its steps alone. Fewer keys, or fewer of their bits (--bits), show the machine.";
  else
    shown.trace = seen.to_json({{"command", shown.command}});
  return shown;
}

std::string html_page(const std::vector<shown_run>& runs) {
  json data = {{"runs", json::array()}};
  std::string title, script;
  for (const shown_run& run : runs) {
    data["runs"].push_back(run_as_json(run));
    title += (title.empty() ? "" : " beside ") + std::string(run.what->name);
  }
  for (const std::string_view name : scripts)
    script += std::string(part_of_page(name)) + "\n";
  std::string text = data.dump();
  replace_all(text, "<", "\\u003c"); // nothing in the data can end its element
  std::string page(part_of_page("page.html"));
  replace_all(page, "<!-- title -->", escaped(title));
  replace_all(page, "<!-- keys -->", escaped(keys_of(runs.front())));
  replace_all(page, "/* style */", part_of_page("style.css"));
  replace_all(page, "/* script */", script);
  replace_all(page, "<!-- data -->", text);
  return page;
}

} // namespace sortile::classics
