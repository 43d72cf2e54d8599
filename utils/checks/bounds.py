#!/usr/bin/env python3
"""Solves small problems as linear programs and compares with the planner's bounds.

    utils/checks/bounds.py [--cases=N] [--build=build/release] [--write]

The bound of incoming bytes must equal the program's optimum, those of outgoing bytes
and of both together must not exceed it. Prints one line; fails on the first case that disagrees. --write
stores the optima of the first cases for the unit test of the bounds. Needs scipy, whose
HiGHS solves the programs (for instance: python3 -m venv v && v/bin/pip install scipy).
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
STORED = 60


class Program:
    """A case's tiles, when tasks use them, and a linear program over the shares that stay."""

    def __init__(self, case):
        self.case, self.tiles = case, case["tiles"]
        self.uses = {}
        for position, task in enumerate(case["tasks"]):
            for tile in {*task["operands"], *task["results"]}:
                self.uses.setdefault(tile, []).append(position)
        # A gap is the time between two uses, in which any share of the tile may stay.
        self.gaps = [(tile, a, b) for tile, at in self.uses.items() for a, b in zip(at, at[1:])]

    def room(self, position):
        """What a task leaves of the memory to tiles that it does not use."""
        task = self.case["tasks"][position]
        used = sum(self.tiles[t]["bytes"] for t in {*task["operands"], *task["results"]})
        if task["in_place"] >= 0:
            operand = task["operands"][task["in_place"]]
            if self.uses[operand][-1] == position:
                used -= self.tiles[operand]["bytes"]
        return self.case["capacity"] - used - task["workspace"]

    def capacity_rows(self, columns):
        rows, limits = [], []
        for position in range(len(self.case["tasks"])):
            row = [0.0] * columns
            for index, (tile, a, b) in enumerate(self.gaps):
                if a < position < b:
                    row[index] = self.tiles[tile]["bytes"]
            rows.append(row)
            limits.append(self.room(position))
        return rows, limits

    def incoming(self, solve):
        """Every tile that lies elsewhere comes once, and what did not stay once more."""
        cost = [-self.tiles[tile]["bytes"] for tile, _, _ in self.gaps]
        rows, limits = self.capacity_rows(len(self.gaps))
        base = sum(self.tiles[t]["bytes"] for t in self.uses if self.tiles[t]["loaded"])
        return base - sum(cost) + solve(cost, rows, limits)

    def outgoing(self, solve, reload=0.0):
        """A result goes out once; so does the largest share of what a task produced that ever leaves."""
        dirty = [t for t in self.uses if not self.tiles[t]["loaded"] and not self.tiles[t]["result"]]
        column = {tile: len(self.gaps) + i for i, tile in enumerate(dirty)}
        columns = len(self.gaps) + len(dirty)
        rows, limits = self.capacity_rows(columns)
        for index, (tile, _, _) in enumerate(self.gaps):
            if tile in column:
                row = [0.0] * columns
                row[index] = row[column[tile]] = -1.0
                rows.append(row)
                limits.append(-1.0)
        cost = [-reload * self.tiles[t]["bytes"] for t, _, _ in self.gaps] + [self.tiles[t]["bytes"] for t in dirty]
        results = sum(t["bytes"] for t in self.tiles if t["result"])
        return results + solve(cost, rows, limits)

    def together(self, solve):
        """Both at once: what does not stay comes in again."""
        base = sum(self.tiles[t]["bytes"] for t in self.uses if self.tiles[t]["loaded"])
        return base + sum(self.tiles[t]["bytes"] for t, _, _ in self.gaps) + self.outgoing(solve, reload=1.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    from scipy.optimize import linprog

    def solve(cost, rows, limits):
        if not cost:
            return 0.0
        answer = linprog(cost, A_ub=rows, b_ub=limits, bounds=(0, 1), method="highs")
        if not answer.success:
            raise RuntimeError(answer.message)
        return answer.fun

    text = subprocess.run([f"{options.build}/bin/planner-bench", "bounds", f"--cases={options.cases}"],
                          check=True, capture_output=True, text=True).stdout
    stored, more, tight, outgoing, optimum, together, both = [], 0, 0, 0.0, 0.0, 0.0, 0.0
    for line in text.splitlines():
        case = json.loads(line)
        program = Program(case)
        incoming, leaving, least = program.incoming(solve), program.outgoing(solve), program.together(solve)
        if abs(incoming - case["incoming"]) > 0.01:
            sys.exit(f"seed {case['seed']}: incoming bytes: bound {case['incoming']}, program {incoming:.3f}")
        if case["outgoing"] > leaving + 0.01:
            sys.exit(f"seed {case['seed']}: outgoing bytes: bound {case['outgoing']}, program {leaving:.3f}")
        if case["together"] > least + 0.01:
            sys.exit(f"seed {case['seed']}: both: bound {case['together']}, program {least:.3f}")
        once = sum(t["bytes"] for t in case["tiles"] if t["loaded"])
        more += incoming > once + 0.01
        tight += case["outgoing"] > leaving - 0.01
        outgoing, optimum = outgoing + case["outgoing"], optimum + leaving
        together, both = together + case["together"], both + least
        stored.append(f"{{{case['seed']}, {incoming:.3f}, {leaving:.3f}, {least:.3f}}},\n")
    print(f"{len(stored)} cases: incoming equal in all, {more} of them reload; outgoing equal in {tight}, "
          f"{outgoing / optimum:.3f} of the optimum on average; together {together / both:.4f} of it")
    if options.write:
        path = ROOT / "runtime/test/planner/BoundOptima.inc"
        path.write_text("// Seed, least incoming and outgoing bytes and both: written by utils/checks/bounds.py\n"
                        "// with a linear programming solver.\n" + "".join(stored[:STORED]))


if __name__ == "__main__":
    main()
