"""From pe_lib.doctor's Python to JavaScript, so that the page says what Python says.

Each module becomes an object of its functions, classes and constants; `python.mjs` is what is left
of the language, `numpy.mjs` of numpy. Python that is not known here ends the build, with its file
and line.
"""

import ast
import builtins
import inspect
import json
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from _ext.doctor.kernels import NUMBERS, TRUTHS

RESERVED = {"new", "default", "function", "var", "let", "const", "this", "typeof", "delete", "void",
            "switch", "case", "static", "enum", "eval", "arguments", "null", "true", "false", "do",
            "catch", "throw", "super", "export", "extends", "instanceof"}  # fmt: skip
TYPES = ("typing", "collections.abc", "numpy.typing")
# of lists, dictionaries, sets and strings
METHODS = {"append", "sort", "get", "setdefault", "update", "items", "fromkeys", "join", "format",
           "lower", "upper", "strip", "rstrip", "replace", "partition", "endswith"}  # fmt: skip
# what is said of a node by what is said of its parts
PLAIN = {
    ast.Assert: "",
    ast.Break: "break;",
    ast.Continue: "continue;",
    ast.Return: "return {value};",
    ast.Yield: "yield {value}",
    ast.YieldFrom: "yield* py.iter({value})",
    ast.List: "[{elts}]",
    ast.Tuple: "[{elts}]",
    ast.Set: "py.set([{elts}])",
    ast.Dict: "py.dict(py.zip([{keys}], [{values}]))",
    ast.Starred: "...py.iter({value})",
    ast.Slice: "py.slice({lower}, {upper}, {step})",
    ast.NamedExpr: "({target} = {value})",
    ast.JoinedStr: '[{values}].join("")',
    ast.BinOp: "py.{op}({left}, {right})",
    ast.UnaryOp: "py.{op}({operand})",
    ast.IfExp: "(py.truth({test}) ? {body} : {orelse})",
}
IGNORED = ("strict", "dtype")  # words that change nothing here


def translate(
    entries: Iterable[tuple[ModuleType, str]], natives: Collection[str], without: Collection[str]
) -> str:
    """The body of a function of `py` and `np` that returns modules with these names in them.

    What the entries need comes with them, as far as it lies in their packages; all else, and the
    `natives` ("module.name"), is taken from `py`. Methods of the names in `without` are left out.
    """
    made = _Translator({module.__package__ for module, _ in entries}, natives, without)
    for module, name in entries:
        made.needed(module.__name__, name)
    names = [_short(name) for name in made.sources]
    empty = ", ".join(f"{name} = {{}}" for name in names)
    return "\n".join([f"const {empty};", *made.said, f"return {{ {', '.join(names)} }};"])


