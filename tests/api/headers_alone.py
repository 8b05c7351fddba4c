#!/usr/bin/env python3
"""Each public header may be the first and the only one that a program includes: headers_alone.py INCLUDE COMPILER WORK [LAUNCHER]

The programs lie in WORK, which is kept, and a compiler cache as LAUNCHER then has all whose headers are as they were."""
import pathlib
import subprocess
import sys

# What a template needs, a compiler looks for where it is used.
USES = {
    "sortile/any_order.hpp": """
        #include <vector>
        auto less = [](int a, int b) { return a < b; };
        void use(std::vector<int>& k, std::vector<float>& v) {
          sortile::sort(k, less);
          sortile::sort_by_key(k, v, less);
          sortile::argsort(k, v.size() > 3 ? less : less);
          sortile::merge(k, k, k, less);
        }""",
}

include, compiler, work = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
launcher = [word for word in sys.argv[4:] if word]
work.mkdir(parents=True, exist_ok=True)
headers = sorted(path.relative_to(include).as_posix() for path in (include / "sortile").glob("*.hpp"))
failed = []
for header in headers:
    program = work / header.replace("/", "-").replace(".hpp", ".cpp")
    program.write_text(f"#include <{header}>\n{USES.get(header, '')}\n", encoding="utf-8")
    run = subprocess.run([*launcher, compiler, "-std=c++20", f"-I{include}", "-c", program, "-o", program.with_suffix(".o")],
                         text=True, capture_output=True)
    if run.returncode != 0:
        failed.append(f"{header}: {run.stderr.splitlines()[0]}")
print(f"{len(headers)} headers, {len(failed)} that do not compile by themselves", *failed, sep="\n")
sys.exit(1 if failed or not headers else 0)
