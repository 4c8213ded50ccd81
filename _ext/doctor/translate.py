"""Translate pe_lib.doctor from Python to JavaScript, so that the page gives the same diagnoses.

Each module becomes an object with its functions, classes and constants. The parts of Python and of
numpy that the translation uses are in `python.mjs` and `numpy.mjs`. If the Python code contains a
construct that this module cannot translate, the build stops and names its file and line.
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
# These methods of Python's built-in types are functions in `python.mjs`.
METHODS = {"append", "sort", "get", "setdefault", "update", "items", "fromkeys", "join", "format",
           "lower", "upper", "strip", "rstrip", "replace", "partition", "startswith",
           "endswith"}  # fmt: skip
# A JavaScript template for each type of syntax node, with placeholders for the node's parts.
TEMPLATES = {
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
# These keyword arguments make no difference in JavaScript, so calls are translated without them.
IGNORED = ("strict", "dtype")


def translate(
    entries: Iterable[tuple[ModuleType, str]], natives: Collection[str], without: Collection[str]
) -> str:
    """Translate Python code to the body of a JavaScript function, which returns all modules.

    The JavaScript function uses the variables `py` and `np`.

    `entries` are pairs of a module and a name in the module. Names that they use from the same
    packages are translated with them. All other names, and the `natives` ("module.name"), are taken
    from `py`. Methods whose names are in `without` are left out.
    """
    translator = _Translator({module.__package__ for module, _ in entries}, natives, without)
    for module, name in entries:
        translator.require(module.__name__, name)
    names = [_short(name) for name in translator.sources]
    empty = ", ".join(f"{name} = {{}}" for name in names)
    modules = f"return {{ {', '.join(names)} }};"
    return "\n".join([f"const {empty};", *translator.statements, modules])


class _Source:
    """A Python module's imports, and the statements that define its global names."""

    def __init__(self, name: str) -> None:
        self.live = sys.modules[name]
        self.bound: dict[str, ast.stmt] = {}
        self.imported: dict[str, str] = {}
        self.modules: set[str] = set()  # modules that were imported with `import name`
        for node in ast.parse(inspect.getsource(self.live)).body:
            if isinstance(node, ast.Import):
                self.modules |= {x.name for x in node.names}
            elif isinstance(node, ast.ImportFrom):
                self.imported |= {x.name: f"{node.module}.{x.name}" for x in node.names}
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                self.bound[node.name] = node
            else:
                self.bound |= dict.fromkeys(_bound_names(node), node)


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def _bound_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that a syntax node defines, except names inside nested functions."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    for child in ast.iter_child_nodes(node):
        parts = [child.iter, *child.ifs] if isinstance(child, ast.comprehension) else [child]
        if not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield from (name for part in parts for name in _bound_names(part))


def _defaults(arguments: ast.arguments) -> list[tuple[ast.arg, ast.expr | None]]:
    """Return a function's parameters in order, each with its default value or None."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + [*arguments.defaults]
    return [*zip(positional, defaults, strict=True),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]  # fmt: skip


def _parameter_names(function: Any) -> tuple[list[str], bool]:
    """Return the names of a function's parameters, and whether it accepts **keywords."""
    parameters = inspect.signature(function).parameters.values()
    names = [x.name for x in parameters if x.kind not in (x.VAR_POSITIONAL, x.VAR_KEYWORD)]
    return names[names[:1] == ["self"] :], any(x.kind is x.VAR_KEYWORD for x in parameters)


def _argument_names(arguments: ast.arguments) -> list[str]:
    return [arg.arg for arg in ast.walk(arguments) if isinstance(arg, ast.arg)]


def _js(name: str) -> str:
    """Return a Python name, with "$" appended if JavaScript reserves the name."""
    return f"{name}$" if name in RESERVED else name


