"""Mutation score: how many small faults put into the library are noticed by its tests.

    python3 tools/mutants.py --sample 300            # a seeded sample; what was tried before is not tried again
    python3 tools/mutants.py --sample 600            # goes on where that ended
    python3 tools/mutants.py --sample 0 --survivors  # lists what no test noticed

Faults are those that cargo-mutants lists (`cargo install cargo-mutants --locked`). It would build the library anew for
each of them; here a function that is to be changed has all its changed bodies beside its own, and a variable of the
environment chooses one while tests run. So one build serves all faults, and only tests that reach a fault are run, the
quick ones first. Faults that do not compile are dropped and others take their place, as cargo-mutants counts them.

Tests run on one thread, and those that take longer than `--longest` seconds are not run at all: a fault that only they
would notice counts as missed. What each test takes and reaches is kept beside the outcomes, so that a run that was
stopped, or ended by `--minutes`, goes on at once.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCE = "crates/hodgelet/src"
MODULES = ["hodge", "measure", "wavelet", "feature", "kernel", "likelihood", "gp"]
# It reads the source, which is another one here.
LEFT_OUT = {"architecture"}
# What chooses the changed body: 0 is none of them.
VARIABLE, RECORD = "HODGELET_MUTANT", "HODGELET_REACHED"
# Beyond this multiple of the usual time, and so many seconds, a changed function is taken to run for ever.
PATIENCE, LEAST = 10.0, 30.0
# Tests that are run at once; cheap ones come first.
CHUNK = 24
MEMORY = 6 << 30

SWITCH = f"""
#[doc(hidden)]
pub mod mutant {{
    //! Which changed body runs.
    use std::io::Write;
    use std::sync::atomic::{{AtomicBool, Ordering}};
    use std::sync::{{LazyLock, Mutex}};

    static ACTIVE: LazyLock<u32> =
        LazyLock::new(|| std::env::var("{VARIABLE}").ok().and_then(|text| text.parse().ok()).unwrap_or(0));
    static RECORD: LazyLock<Option<Mutex<std::fs::File>>> = LazyLock::new(|| {{
        let path = std::env::var_os("{RECORD}")?;
        let file = std::fs::File::options().append(true).create(true).open(path);
        Some(Mutex::new(file.expect("a file that can be written")))
    }});

    pub fn active(function: u32, seen: &'static AtomicBool) -> u32 {{
        if !seen.load(Ordering::Relaxed) && !seen.swap(true, Ordering::Relaxed) {{
            if let Some(file) = &*RECORD {{
                let mut file = file.lock().expect("no panic while it is held");
                let _ = file.write_all(format!("{{function}}\\n").as_bytes());
            }}
        }}
        *ACTIVE
    }}
}}
"""


@dataclass(frozen=True)
class Mutant:
    """One fault: what stands between two places of a file is replaced."""

    number: int
    file: str
    name: str
    start: tuple[int, int]
    end: tuple[int, int]
    text: str
    function: tuple[tuple[int, int], tuple[int, int]]

    @property
    def module(self) -> str:
        """The module that it is in."""
        return self.file.removeprefix(SOURCE + "/").split("/")[0]


def places(span: dict[str, Any]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Line and column of the ends of a span, from 1."""
    return tuple((span[end]["line"], span[end]["column"]) for end in ("start", "end"))  # type: ignore[return-value]


def listed(seed: int) -> list[Mutant]:
    """All faults of the modules, in an order that the seed decides."""
    files = [argument for module in MODULES for argument in ("--file", f"{SOURCE}/{module}/**")]
    command = ["cargo", "mutants", "--list", "--json", "--package", "hodgelet", *files]
    found = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    mutants = []
    for item in found:
        if item["function"] is None:
            continue
        start, end = places(item["span"])
        function = places(item["function"]["span"])
        mutants.append(Mutant(0, item["file"], item["name"], start, end, item["replacement"], function))
    mutants.sort(key=lambda mutant: (mutant.file, mutant.start, mutant.text))
    random.Random(seed).shuffle(mutants)
    # As many of each module as of any other, whatever its size.
    turns: Counter[str] = Counter()
    keys = []
    for mutant in mutants:
        keys.append((turns[mutant.module], MODULES.index(mutant.module)))
        turns[mutant.module] += 1
    mutants = [mutant for _, mutant in sorted(zip(keys, mutants, strict=True), key=lambda pair: pair[0])]
    return [replace(mutant, number=number) for number, mutant in enumerate(mutants, start=1)]


