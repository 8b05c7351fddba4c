#!/usr/bin/env python3
"""The executor's counters beside those of the hardware (ncu), for three kernels, as a Markdown table.

    compare_counters.py SIMT_PROFILE [NCU]        on a machine with a GPU
"""
import csv
import io
import subprocess
import sys

KERNELS = ["flip_bits", "rank_digits", "chained_scan"]
L1 = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
# Of the instructions alone: without smsp__sass_ the data pipe's own conflicts (incoming lines of the cache, say) count too, which differ
# from run to run.
SHARED = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
METRICS = {
    "global_load_requests": L1.format("requests", "ld"),
    "global_load_units": L1.format("sectors", "ld"),
    "global_store_requests": L1.format("requests", "st"),
    "global_store_units": L1.format("sectors", "st"),
    "shared_load_requests": "smsp__inst_executed_op_shared_ld.sum",
    "shared_load_units": SHARED.format("ld"),
    "shared_store_requests": "smsp__inst_executed_op_shared_st.sum",
    "shared_store_units": SHARED.format("st"),
}


def run(command):
    r = subprocess.run(command, capture_output=True, text=True)
    if r.returncode:
        sys.exit(f"{' '.join(command)}\n{r.stdout}{r.stderr}")
    return r.stdout


def of_executor(program):
    out = {}
    for line in run([program, "executor"]).splitlines():
        kernel, counter, value = line.split()
        out[kernel, counter] = int(value)
    return out


def of_hardware(program, ncu):
    text = run([ncu, "--csv", "--metrics", ",".join(METRICS.values()), program, "cuda"])
    table = text[text.index('"ID"'):]
    names = {metric: counter for counter, metric in METRICS.items()}
    out = {}
    for row in csv.DictReader(io.StringIO(table)):
        kernel = next((k for k in KERNELS if k in row["Kernel Name"]), None)
        if kernel and row["Metric Name"] in names:
            out[kernel, names[row["Metric Name"]]] = int(float(row["Metric Value"].replace(",", "")))
    return out


def main(program, ncu="ncu"):
    ours, theirs = of_executor(program), of_hardware(program, ncu)
    print("| kernel | counter | executor | hardware | ratio |\n|---|---|---:|---:|---:|")
    for kernel in KERNELS:
        for counter in METRICS:
            a, b = ours.get((kernel, counter), 0), theirs.get((kernel, counter), 0)
            if a or b:
                print(f"| {kernel} | {counter} | {a} | {b} | {a / b if b else float('inf'):.3f} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