class _Source:
    """A module: its statements by the names that they bind, and what it imports."""

    def __init__(self, name: str) -> None:
        self.live = sys.modules[name]
        self.bound: dict[str, ast.stmt] = {}
        self.imported: dict[str, str] = {}
        self.modules: set[str] = set()  # Python's own
        for node in ast.parse(inspect.getsource(self.live)).body:
            if isinstance(node, ast.Import):
                self.modules |= {x.name for x in node.names}
            elif isinstance(node, ast.ImportFrom):
                self.imported |= {x.name: f"{node.module}.{x.name}" for x in node.names}
            own = isinstance(node, ast.FunctionDef | ast.ClassDef)
            self.bound |= dict.fromkeys([node.name] if own else _stored(node), node)


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def _stored(node: ast.AST) -> Iterator[str]:
    """Names that are bound here, not in functions and comprehensions within."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    for child in ast.iter_child_nodes(node):
        parts = [child.iter, *child.ifs] if isinstance(child, ast.comprehension) else [child]
        if not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield from (name for part in parts for name in _stored(part))


def _defaults(given: ast.arguments) -> list[tuple[ast.arg, ast.expr | None]]:
    """What can be given by its place or name, and its default."""
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + [*given.defaults]
    return [*zip(positional, defaults, strict=True),
            *zip(given.kwonlyargs, given.kw_defaults, strict=True)]  # fmt: skip


def _places(found: Any) -> tuple[list[str], bool]:
    """In which order a function takes its words, and whether it takes any other."""
    parameters = inspect.signature(found).parameters.values()
    names = [x.name for x in parameters if x.kind not in (x.VAR_POSITIONAL, x.VAR_KEYWORD)]
    return names[names[:1] == ["self"] :], any(x.kind is x.VAR_KEYWORD for x in parameters)


def _taken(given: ast.arguments) -> list[str]:
    return [arg.arg for arg in ast.walk(given) if isinstance(arg, ast.arg)]


def _js(name: str) -> str:
    return f"{name}$" if name in RESERVED else name


class _Translator(ast.NodeVisitor):
    """Statements and expressions as text, each time with what they need."""

    def __init__(
        self, packages: Collection[str | None], natives: Collection[str], without: Collection[str]
    ) -> None:
        self.packages, self.natives, self.without = packages, natives, without
        self.sources: dict[str, _Source] = {}
        self.needs: set[ast.stmt] = set()
        self.said: list[str] = []  # each statement after those that it needs
        self.name = ""  # of the module
        self.scopes: list[set[str]] = []  # names of functions and loops around

    def ours(self, name: str) -> bool:
        return name in sys.modules and name.rpartition(".")[0] in self.packages

    def needed(self, module: str, name: str) -> str:
        """How a name of a module is written; its statement is translated, once."""
        if f"{_short(module)}.{name}" in self.natives:
            return f"py.{name}"
        source = self.sources.setdefault(module, _Source(module))
        node = source.bound.get(name)
        if node and node not in self.needs:
            self.needs.add(node)
            before = self.name, self.scopes
            self.name, self.scopes = module, []
            self.said.append(self.visit(node))
            self.name, self.scopes = before
        return f"{_short(module)}.{name}"

    @property
    def source(self) -> _Source:
        return self.sources[self.name]

    @property
    def methods(self) -> dict[str, Any]:
        """Of all our classes, by name."""
        kinds = [kind for source in self.sources.values() for kind in vars(source.live).values()
                 if inspect.isclass(kind) and self.ours(kind.__module__)]  # fmt: skip
        return {name: method for kind in kinds for name, method in vars(kind).items()
                if inspect.isfunction(method)}  # fmt: skip

    def generic_visit(self, node: ast.AST) -> Any:
        """What needs no thought; anything else is not translated."""
        if type(node) not in PLAIN:
            raise NotImplementedError(f"{self.place(node)}: {type(node).__name__}")
        plain = PLAIN[type(node)]
        parts = {key: self.text(getattr(node, key)) for key in re.findall(r"{(\w+)}", plain)}
        return plain.format(**parts)

    def place(self, node: ast.AST) -> str:
        return f"no translation, {_short(self.name)}.py:{getattr(node, 'lineno', '?')}"

    def text(self, x: Any) -> str:
        """A part of a node."""
        if isinstance(x, ast.operator | ast.unaryop | ast.cmpop):
            name = type(x).__name__.lower()
            return name if name in {*NUMBERS, *TRUTHS, "not"} else self.generic_visit(x)
        if isinstance(x, list):
            return self.all(x)
        return self.visit(x) if isinstance(x, ast.AST) else "null" if x is None else str(x)

    @contextmanager
    def scope(self, names: Iterable[str]) -> Iterator[None]:
        self.scopes.append({*names})
        yield
        self.scopes.pop()

    def local(self, name: str) -> bool:
        return any(name in scope for scope in self.scopes)

    def all(self, nodes: Iterable[ast.AST], glue: str = ", ") -> str:
        return glue.join(filter(None, map(self.visit, nodes)))

    def body(self, nodes: list[ast.stmt]) -> str:
        return f"{{\n{self.all(nodes, chr(10))}\n}}"

    # --- functions and classes ---

    def visit_FunctionDef(self, node: ast.FunctionDef) -> str:
        made = any(isinstance(item, ast.Yield | ast.YieldFrom) for item in ast.walk(node))
        name = _js(node.name) if self.scopes else f"{_short(self.name)}.{node.name}"
        function = f"function{'*' * made} {self.function(node)}"
        return f"{'const ' * bool(self.scopes)}{name} = {function};"

    def function(self, node: ast.FunctionDef, begin: str = "", skipped: int = 0) -> str:
        """Parameters and body."""
        taken, parameters = _taken(node.args), self.parameters(node.args, skipped)
        stored = sorted({name for item in node.body for name in _stored(item)} - {*taken})
        within = (x for item in node.body for x in ast.walk(item))
        functions = (x.name for x in within if isinstance(x, ast.FunctionDef))
        with self.scope([*taken, *stored, *functions]):
            begin += f"let {', '.join(map(_js, stored))};\n" if stored else ""
            return f"({parameters}) {{\n{begin}{self.all(node.body, chr(10))}\n}}"

    def parameters(self, given: ast.arguments, skipped: int = 0) -> str:
        pairs = _defaults(given)[skipped:]
        parts = [_js(arg.arg) + (f" = {self.visit(x)}" if x else "") for arg, x in pairs]
        parts += [f"{_js(given.kwarg.arg)} = py.dict([])"] if given.kwarg else []
        return ", ".join(parts + ([f"...{_js(given.vararg.arg)}"] if given.vararg else []))

    def visit_ClassDef(self, node: ast.ClassDef) -> str:
        methods = [x for x in node.body if isinstance(x, ast.FunctionDef)
                   and x.name not in self.without]  # fmt: skip
        data = any("dataclass" in ast.unparse(x) for x in node.decorator_list)
        fields = [x for x in node.body if data and isinstance(x, ast.AnnAssign)
                  and "ClassVar" not in ast.unparse(x.annotation)]  # fmt: skip
        names = ", ".join(ast.unparse(x.target) for x in fields)
        given = ", ".join(ast.unparse(x.target) + self.default(x.value) for x in fields)
        after = {"__post_init__": "this.__post_init__();"}
        end = "".join(after.get(method.name, "") for method in methods)
        begin = "super();" if node.bases else ""
        parts = [f"constructor({given}) {{\n{begin}Object.assign(this, {{ {names} }});{end}\n}}"]
        for method in methods:
            getter = "get " * any(ast.unparse(x) == "property" for x in method.decorator_list)
            name = {"__str__": "toString"}.get(method.name, method.name)
            parts.append(f"{getter}{name}{self.function(method, 'const self = this;', 1)}")
        inherited = f"extends {self.all(node.bases)} " if node.bases else ""
        return f"{_short(self.name)}.{node.name} = class {inherited}{{\n{chr(10).join(parts)}\n}};"

    def default(self, value: ast.expr | None) -> str:
        if isinstance(value, ast.Call) and ast.unparse(value.func) == "field":
            how = {word.arg: word.value for word in value.keywords}
            made = how.get("default_factory")
            value = made.body if isinstance(made, ast.Lambda) else how.get("default")
            value = ast.Call(made, [], []) if isinstance(made, ast.Name) else value
        return f" = {self.visit(value)}" if value else ""

    # --- statements ---

    def visit_Expr(self, node: ast.Expr) -> str:
        return "" if isinstance(node.value, ast.Constant) else f"{self.visit(node.value)};"

    def visit_Assign(self, node: ast.Assign) -> str:
        value = self.visit(node.value)
        return "\n".join(self.stored(target, value) for target in node.targets)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> str:
        return self.stored(node.target, self.visit(node.value)) if node.value else ""

    def visit_AugAssign(self, node: ast.AugAssign) -> str:
        changed = ast.BinOp(node.target, node.op, node.value)
        return self.stored(node.target, self.visit(changed))

    def stored(self, target: ast.expr, value: str) -> str:
        """An assignment of a value, as text, to a target."""
        if isinstance(target, ast.Subscript):
            return f"py.put({self.visit(target.value)}, {value}, {self.index(target.slice)});"
        if isinstance(target, ast.Tuple) and any(isinstance(x, ast.Subscript) for x in target.elts):
            parts = [self.stored(x, f"$[{k}]") for k, x in enumerate(target.elts)]
            return f"{{ const $ = [...{value}];\n{' '.join(parts)} }}"
        value = f"py.iter({value})" if isinstance(target, ast.Tuple) else value
        return f"{self.target(target)} = {value};"

    def target(self, node: ast.expr) -> str:
        if isinstance(node, ast.Tuple):
            parts = ("" if ast.unparse(x) == "_" else self.target(x) for x in node.elts)
            return f"[{', '.join(parts)}]"
        return (
            f"...{self.target(node.value)}" if isinstance(node, ast.Starred) else self.visit(node)
        )

    def visit_If(self, node: ast.If) -> str:
        otherwise = f" else {self.body(node.orelse)}" if node.orelse else ""
        return f"if ({self.test(node.test)}) {self.body(node.body)}{otherwise}"

    def visit_For(self, node: ast.For) -> str:
        over = f"{self.target(node.target)} of py.iter({self.visit(node.iter)})"
        return f"for ({over}) {self.looped(node)}"

    def visit_While(self, node: ast.While) -> str:
        return f"while ({self.test(node.test)}) {self.looped(node)}"

    def looped(self, node: ast.For | ast.While) -> str:
        return self.generic_visit(node) if node.orelse else self.body(node.body)

    def visit_With(self, node: ast.With) -> str:
        if "errstate" not in ast.unparse(node.items[0]):  # nothing here warns
            self.generic_visit(node)
        return self.all(node.body, "\n")

    def visit_Try(self, node: ast.Try) -> str:
        (handler,) = node.handlers
        with self.scope([handler.name or ""]):
            caught = f"catch ({handler.name}) {self.body(handler.body)}"
        return f"try {self.body(node.body)} {caught}"

    def visit_Raise(self, node: ast.Raise) -> str:
        said = node.exc.args if isinstance(node.exc, ast.Call) else []
        return f"throw new Error({self.all(said)});"

    # --- expressions ---

    def visit_Constant(self, node: ast.Constant) -> str:
        return "py.dots" if node.value is ... else json.dumps(node.value, ensure_ascii=False)

    def visit_Name(self, node: ast.Name) -> str:
        name = node.id
        if self.local(name):
            return _js(name)
        if name == "np":
            return name
        if name in self.source.bound:
            return self.needed(self.name, name)
        full = self.source.imported.get(name, "")
        owner = full.rpartition(".")[0]
        if self.ours(full):
            return _short(full)
        if self.ours(owner):
            return self.needed(owner, name)
        if not full and name not in self.source.modules and not hasattr(builtins, name):
            self.generic_visit(node)
        return f"py.{name}"

    def visit_Attribute(self, node: ast.Attribute) -> str:
        owner = self.source.imported.get(ast.unparse(node.value), "")
        if self.ours(owner):
            return self.needed(owner, node.attr)
        return f"{self.visit(node.value)}.{node.attr}"

    def visit_Subscript(self, node: ast.Subscript) -> str:
        if ast.unparse(node.value) in ("list", "set", "dict", "tuple"):
            return self.visit(node.value)  # set[int]()
        return f"py.item({self.visit(node.value)}, {self.index(node.slice)})"

    def index(self, node: ast.expr) -> str:
        return self.all(node.elts if isinstance(node, ast.Tuple) else [node])

    def visit_BoolOp(self, node: ast.BoolOp) -> str:
        *before, last = map(self.visit, node.values)
        for value in reversed(before):
            last = f"py.{type(node.op).__name__.lower()}({value}, () => {last})"
        return last

    def visit_Compare(self, node: ast.Compare) -> str:
        values = [node.left, *node.comparators]
        parts = [self.compared(op, *pair)
                 for op, *pair in zip(node.ops, values, values[1:], strict=False)]  # fmt: skip
        return parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"

    def compared(self, op: ast.cmpop, left: ast.expr, right: ast.expr) -> str:
        no = "!" * isinstance(op, ast.IsNot | ast.NotIn)
        if isinstance(op, ast.Is | ast.IsNot):
            return f"{no}py.is({self.visit(left)}, {self.visit(right)})"
        if isinstance(op, ast.In | ast.NotIn):
            return f"{no}py.contains({self.visit(right)}, {self.visit(left)})"
        return f"py.{self.text(op)}({self.visit(left)}, {self.visit(right)})"

    def test(self, node: ast.expr) -> str:
        """An expression of which only the truth matters."""
        if isinstance(node, ast.BoolOp):
            sign = " && " if isinstance(node.op, ast.And) else " || "
            return f"({sign.join(map(self.test, node.values))})"
        return f"py.truth({self.visit(node)})"

    def visit_Lambda(self, node: ast.Lambda) -> str:
        with self.scope(_taken(node.args)):
            return f"(({self.parameters(node.args)}) => {self.visit(node.body)})"

    def visit_GeneratorExp(
        self, node: ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp
    ) -> str:
        loops = node.generators
        first = self.visit(loops[0].iter)  # which does not see the names of the loops
        with self.scope(name for loop in loops for name in _stored(loop.target)):
            made = f"[{self.visit(node.key)}, {self.visit(node.value)}]" if isinstance(
                node, ast.DictComp) else self.visit(node.elt)  # fmt: skip
            code = f"yield {made};"
            for loop in reversed(loops):
                code = f"if ({' && '.join(map(self.test, loop.ifs))}) {code}" if loop.ifs else code
                over = first if loop is loops[0] else self.visit(loop.iter)
                code = f"for (const {self.target(loop.target)} of py.iter({over})) {code}"
        kinds = {ast.ListComp: "py.list", ast.SetComp: "py.set", ast.DictComp: "py.dict"}
        return f"{kinds.get(type(node), '')}((function* () {{ {code} }})())"

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp  # noqa: N815

    def visit_FormattedValue(self, node: ast.FormattedValue) -> str:
        if node.format_spec or node.conversion != -1:
            raise NotImplementedError(f"{self.place(node)}: how a value is written")
        return f"py.str({self.visit(node.value)})"

    # --- calls ---

    def visit_Call(self, node: ast.Call) -> str:
        function, found = self.visit(node.func), self.meant(node.func)
        arguments = [*map(self.visit, node.args)]
        owner, _, name = function.rpartition(".")
        if found is None and name in METHODS and owner not in ("np", "py", ""):
            function, arguments = f"py.methods.{name}", [owner, *arguments]
        words = [word for word in node.keywords if word.arg not in IGNORED]
        if words and isinstance(node.func, ast.Name) and self.local(node.func.id):
            self.generic_visit(node)  # whose places are not known
        if words:
            arguments += self.words(words, found, len(node.args), node)
        return f"{'new ' * inspect.isclass(found)}{function}({', '.join(arguments)})"

    def meant(self, node: ast.expr) -> Any:
        """The function or class of ours that is called; None for any other."""
        found: Any = None
        if isinstance(node, ast.Name) and not self.local(node.id):
            found = vars(self.source.live).get(node.id)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) != "np":
            owner = self.source.imported.get(ast.unparse(node.value), "")
            module = sys.modules[owner] if self.ours(owner) else None
            found = getattr(module, node.attr) if module else self.methods.get(node.attr)
        return found if self.ours(getattr(found, "__module__", "")) else None

    def words(self, words: list[ast.keyword], found: Any, given: int, node: ast.Call) -> list[str]:
        """Words in their places; what is not ours takes them as one object, or as a dictionary."""
        known = {word.arg: self.visit(word.value) for word in words if word.arg}
        spread = [f"...{self.visit(word.value)}" for word in words if not word.arg]
        places: list[str] = []
        if found is not None:
            names, rest = _places(found)
            places = [known.pop(name, "undefined") for name in names[given:]]
            if not rest:
                while places[-1] == "undefined":
                    places.pop()
                return self.generic_visit(node) if known or spread else places
        elif not spread and ast.unparse(node.func).rpartition(".")[2] != "update":
            return [f"{{ {', '.join(f'{key}: {value}' for key, value in known.items())} }}"]
        pairs = [f"[{json.dumps(key)}, {value}]" for key, value in known.items()]
        return [*places, f"py.dict([{', '.join([*pairs, *spread])}])"]