def offset(lines: list[int], place: tuple[int, int]) -> int:
    """Where a place is in the text."""
    return lines[place[0] - 1] + place[1] - 1


def body_of(text: str, start: int, end: int) -> int | None:
    """Where the body of a function begins; none where its bodies could be of different types, or must be constant."""
    comments = [match.span() for match in re.finditer(r"//[^\n]*", text[start:end])]
    head = list(text[start:end])
    for first, last in comments:
        head[first:last] = " " * (last - first)
    depth = 0
    for at, character in enumerate(head):
        depth += (character in "([") - (character in ")]")
        if character == "{" and depth == 0:
            signature = "".join(head[:at])
            different = re.search(r"->\s*impl\b|\bconst fn\b", signature)
            return None if different else start + at
    return None


@dataclass
class Patch:
    """A file with the changed bodies of its functions, and the lines that each fault is in."""

    text: str
    lines: dict[int, tuple[int, int]]
    left_out: list[Mutant]


def patched(text: str, mutants: list[Mutant], switches: dict[int, int]) -> Patch:
    """The file with all bodies. Faults of a function inside of a changed one are left out."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    functions: dict[tuple[int, int], list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        functions[offset(starts, mutant.function[0]), offset(starts, mutant.function[1])].append(mutant)
    left_out: list[Mutant] = []
    pieces: list[tuple[str, int | None]] = []
    at = 0
    for (start, end), own in sorted(functions.items()):
        body = body_of(text, start, end)
        if body is None or start < at:
            left_out += own
            continue
        switch = own[0].number
        pieces.append((text[at : body + 1], None))
        head = "static SEEN: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);"
        pieces.append((f" {head} match crate::mutant::active({switch}, &SEEN) {{\n", None))
        for mutant in own:
            switches[mutant.number] = switch
            a, b = offset(starts, mutant.start), offset(starts, mutant.end)
            changed = text[body:a] + mutant.text + " " + text[b:end]
            pieces.append((f"{mutant.number} => {changed}\n", mutant.number))
        pieces.append((f"_ => {text[body:end]}\n}} }}", None))
        at = end
    pieces.append((text[at:], None))
    line, lines, whole = 1, {}, ""
    for piece, number in pieces:
        whole += piece
        if number is not None:
            lines[number] = (line, line + piece.count("\n") - 1)
        line += piece.count("\n")
    return Patch(whole, lines, left_out)


class Workspace:
    """A copy of the repository whose library has the faults of a sample."""

    def __init__(self, folder: Path, target: Path, nice: int) -> None:
        """A copy in `folder`, built in `target`, by processes of low priority."""
        self.folder, self.nice = folder, nice
        one = {"RUST_TEST_THREADS": "1", "RAYON_NUM_THREADS": "1"}
        self.environment = {**os.environ, "CARGO_TARGET_DIR": str(target), "CARGO_TERM_COLOR": "never", **one}
        self.switches: dict[int, int] = {}
        self.sources: dict[str, str] = {}

    def copy(self) -> None:
        """All files that git knows; those of the library are written with the faults in them."""
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for name in filter(None, names.split("\0")):
            content = (ROOT / name).read_bytes()
            if name.startswith(f"{SOURCE}/") and name.endswith(".rs"):
                self.sources[name] = content.decode()
            else:
                self.write(name, content)

    def write(self, name: str, content: bytes) -> None:
        """Writes a file where it differs, so that nothing is built again for nothing."""
        path = self.folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        """Runs a command of cargo."""
        command = ["nice", "-n", str(self.nice), *command]
        return subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )

    def put(self, mutants: list[Mutant]) -> tuple[dict[str, dict[int, tuple[int, int]]], list[Mutant]]:
        """Writes the library with these faults; returns their lines and those that cannot be put beside the others."""
        by_file: dict[str, list[Mutant]] = defaultdict(list)
        for mutant in mutants:
            by_file[mutant.file].append(mutant)
        self.switches = {}
        lines, left_out = {}, []
        for name, text in self.sources.items():
            if name in by_file:
                patch = patched(text, by_file[name], self.switches)
                text, lines[name] = patch.text, patch.lines
                left_out += patch.left_out
            if name == f"{SOURCE}/lib.rs":
                text += SWITCH
            self.write(name, text.encode())
        return lines, left_out

    def messages(self, command: list[str]) -> tuple[int, list[dict[str, Any]]]:
        """What cargo says, line by line."""
        done = self.run([*command, "--message-format", "json"])
        found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        if done.returncode and not any(item["reason"] == "compiler-message" for item in found):
            sys.exit(done.stderr)
        return done.returncode, found

    def build(self, mutants: list[Mutant], targets: list[str]) -> tuple[list[Mutant], list[Mutant], dict[str, Path]]:
        """Builds the tests with the faults that compile; returns these, those left out, and the tests."""
        package = ["--package", "hodgelet"]
        left_out: list[Mutant] = []
        while True:
            lines, out = self.put(mutants)
            left_out += out
            mutants = [mutant for mutant in mutants if mutant not in out]
            status, found = self.messages(["cargo", "test", *package, "--lib", "--no-run"])
            if status == 0:
                break
            wrong = self.faulty(found, lines)
            if not wrong:
                sys.exit("the build failed, and no fault is the cause")
            print(f"{len(wrong)} of {len(mutants)} do not compile")
            mutants = [mutant for mutant in mutants if mutant.number not in wrong]
        status, found = self.messages(["cargo", "test", *package, "--lib", *targets, "--no-run"])
        if status:
            sys.exit("\n".join(item["message"]["rendered"] for item in found if item["reason"] == "compiler-message"))
        tests = {
            item["target"]["name"]: Path(item["executable"])
            for item in found
            if item["reason"] == "compiler-artifact" and item["executable"] and item["profile"]["test"]
        }
        return mutants, left_out, {name: path for name, path in tests.items() if name not in LEFT_OUT}

    @staticmethod
    def faulty(found: list[dict[str, Any]], lines: dict[str, dict[int, tuple[int, int]]]) -> set[int]:
        """The faults that errors of the compiler are in."""
        wrong: set[int] = set()
        for item in found:
            if item["reason"] != "compiler-message" or item["message"]["level"] != "error":
                continue
            message = item["message"]
            owners = {
                number
                for span in message["spans"]
                for number, (first, last) in lines.get(span["file_name"], {}).items()
                if first <= span["line_start"] <= last
            }
            if not owners and message["spans"]:
                sys.exit(f"an error in no changed function:\n{message['rendered']}")
            wrong |= owners
        return wrong


def limit() -> None:
    """A changed function may ask for any amount of memory."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class Tests:
    """The tests, what each takes and which changed functions it reaches."""

    def __init__(self, binaries: dict[str, Path], workspace: Workspace, kept: Path, longest: float) -> None:
        """Tests of these binaries; `kept` says of some what they take and reach."""
        self.binaries, self.workspace, self.kept, self.longest = binaries, workspace, kept, longest
        self.seconds: dict[tuple[str, str], float] = {}
        self.reach: dict[int, list[tuple[str, str]]] = defaultdict(list)

    def start(self, binary: str, names: list[str], **variables: str) -> subprocess.Popen[str]:
        """Tests of one binary, in a group of processes of their own."""
        command = ["nice", "-n", str(self.workspace.nice), str(self.binaries[binary]), "--exact", *names]
        return subprocess.Popen(
            command,
            cwd=self.workspace.folder / "crates/hodgelet",
            env={**self.workspace.environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            preexec_fn=limit,
            start_new_session=True,
        )

    def survey(self, end: float) -> bool:
        """Runs every test alone without a fault, which says what it takes and which functions it reaches.

        Whether that was done before `end`.
        """
        lines = self.kept.read_text().splitlines() if self.kept.exists() else []
        known = {(entry["built"], entry["test"]): entry for entry in map(json.loads, lines)}
        with self.kept.open("a") as file:
            for binary, path in self.binaries.items():
                built = f"{path.name} {path.stat().st_mtime_ns}"
                listing = subprocess.run([path, "--list"], capture_output=True, text=True, check=True).stdout
                for name in re.findall(r"^(.*): test$", listing, flags=re.MULTILINE):
                    entry = known.get((built, name))
                    if entry is None:
                        if time.monotonic() > end:
                            return False
                        entry = {"built": built, "test": name, **self.surveyed(binary, name)}
                        file.write(json.dumps(entry) + "\n")
                        file.flush()
                    if entry["seconds"] is None:
                        continue
                    self.seconds[binary, name] = entry["seconds"]
                    for number in entry["reach"]:
                        self.reach[number].append((binary, name))
        total = sum(self.seconds.values())
        print(f"{len(self.seconds)} tests, {total:.0f} s one by one", flush=True)
        return True

    def surveyed(self, binary: str, name: str) -> dict[str, Any]:
        """Seconds that a test takes, or none where it fails or takes too long, and the functions that it reaches."""
        with tempfile.NamedTemporaryFile("r") as record:
            began = time.monotonic()
            process = self.start(binary, [name], **{VARIABLE: "0", RECORD: record.name})
            try:
                output, _ = process.communicate(timeout=self.longest)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                print(f"left out: {binary} {name} takes longer than {self.longest:.0f} s", flush=True)
                return {"seconds": None, "reach": []}
            if process.returncode:
                print(f"left out: {binary} {name} fails without a fault\n{output}", flush=True)
                return {"seconds": None, "reach": []}
            reach = sorted({int(number) for number in record.read().split()})
            return {"seconds": time.monotonic() - began, "reach": reach}

    def chunks(self, switch: int) -> list[tuple[str, list[str]]]:
        """The tests that reach a function, quick ones first, some of one binary at once."""
        queue = sorted(self.reach[switch], key=lambda test: self.seconds[test])
        chunks: list[tuple[str, list[str]]] = []
        for at in range(0, len(queue), CHUNK):
            group: dict[str, list[str]] = defaultdict(list)
            for binary, name in queue[at : at + CHUNK]:
                group[binary].append(name)
            chunks += group.items()
        return chunks

    def outcome(self, mutant: Mutant) -> tuple[str, str]:
        """Whether a test notices a fault, and which."""
        for binary, names in self.chunks(self.workspace.switches[mutant.number]):
            usual = sum(self.seconds[binary, name] for name in names)
            noticed = self.noticed(mutant, binary, names, max(LEAST, PATIENCE * usual))
            if noticed:
                return noticed
        return "missed", ""

    def noticed(self, mutant: Mutant, binary: str, names: list[str], patience: float) -> tuple[str, str] | None:
        """What the first test that fails is called; all others are ended then."""
        process = self.start(binary, names, **{VARIABLE: str(mutant.number)})
        expired = False

        def end(*_: object) -> None:
            nonlocal expired
            expired = True
            os.killpg(process.pid, signal.SIGKILL)

        signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, patience)
        failed = None
        assert process.stdout is not None
        for line in process.stdout:
            if match := re.match(r"test (\S+).* \.\.\. FAILED", line):
                failed = match[1]
                os.killpg(process.pid, signal.SIGKILL)
                break
        process.stdout.close()
        status = process.wait()
        signal.setitimer(signal.ITIMER_REAL, 0)
        if failed:
            return "caught", f"{binary} {failed}"
        if expired:
            return "timeout", binary
        return ("caught", f"{binary} ends with {status}") if status else None


