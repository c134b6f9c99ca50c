"""The laws of the house: who may import whom, what a command may load, how large a room may grow."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "probe"
MODULES = sorted(PACKAGE.rglob("*.py"))
TEXTS = {".py", ".md", ".toml", ".txt", ".ipynb", ".j2", ".html", ".css", ".cfg", ".yml", ".yaml", ".json", ""}

each_module = pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path, *, deferred: bool) -> set[str]:
    """Every module that a file imports, in full; ``deferred`` counts those inside functions too.

    What stands under ``if TYPE_CHECKING`` is for the type checker and never runs.
    """
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}:
            for other in node.orelse:
                visit(other)
            return
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) and not deferred:
            return
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: imports here are written in full"
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(parsed(path))
    return found


def within(modules: set[str], *packages: str) -> set[str]:
    return {name for name in modules if any(name == package or name.startswith(f"{package}.") for package in packages)}


def room(name: str) -> list[Path]:
    file = PACKAGE / f"{name}.py"
    return [file] if file.exists() else sorted((PACKAGE / name).rglob("*.py"))


def violations(rooms: list[str], *forbidden: str, deferred: bool = True) -> dict[str, set[str]]:
    found = {
        str(path.relative_to(ROOT)): within(imports(path, deferred=deferred), *forbidden)
        for name in rooms
        for path in room(name)
    }
    assert found, f"no such room: {rooms}"
    return {path: names for path, names in found.items() if names}


# ---- who may import whom


def test_numerics_know_numpy_and_scipy_only() -> None:
    allowed = {"numpy", "scipy", *sys.stdlib_module_names}
    for path in room("numerics"):
        strangers = {
            name
            for name in imports(path, deferred=True)
            if name.partition(".")[0] not in allowed and not within({name}, "probe.numerics")
        }
        assert not strangers, path


def test_analyzers_know_no_loader_no_report_and_no_command_line() -> None:
    outside = ("probe.loaders", "probe.report", "probe.analysis", "probe.cli", "probe.terminal", "click", "rich")
    assert violations(["analyzers", "numerics"], *outside, "torch", "transformers") == {}


def test_analyzers_draw_only_when_asked_to() -> None:
    assert violations(["analyzers"], "matplotlib", "seaborn", "pandas", deferred=False) == {}


def test_loaders_know_no_analyzer() -> None:
    outside = ("probe.analyzers", "probe.numerics", "probe.report", "probe.analysis", "probe.cli", "probe.terminal")
    assert violations(["loaders"], *outside, "matplotlib", "seaborn", "sklearn", "click", "rich") == {}


def test_what_everything_leans_on_leans_on_nothing() -> None:
    for name in ("errors", "encodings", "sinusoids"):
        (path,) = room(name)
        known = imports(path, deferred=True)
        assert {module.partition(".")[0] for module in known} <= {"numpy", "probe", *sys.stdlib_module_names}, name
        assert within(known, "probe") == within(known, "probe.errors"), name


def test_reports_read_no_checkpoint() -> None:
    assert violations(["report"], "probe.loaders", "probe.analysis", "probe.cli", "probe.terminal", "torch") == {}


# ---- what a command may load


HEAVY = ("torch", "transformers", "sklearn", "seaborn", "matplotlib", "pandas", "scipy", "jinja2")
WATCH = """
import json, sys
from probe.cli import main
try:
    main(json.loads(sys.argv[1]), prog_name="probe")
except SystemExit as stop:
    assert not stop.code, stop.code
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def loaded_by(*command: str, cwd: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", WATCH, json.dumps(command)], capture_output=True, text=True, cwd=cwd, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("architecture")
    rows = np.random.default_rng(0).standard_normal((32, 8), dtype=np.float32)
    save_file({"bert.embeddings.position_embeddings.weight": rows}, folder / "model.safetensors")
    (folder / "config.json").write_text('{"model_type": "bert", "max_position_embeddings": 32, "hidden_size": 8}')
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ("--help",),
        ("--version",),
        ("analyze", "--help"),
        ("show", "."),
        ("show", ".", "--json"),
        ("export", ".", "-o", "table.npy"),
        ("export", ".", "-o", "table.safetensors"),
    ],
    ids=" ".join,
)
def test_light_commands_load_no_heavy_library(command: tuple[str, ...], checkpoint: Path) -> None:
    modules = loaded_by(*command, cwd=checkpoint)
    assert "probe.cli" in modules
    assert sorted(modules & set(HEAVY)) == []


