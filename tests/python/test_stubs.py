"""The stub of the compiled module says what the module has; public functions say the types of all that they take."""

import ast
import inspect
from pathlib import Path

import sortile
from sortile._backend import core

STUB = ast.parse(Path(sortile.__path__[0], "_core.pyi").read_text())


def taken_by(function):
    """How many arguments a compiled function takes, which of them are flags and which numbers."""
    text = function.__nb_signature__[0][0]
    arguments = ast.parse(f"{text}: ...").body[0].args
    return [ast.unparse(a.annotation).removesuffix(" | None") for a in arguments.posonlyargs]


def test_the_stub_names_what_the_module_has():
    declared = {node.name for node in STUB.body if isinstance(node, ast.FunctionDef)}
    declared |= {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign)}
    assert declared == {name for name in dir(core) if not name.startswith("__")}


def test_the_stub_takes_what_the_module_takes():
    compared = 0
    for node in STUB.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        real = taken_by(getattr(core, node.name))
        stated = [ast.unparse(a.annotation) for a in node.args.posonlyargs]
        assert not node.args.args and not node.args.kwonlyargs, f"{node.name}: arguments go by position"
        assert len(stated) == len(real), node.name
        for number, (said, is_really) in enumerate(zip(stated, real)):
            assert said in ("Any", is_really) or is_really in ("object", "list", "tuple"), f"{node.name}, {number}"
        compared += len(real)
    assert compared > 100


def test_public_functions_are_typed_throughout():
    for name in sortile.__all__:
        function = getattr(sortile, name)
        assert function.__module__.startswith("sortile."), name
        signature = inspect.signature(function)
        assert signature.return_annotation is not inspect.Signature.empty, name
        for parameter in signature.parameters.values():
            assert parameter.annotation is not inspect.Parameter.empty, f"{name}, {parameter.name}"
    assert sorted(sortile.__all__) == sorted(
        n for n, v in vars(sortile).items() if inspect.isfunction(v) and not n.startswith("_"))
