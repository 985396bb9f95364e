"""The table that bench_compare.sh prints: reads headscope.*.json and transformers.*.json in a folder."""

import json
import pathlib
import sys


def rounds(folder, name):
    return [json.loads(path.read_text()) for path in sorted(folder.glob(name + ".*.json"))]


def best(runs, index):
    return min((run["cases"][index] for run in runs), key=lambda case: case["median_ms"])


def main():
    folder = pathlib.Path(sys.argv[1])
    ours, theirs = rounds(folder, "headscope"), rounds(folder, "transformers")
    mib = 1 << 20
    print(f"threads: headscope {ours[0]['threads']}, transformers {theirs[0]['threads']}; least median of {len(ours)} rounds")
    print("| tokens | headscope ms | share of oneDNN | resident MiB | transformers ms | resident MiB | maps MiB | headscope / transformers |")
    print("|" + "---:|" * 8)
    for index, case in enumerate(ours[0]["cases"]):
        a, b = best(ours, index), best(theirs, index)
        assert b["tokens"] == case["tokens"]
        print(f"| {a['tokens']} | {a['median_ms']:.1f} | {a['share']:.2f} | {a['resident_bytes'] / mib:.0f} | {b['median_ms']:.1f} | "
              f"{b['resident_bytes'] / mib:.0f} | {b['map_bytes'] / mib:.0f} | {a['median_ms'] / b['median_ms']:.2f} |")


if __name__ == "__main__":
    main()