def test_the_watch_sees_what_a_command_loads(checkpoint: Path) -> None:
    assert {"scipy", "numpy"} <= loaded_by("analyze", ".", "--draws", "0", "--only", "pca", "--json", cwd=checkpoint)


def test_analysing_a_safetensors_file_builds_no_model(checkpoint: Path) -> None:
    modules = loaded_by("analyze", ".", "--draws", "1", "--json", cwd=checkpoint)
    assert sorted(modules & {"torch", "transformers", "sklearn", "seaborn", "matplotlib"}) == []


# A process is charged with its parent's memory at the moment it starts, so the one that measures must be small itself.
MEASURE = """
import json, resource, subprocess, sys
subprocess.run(json.loads(sys.argv[1]), check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def test_show_stays_under_80_megabytes(checkpoint: Path) -> None:
    command = json.dumps([sys.executable, "-m", "probe", "show", str(checkpoint)])
    # -S: the measuring process needs no packages, and neither does it take their memory.
    done = subprocess.run([sys.executable, "-S", "-c", MEASURE, command], capture_output=True, text=True, check=True)
    assert 5 < int(done.stdout) / 1024 < 80


# ---- how large a room may grow


def definitions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for node in ast.walk(parsed(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in definitions(path):
        if not isinstance(node, ast.ClassDef):
            yield node


@each_module
def test_a_module_is_one_room(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


@each_module
def test_a_function_fits_a_screen(path: Path) -> None:
    lengths = {node.name: (node.end_lineno or node.lineno) - node.lineno + 1 for node in functions(path)}
    code = {node.name: lengths[node.name] - _docstring_lines(node) for node in functions(path)}
    assert {name: length for name, length in code.items() if length > 80} == {}


def _docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return len((ast.get_docstring(node, clean=False) or "").splitlines())


@each_module
def test_a_function_takes_six_parameters_at_most(path: Path) -> None:
    for node in functions(path):
        named = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        assert len([name for name in named if name not in {"self", "cls"}]) <= 6, node.name


@each_module
def test_every_public_name_says_what_it_is_for(path: Path) -> None:
    tree = parsed(path)
    assert ast.get_docstring(tree), "the module has no docstring"
    homes: list[ast.Module | ast.ClassDef] = [
        tree,
        *(node for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")),
    ]
    silent = [
        node.name
        for home in homes
        for node in home.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
        and "overload" not in {ast.unparse(decorator) for decorator in node.decorator_list}
    ]
    assert silent == []


def test_modules_are_named_after_what_they_hold() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "tools"}
    assert [path for path in MODULES if path.stem in vague or path.parent.name in vague] == []


@each_module
def test_nothing_executes_what_a_checkpoint_holds(path: Path) -> None:
    loads = within(imports(path, deferred=True), "pickle", "dill", "cloudpickle", "joblib")
    assert loads <= {"pickle"}
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "pickle":
            assert node.attr == "UnpicklingError"  # what torch raises when it refuses
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "torch.load":
            given = {word.arg: ast.unparse(word.value) for word in node.keywords}
            assert given.get("weights_only") == "True"
        if isinstance(node, ast.keyword) and node.arg == "trust_remote_code":
            assert ast.unparse(node.value) == "False"


# ---- what may be written down


def written() -> Iterator[tuple[Path, str]]:
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode:
        pytest.skip("this is no git checkout, so nothing says which files belong to the project")
    for name in tracked.stdout.split("\0"):
        path = ROOT / name
        if path.suffix in TEXTS and path.is_file():
            yield path, path.read_text(encoding="utf-8")


def test_nothing_points_outside_the_project() -> None:
    outside = re.compile(r"\.\./" + "shared")
    assert [path for path, text in written() if outside.search(text)] == []


def test_every_exemption_gives_its_reason() -> None:
    exemption = re.compile(r"#\s*(?:type:\s*ignore|noqa|pragma: no cover)[^\s#]*(?:\[[^\]]*\])?(?:: ?[A-Z0-9, ]+)?(.*)")
    bare = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path, text in written()
        if path.suffix == ".py" and path != Path(__file__)
        for line in text.splitlines()
        if (found := exemption.search(line)) and len(found[1].strip(" #:—-")) < 10
    ]
    assert bare == []