def record_of(path: Path) -> dict[str, dict[str, Any]]:
    """What was tried before, by name."""
    if not path.exists():
        return {}
    return {entry["name"]: entry for entry in map(json.loads, path.read_text().splitlines())}


def report(done: list[dict[str, Any]], survivors: bool) -> None:
    """Counts for each module, and what was missed."""
    print("| module | faults | caught | by time | missed | score |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    for module in [*MODULES, "all"]:
        own = Counter(entry["outcome"] for entry in done if module in ("all", entry["module"]))
        n = sum(own[outcome] for outcome in ("caught", "timeout", "missed"))
        if n:
            score = 100 * (own["caught"] + own["timeout"]) / n
            print(f"| {module} | {n} | {own['caught']} | {own['timeout']} | {own['missed']} | {score:.1f}% |")
    print(f"{sum(entry['outcome'] == 'unviable' for entry in done)} more do not compile")
    if survivors:
        print("\n".join(entry["name"] for entry in done if entry["outcome"] == "missed"))


def main() -> int:
    """Tries a sample."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--sample", type=int, default=300, help="how many faults that compile are wanted (300)")
    parser.add_argument("--seed", type=int, default=0, help="decides which (0)")
    parser.add_argument("--minutes", type=float, default=1e9, help="stops after so many minutes")
    parser.add_argument("--longest", type=float, default=10.0, help="seconds that a test may take alone (10)")
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "mutants", help="folder for the copy")
    parser.add_argument("--target", type=Path, help="where cargo builds it (WORK/target)")
    parser.add_argument("--nice", type=int, default=15, help="priority (15, low)")
    parser.add_argument("--unit", action="store_true", help="runs tests of units alone, which takes less to build")
    parser.add_argument("--again", action="store_true", help="tries what was missed once more, and nothing else")
    parser.add_argument("--survivors", action="store_true", help="lists what was missed")
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    path = options.work / f"outcomes-{options.seed}.jsonl"
    before = record_of(path)
    wanted = listed(options.seed)
    if options.again:
        chosen = [m for m in wanted if before.get(m.name, {}).get("outcome") == "missed"]
    else:
        # Some will not compile. The sample is the same whenever it is asked for, so that one build serves several runs.
        out = ("unviable", "apart")
        chosen = wanted[: options.sample * 5 // 4]
        chosen = [m for m in chosen if before.get(m.name, {}).get("outcome") not in out]
        if all(m.name in before for m in chosen):
            chosen = []
    print(f"{len(wanted)} faults in all, {len(before)} tried before, {len(chosen)} in the build", flush=True)
    if chosen:
        workspace = Workspace(options.work / "copy", options.target or options.work / "target", options.nice)
        workspace.copy()
        built, left_out, binaries = workspace.build(chosen, [] if options.unit else ["--tests"])
        print(f"{len(built)} compile, {len(left_out)} cannot be put beside others", flush=True)
        kept = {mutant.number for mutant in [*built, *left_out]}
        with path.open("a") as file:

            def note(mutant: Mutant, outcome: str, by: str) -> None:
                entry = {"name": mutant.name, "module": mutant.module, "outcome": outcome, "by": by}
                before[mutant.name] = entry
                file.write(json.dumps(entry) + "\n")
                file.flush()
                print(f"{outcome}: {mutant.name}" + (f" ({by})" if by else ""), flush=True)

            for mutant in left_out:
                note(mutant, "apart", "its bodies would be of different types")
            for mutant in chosen:
                if mutant.number not in kept:
                    note(mutant, "unviable", "")
            tests = Tests(binaries, workspace, options.work / "tests.jsonl", options.longest)
            due = [m for m in built if options.again or m.name not in before] if tests.survey(end) else []
            for mutant in due:
                if time.monotonic() > end:
                    break
                note(mutant, *tests.outcome(mutant))
    report(list(before.values()), options.survivors)
    return 0


if __name__ == "__main__":
    sys.exit(main())