class _Translator(ast.NodeVisitor):
    """Translates Python functions and classes, with all that they depend on, to JavaScript."""

    def __init__(
        self, packages: Collection[str | None], natives: Collection[str], without: Collection[str]
    ) -> None:
        self.packages, self.natives, self.without = packages, natives, without
        self.sources: dict[str, _Source] = {}
        self.translated: set[ast.stmt] = set()
        # JavaScript statements, ordered so that each comes after all statements that it needs
        self.statements: list[str] = []
        self.name = ""  # the name of the module that is currently being translated
        # For each enclosing function or loop, the set of its local names.
        self.scopes: list[set[str]] = []

    def is_ours(self, name: str) -> bool:
        """Return whether a module must be translated because `py` does not provide it."""
        return name in sys.modules and name.rpartition(".")[0] in self.packages

    def require(self, module: str, name: str) -> str:
        """Return the JavaScript name for a Python name, and translate its definition if needed."""
        if f"{_short(module)}.{name}" in self.natives:
            return f"py.{name}"
        source = self.sources.setdefault(module, _Source(module))
        node = source.bound.get(name)
        if node and node not in self.translated:
            self.translated.add(node)
            before = self.name, self.scopes
            self.name, self.scopes = module, []
            self.statements.append(self.visit(node))
            self.name, self.scopes = before
        return f"{_short(module)}.{name}"

    @property
    def source(self) -> _Source:
        return self.sources[self.name]

    @property
    def methods(self) -> dict[str, Any]:
        """Return the methods of all translated classes, as a dictionary by method name."""
        kinds = [kind for source in self.sources.values() for kind in vars(source.live).values()
                 if inspect.isclass(kind) and self.is_ours(kind.__module__)]  # fmt: skip
        return {name: method for kind in kinds for name, method in vars(kind).items()
                if inspect.isfunction(method)}  # fmt: skip

    def generic_visit(self, node: ast.AST) -> Any:
        """Translate a syntax node by its template. Raise NotImplementedError if there is none."""
        if type(node) not in TEMPLATES:
            raise NotImplementedError(f"{self.place(node)}: {type(node).__name__}")
        template = TEMPLATES[type(node)]
        parts = {key: self.text(getattr(node, key)) for key in re.findall(r"{(\w+)}", template)}
        return template.format(**parts)

    def place(self, node: ast.AST) -> str:
        """Return a node's file and line, for the beginning of an error message."""
        return f"no translation, {_short(self.name)}.py:{getattr(node, 'lineno', '?')}"

    def text(self, x: Any) -> str:
        """Translate a part of a syntax node: an operator, a list, another node or a constant."""
        if isinstance(x, ast.operator | ast.unaryop | ast.cmpop):
            name = type(x).__name__.lower()
            return name if name in {*NUMBERS, *TRUTHS, "not"} else self.generic_visit(x)
        if isinstance(x, list):
            return self.all(x)
        return self.visit(x) if isinstance(x, ast.AST) else "null" if x is None else str(x)

    @contextmanager
    def scope(self, names: Iterable[str]) -> Iterator[None]:
        """Return a context manager in which the given names are treated as local variables."""
        self.scopes.append({*names})
        yield
        self.scopes.pop()

    def is_local(self, name: str) -> bool:
        return any(name in scope for scope in self.scopes)

    def all(self, nodes: Iterable[ast.AST], glue: str = ", ") -> str:
        return glue.join(filter(None, map(self.visit, nodes)))

    def body(self, nodes: list[ast.stmt]) -> str:
        return f"{{\n{self.all(nodes, chr(10))}\n}}"

    # --- functions and classes ---

    def visit_FunctionDef(self, node: ast.FunctionDef) -> str:
        yields = any(isinstance(item, ast.Yield | ast.YieldFrom) for item in ast.walk(node))
        name = _js(node.name) if self.scopes else f"{_short(self.name)}.{node.name}"
        function = f"function{'*' * yields} {self.function(node)}"
        return f"{'const ' * bool(self.scopes)}{name} = {function};"

    def function(self, node: ast.FunctionDef, begin: str = "", skipped: int = 0) -> str:
        """Translate the parameters and the body of a function."""
        arguments, parameters = _argument_names(node.args), self.parameters(node.args, skipped)
        names = {name for item in node.body for name in _bound_names(item)}
        variables = sorted(names - {*arguments})
        within = (x for item in node.body for x in ast.walk(item))
        functions = (x.name for x in within if isinstance(x, ast.FunctionDef))
        with self.scope([*arguments, *variables, *functions]):
            begin += f"let {', '.join(map(_js, variables))};\n" if variables else ""
            return f"({parameters}) {{\n{begin}{self.all(node.body, chr(10))}\n}}"

    def parameters(self, arguments: ast.arguments, skipped: int = 0) -> str:
        """Translate a function's parameters, except the first `skipped` parameters."""
        pairs = _defaults(arguments)[skipped:]
        parts = [_js(arg.arg) + (f" = {self.visit(x)}" if x else "") for arg, x in pairs]
        parts += [f"{_js(arguments.kwarg.arg)} = py.dict([])"] if arguments.kwarg else []
        return ", ".join(parts + ([f"...{_js(arguments.vararg.arg)}"] if arguments.vararg else []))

    def visit_ClassDef(self, node: ast.ClassDef) -> str:
        methods = [x for x in node.body if isinstance(x, ast.FunctionDef)
                   and x.name not in self.without]  # fmt: skip
        data = any("dataclass" in ast.unparse(x) for x in node.decorator_list)
        fields = [x for x in node.body if data and isinstance(x, ast.AnnAssign)
                  and "ClassVar" not in ast.unparse(x.annotation)]  # fmt: skip
        names = ", ".join(ast.unparse(x.target) for x in fields)
        arguments = ", ".join(ast.unparse(x.target) + self.default(x.value) for x in fields)
        after = {"__post_init__": "this.__post_init__();"}
        end = "".join(after.get(method.name, "") for method in methods)
        begin = "super();" if node.bases else ""
        parts = [
            f"constructor({arguments}) {{\n{begin}Object.assign(this, {{ {names} }});{end}\n}}"
        ]
        for method in methods:
            getter = "get " * any(ast.unparse(x) == "property" for x in method.decorator_list)
            name = {"__str__": "toString"}.get(method.name, method.name)
            parts.append(f"{getter}{name}{self.function(method, 'const self = this;', 1)}")
        inherited = f"extends {self.all(node.bases)} " if node.bases else ""
        return f"{_short(self.name)}.{node.name} = class {inherited}{{\n{chr(10).join(parts)}\n}};"

    def default(self, value: ast.expr | None) -> str:
        """Translate a dataclass field's default, or the value that its default factory returns."""
        if isinstance(value, ast.Call) and ast.unparse(value.func) == "field":
            options = {word.arg: word.value for word in value.keywords}
            factory = options.get("default_factory")
            value = factory.body if isinstance(factory, ast.Lambda) else options.get("default")
            value = ast.Call(factory, [], []) if isinstance(factory, ast.Name) else value
        return f" = {self.visit(value)}" if value else ""

    # --- statements ---

    def visit_Expr(self, node: ast.Expr) -> str:
        return "" if isinstance(node.value, ast.Constant) else f"{self.visit(node.value)};"

    def visit_Assign(self, node: ast.Assign) -> str:
        value = self.visit(node.value)
        return "\n".join(self.assign(target, value) for target in node.targets)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> str:
        return self.assign(node.target, self.visit(node.value)) if node.value else ""

    def visit_AugAssign(self, node: ast.AugAssign) -> str:
        changed = ast.BinOp(node.target, node.op, node.value)
        return self.assign(node.target, self.visit(changed))

    def assign(self, target: ast.expr, value: str) -> str:
        """Translate an assignment to a target, given the value as JavaScript."""
        if isinstance(target, ast.Subscript):
            return f"py.setItem({self.visit(target.value)}, {value}, {self.index(target.slice)});"
        if isinstance(target, ast.Tuple) and any(isinstance(x, ast.Subscript) for x in target.elts):
            parts = [self.assign(x, f"$[{k}]") for k, x in enumerate(target.elts)]
            return f"{{ const $ = [...{value}];\n{' '.join(parts)} }}"
        value = f"py.iter({value})" if isinstance(target, ast.Tuple) else value
        return f"{self.target(target)} = {value};"

    def target(self, node: ast.expr) -> str:
        """Translate the left-hand side of an assignment."""
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
        return f"for ({over}) {self.loop_body(node)}"

    def visit_While(self, node: ast.While) -> str:
        return f"while ({self.test(node.test)}) {self.loop_body(node)}"

    def loop_body(self, node: ast.For | ast.While) -> str:
        return self.generic_visit(node) if node.orelse else self.body(node.body)

    def visit_With(self, node: ast.With) -> str:
        if "errstate" not in ast.unparse(node.items[0]):  # JavaScript gives no warnings
            self.generic_visit(node)
        return self.all(node.body, "\n")

    def visit_Try(self, node: ast.Try) -> str:
        (handler,) = node.handlers
        with self.scope([handler.name or ""]):
            caught = f"catch ({handler.name}) {self.body(handler.body)}"
        return f"try {self.body(node.body)} {caught}"

    def visit_Raise(self, node: ast.Raise) -> str:
        arguments = node.exc.args if isinstance(node.exc, ast.Call) else []
        return f"throw new Error({self.all(arguments)});"

    # --- expressions ---

    def visit_Constant(self, node: ast.Constant) -> str:
        return "py.dots" if node.value is ... else json.dumps(node.value, ensure_ascii=False)

    def visit_Name(self, node: ast.Name) -> str:
        name = node.id
        if self.is_local(name):
            return _js(name)
        if name == "np":
            return name
        if name in self.source.bound:
            return self.require(self.name, name)
        full = self.source.imported.get(name, "")
        owner = full.rpartition(".")[0]
        if self.is_ours(full):
            return _short(full)
        if self.is_ours(owner):
            return self.require(owner, name)
        if not full and name not in self.source.modules and not hasattr(builtins, name):
            self.generic_visit(node)
        return f"py.{name}"

    def visit_Attribute(self, node: ast.Attribute) -> str:
        owner = self.source.imported.get(ast.unparse(node.value), "")
        if self.is_ours(owner):
            return self.require(owner, node.attr)
        return f"{self.visit(node.value)}.{node.attr}"

    def visit_Subscript(self, node: ast.Subscript) -> str:
        if ast.unparse(node.value) in ("list", "set", "dict", "tuple"):
            return str(self.visit(node.value))  # set[int]()
        return f"py.item({self.visit(node.value)}, {self.index(node.slice)})"

    def index(self, node: ast.expr) -> str:
        return self.all(node.elts if isinstance(node, ast.Tuple) else [node])

    def visit_BoolOp(self, node: ast.BoolOp) -> str:
        *before, last = (str(self.visit(value)) for value in node.values)
        for value in reversed(before):
            last = f"py.{type(node.op).__name__.lower()}({value}, () => {last})"
        return last

    def visit_Compare(self, node: ast.Compare) -> str:
        values = [node.left, *node.comparators]
        parts = [self.compare(op, *pair)
                 for op, *pair in zip(node.ops, values, values[1:], strict=False)]  # fmt: skip
        return parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"

    def compare(self, op: ast.cmpop, left: ast.expr, right: ast.expr) -> str:
        no = "!" * isinstance(op, ast.IsNot | ast.NotIn)
        if isinstance(op, ast.Is | ast.IsNot):
            return f"{no}py.is({self.visit(left)}, {self.visit(right)})"
        if isinstance(op, ast.In | ast.NotIn):
            return f"{no}py.contains({self.visit(right)}, {self.visit(left)})"
        return f"py.{self.text(op)}({self.visit(left)}, {self.visit(right)})"

    def test(self, node: ast.expr) -> str:
        """Translate an expression that is used only as a condition."""
        if isinstance(node, ast.BoolOp):
            sign = " && " if isinstance(node.op, ast.And) else " || "
            return f"({sign.join(map(self.test, node.values))})"
        return f"py.truth({self.visit(node)})"

    def visit_Lambda(self, node: ast.Lambda) -> str:
        with self.scope(_argument_names(node.args)):
            return f"(({self.parameters(node.args)}) => {self.visit(node.body)})"

    def visit_GeneratorExp(
        self, node: ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp
    ) -> str:
        loops = node.generators
        # Python evaluates the first iterable of a comprehension outside of the comprehension
        first = self.visit(loops[0].iter)
        with self.scope(name for loop in loops for name in _bound_names(loop.target)):
            item = f"[{self.visit(node.key)}, {self.visit(node.value)}]" if isinstance(
                node, ast.DictComp) else self.visit(node.elt)  # fmt: skip
            code = f"yield {item};"
            for loop in reversed(loops):
                code = f"if ({' && '.join(map(self.test, loop.ifs))}) {code}" if loop.ifs else code
                over = first if loop is loops[0] else self.visit(loop.iter)
                code = f"for (const {self.target(loop.target)} of py.iter({over})) {code}"
        kinds = {ast.ListComp: "py.list", ast.SetComp: "py.set", ast.DictComp: "py.dict"}
        return f"{kinds.get(type(node), '')}((function* () {{ {code} }})())"

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp  # noqa: N815

    def visit_FormattedValue(self, node: ast.FormattedValue) -> str:
        if node.format_spec or node.conversion != -1:
            raise NotImplementedError(f"{self.place(node)}: the format of a value in an f-string")
        return f"py.str({self.visit(node.value)})"

    # --- calls ---

    def visit_Call(self, node: ast.Call) -> str:
        function, callee = self.visit(node.func), self.resolve(node.func)
        arguments = [*map(self.visit, node.args)]
        owner, _, name = function.rpartition(".")
        if callee is None and name in METHODS and owner not in ("np", "py", ""):
            function, arguments = f"py.methods.{name}", [owner, *arguments]
        words = [word for word in node.keywords if word.arg not in IGNORED]
        if words and isinstance(node.func, ast.Name) and self.is_local(node.func.id):
            # raising an error is the only safe choice, because the order of the parameters is
            # unknown
            self.generic_visit(node)
        if words:
            arguments += self.keywords(words, callee, len(node.args), node)
        return f"{'new ' * inspect.isclass(callee)}{function}({', '.join(arguments)})"

    def resolve(self, node: ast.expr) -> Any:
        """Return the Python function or class that is called, or None if it is not translated."""
        callee: Any = None
        if isinstance(node, ast.Name) and not self.is_local(node.id):
            callee = vars(self.source.live).get(node.id)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) != "np":
            owner = self.source.imported.get(ast.unparse(node.value), "")
            module = sys.modules[owner] if self.is_ours(owner) else None
            callee = getattr(module, node.attr) if module else self.methods.get(node.attr)
        return callee if self.is_ours(getattr(callee, "__module__", "")) else None

    def keywords(
        self, words: list[ast.keyword], callee: Any, positional: int, node: ast.Call
    ) -> list[str]:
        """Translate keyword arguments to positional arguments, which follow the other arguments.

        A translated function takes them at the places of its parameters. Functions of `py` and `np`
        take them as one object, and `update` takes them as a dictionary.
        """
        values = {word.arg: self.visit(word.value) for word in words if word.arg}
        unpacked = [f"...{self.visit(word.value)}" for word in words if not word.arg]
        arguments: list[str] = []
        if callee is not None:
            names, takes_others = _parameter_names(callee)
            arguments = [values.pop(name, "undefined") for name in names[positional:]]
            if not takes_others:
                while arguments[-1] == "undefined":
                    arguments.pop()
                return self.generic_visit(node) if values or unpacked else arguments
        elif not unpacked and ast.unparse(node.func).rpartition(".")[2] != "update":
            return [f"{{ {', '.join(f'{key}: {value}' for key, value in values.items())} }}"]
        pairs = [f"[{json.dumps(key)}, {value}]" for key, value in values.items()]
        return [*arguments, f"py.dict([{', '.join([*pairs, *unpacked])}])"]
