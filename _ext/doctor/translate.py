"""From pe_lib.doctor's Python to JavaScript, so that the page says what Python says.

Each module becomes an object of its functions, classes and constants; `python.mjs` is what is left
of the language, `numpy.mjs` of numpy. Python that is not known here ends the build, with its file
and line.
"""

import ast
import builtins
import inspect
import json
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
METHODS = {"append", "extend", "insert", "sort", "get", "setdefault", "update", "items", "keys",
           "values", "fromkeys", "add", "index", "join", "format", "lower",
           "upper"}  # fmt: skip
IGNORED = ("strict", "dtype")  # words that change nothing here

Natives = dict[str, Collection[str]]


def translated(modules: Iterable[ModuleType], natives: Natives) -> str:
    """The body of a function of `py` and `np` that returns these modules.

    `natives` names, by module or class, what JavaScript has of its own: taken from `py`, or, of a
    class, left out.
    """
    by_name = {_short(module.__name__): module for module in modules}
    done: dict[str, str] = {}

    def visit(name: str) -> None:
        """A module stands after those that it imports: what it takes from them is there."""
        if name in done or name not in by_name:
            return
        tree = ast.parse(inspect.getsource(by_name[name]))
        for node in tree.body:
            if isinstance(node, ast.ImportFrom):
                for needed in (_short(node.module or ""), *(alias.name for alias in node.names)):
                    visit(needed)
        done[name] = _Translator(name, by_name, natives).whole(tree)

    for name in by_name:
        visit(name)
    empty = ", ".join(f"{name} = {{}}" for name in by_name)
    return "\n".join([f"const {empty};", *done.values(), f"return {{ {', '.join(by_name)} }};"])


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


def _taken(given: ast.arguments) -> list[str]:
    return [arg.arg for arg in ast.walk(given) if isinstance(arg, ast.arg)]


def _is_type(value: ast.expr | None) -> bool:
    """Whether an assignment gives a type another name."""
    base = ast.unparse(value.value) if isinstance(value, ast.Subscript) else ""
    return base in ("NDArray", "Callable", "Sequence", "list", "tuple", "dict")


def _js(name: str) -> str:
    return f"{name}$" if name in RESERVED else name


class _Translator(ast.NodeVisitor):
    """One module: statements and expressions as text."""

    def __init__(self, name: str, modules: dict[str, ModuleType], natives: Natives) -> None:
        self.name, self.modules, self.natives = name, modules, natives
        self.scopes: list[set[str]] = []
        self.loops: list[str] = []
        kinds = [kind for module in modules.values() for kind in vars(module).values()
                 if inspect.isclass(kind) and _short(kind.__module__) in modules]  # fmt: skip
        self.methods = {name: method for kind in kinds for name, method in vars(kind).items()
                        if inspect.isfunction(method)}  # fmt: skip

    def whole(self, tree: ast.Module) -> str:
        native = self.natives.get(self.name, ())
        parts = [f"{self.name}.{name} = py.{name};" for name in sorted(native)]
        for node in tree.body:
            if getattr(node, "name", "") not in native:
                parts.append(self.visit(node))
        return "\n".join(filter(None, parts))

    def generic_visit(self, node: ast.AST) -> Any:
        place = f"{self.name}.py:{getattr(node, 'lineno', '?')}"
        raise NotImplementedError(f"{place}: {type(node).__name__} is not translated")

    @contextmanager
    def scope(self, names: Iterable[str]) -> Iterator[None]:
        self.scopes.append({*names})
        yield
        self.scopes.pop()

    def all(self, nodes: Iterable[ast.AST], glue: str = ", ") -> str:
        return glue.join(filter(None, map(self.visit, nodes)))

    def body(self, nodes: list[ast.stmt]) -> str:
        return f"{{\n{self.all(nodes, chr(10))}\n}}"

    # --- functions and classes ---

    def visit_FunctionDef(self, node: ast.FunctionDef) -> str:
        made = any(isinstance(item, ast.Yield | ast.YieldFrom) for item in ast.walk(node))
        name = _js(node.name) if self.scopes else f"{self.name}.{node.name}"
        function = f"function{'*' * made} {self.function(node)}"
        return f"{'const ' * bool(self.scopes)}{name} = {function};"

    def function(self, node: ast.FunctionDef, begin: str = "", skipped: int = 0) -> str:
        """Parameters and body."""
        taken, parameters = _taken(node.args), self.parameters(node.args, skipped)
        stored = sorted({name for item in node.body for name in _stored(item)} - {*taken})
        inner = [item.name for item in ast.walk(node) if isinstance(item, ast.FunctionDef)]
        with self.scope([*taken, *stored, *inner[1:]]):
            begin += f"let {', '.join(map(_js, stored))};\n" if stored else ""
            return f"({parameters}) {{\n{begin}{self.all(node.body, chr(10))}\n}}"

    def parameters(self, given: ast.arguments, skipped: int = 0) -> str:
        positional = [*given.posonlyargs, *given.args]
        defaults = [None] * (len(positional) - len(given.defaults)) + [*given.defaults]
        pairs = [*zip(positional, defaults, strict=True),
                 *zip(given.kwonlyargs, given.kw_defaults, strict=True)][skipped:]  # fmt: skip
        parts = [_js(arg.arg) + (f" = {self.visit(x)}" if x else "") for arg, x in pairs]
        parts += [f"{_js(given.kwarg.arg)} = py.dict([])"] if given.kwarg else []
        return ", ".join(parts + ([f"...{_js(given.vararg.arg)}"] if given.vararg else []))

    def visit_ClassDef(self, node: ast.ClassDef) -> str:
        """A dataclass; one that only says what others have is nothing here."""
        if any(ast.unparse(base) == "Protocol" for base in node.bases):
            return ""
        methods = [x for x in node.body if isinstance(x, ast.FunctionDef)
                   and x.name not in self.natives.get(node.name, ())]  # fmt: skip
        fields = [x for x in node.body if isinstance(x, ast.AnnAssign)
                  and "ClassVar" not in ast.unparse(x.annotation)
                  and "init=False" not in ast.unparse(x)]  # fmt: skip
        names = ", ".join(ast.unparse(x.target) for x in fields)
        given = ", ".join(ast.unparse(x.target) + self.default(x.value) for x in fields)
        after = {"__post_init__": "this.__post_init__();"}
        begin = "".join(after.get(method.name, "") for method in methods)
        parts = [f"constructor({given}) {{\nObject.assign(this, {{ {names} }});{begin}\n}}"]
        for method in methods:
            getter = "get " * any(ast.unparse(x) == "property" for x in method.decorator_list)
            name = {"__str__": "toString"}.get(method.name, method.name)
            parts.append(f"{getter}{name}{self.function(method, 'const self = this;', 1)}")
        return f"{self.name}.{node.name} = class {{\n{chr(10).join(parts)}\n}};"

    def default(self, value: ast.expr | None) -> str:
        if isinstance(value, ast.Call) and ast.unparse(value.func) == "field":
            how = {word.arg: word.value for word in value.keywords}
            made = how.get("default_factory")
            value = made.body if isinstance(made, ast.Lambda) else how.get("default")
            value = ast.Call(made, [], []) if isinstance(made, ast.Name) else value
        return f" = {self.visit(value)}" if value else ""

    # --- statements ---

    def visit_Import(self, node: ast.Import) -> str:
        return ""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> str:
        source = _short(node.module or "")
        owner = source if source in self.modules else "py"
        names = [x.name for x in node.names if x.name not in self.modules]
        names = [] if node.module in TYPES else names
        return "\n".join(f"{self.name}.{name} = {owner}.{name};" for name in names)

    def visit_Return(self, node: ast.Return) -> str:
        return f"return {self.visit(node.value) if node.value else 'null'};"

    def visit_Expr(self, node: ast.Expr) -> str:
        return "" if isinstance(node.value, ast.Constant) else f"{self.visit(node.value)};"

    def visit_Assign(self, node: ast.Assign) -> str:
        if not self.scopes and _is_type(node.value):
            return ""
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

    def visit_Delete(self, node: ast.Delete) -> str:
        return "".join(f"py.del({self.visit(x.value)}, {self.index(x.slice)});"
                       for x in node.targets if isinstance(x, ast.Subscript))  # fmt: skip

    def visit_If(self, node: ast.If) -> str:
        otherwise = f" else {self.body(node.orelse)}" if node.orelse else ""
        return f"if ({self.test(node.test)}) {self.body(node.body)}{otherwise}"

    def visit_For(self, node: ast.For) -> str:
        over = f"{self.target(node.target)} of py.iter({self.visit(node.iter)})"
        label = f"loop{node.lineno}"
        loop = f"for ({over}) {self.looped(node, label if node.orelse else '')}"
        return f"{label}: {{\n{loop}\n{self.body(node.orelse)}\n}}" if node.orelse else loop

    def visit_While(self, node: ast.While) -> str:
        return f"while ({self.test(node.test)}) {self.looped(node)}"

    def looped(self, node: ast.For | ast.While, label: str = "") -> str:
        """A loop's body, whose `break` leaves what has this label."""
        self.loops.append(label)
        body = self.body(node.body)
        self.loops.pop()
        return body

    def visit_Break(self, node: ast.Break) -> str:
        return f"break {self.loops[-1]};"

    def visit_Continue(self, node: ast.Continue) -> str:
        return "continue;"

    def visit_With(self, node: ast.With) -> str:
        if "errstate" not in ast.unparse(node.items[0]):  # nothing here warns
            self.generic_visit(node)
        return self.all(node.body, "\n")

    def visit_Raise(self, node: ast.Raise) -> str:
        if not isinstance(node.exc, ast.Call):
            self.generic_visit(node)
        return f"throw new Error({self.all(node.exc.args)});"

    # --- expressions ---

    def visit_Constant(self, node: ast.Constant) -> str:
        return "py.dots" if node.value is ... else json.dumps(node.value, ensure_ascii=False)

    def visit_Name(self, node: ast.Name) -> str:
        name = node.id
        if any(name in scope for scope in self.scopes):
            return _js(name)
        if name == "np" or name in self.modules:
            return name
        if name in vars(self.modules[self.name]):
            return f"{self.name}.{name}"
        if not hasattr(builtins, name):
            self.generic_visit(node)
        return f"py.{name}"

    def visit_Attribute(self, node: ast.Attribute) -> str:
        return f"{self.visit(node.value)}.{node.attr}"

    def visit_List(self, node: ast.List | ast.Tuple) -> str:
        return f"[{self.all(node.elts)}]"

    visit_Tuple = visit_List  # noqa: N815

    def visit_Set(self, node: ast.Set) -> str:
        return f"py.set([{self.all(node.elts)}])"

    def visit_Starred(self, node: ast.Starred) -> str:
        return f"...py.iter({self.visit(node.value)})"

    def visit_Dict(self, node: ast.Dict) -> str:
        pairs = [f"[{self.visit(key)}, {self.visit(value)}]" if key else f"...{self.visit(value)}"
                 for key, value in zip(node.keys, node.values, strict=True)]  # fmt: skip
        return f"py.dict([{', '.join(pairs)}])"

    def visit_Subscript(self, node: ast.Subscript) -> str:
        return f"py.item({self.visit(node.value)}, {self.index(node.slice)})"

    def index(self, node: ast.expr) -> str:
        return self.all(node.elts if isinstance(node, ast.Tuple) else [node])

    def visit_Slice(self, node: ast.Slice) -> str:
        ends = [self.visit(x) if x else "null" for x in (node.lower, node.upper)]
        return f"py.slice({', '.join(ends)}{f', {self.visit(node.step)}' if node.step else ''})"

    def operation(self, op: ast.AST, *operands: ast.expr) -> str:
        name = type(op).__name__.lower()
        if name not in NUMBERS | TRUTHS:
            self.generic_visit(op)
        return f"py.{name}({self.all(operands)})"

    def visit_BinOp(self, node: ast.BinOp) -> str:
        return self.operation(node.op, node.left, node.right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> str:
        if isinstance(node.op, ast.Not):
            return f"!{self.test(node.operand)}"
        return self.operation(node.op, node.operand)

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
        return self.operation(op, left, right)

    def test(self, node: ast.expr) -> str:
        """An expression of which only the truth matters."""
        if isinstance(node, ast.BoolOp):
            sign = " && " if isinstance(node.op, ast.And) else " || "
            return f"({sign.join(map(self.test, node.values))})"
        return f"py.truth({self.visit(node)})"

    def visit_IfExp(self, node: ast.IfExp) -> str:
        return f"({self.test(node.test)} ? {self.visit(node.body)} : {self.visit(node.orelse)})"

    def visit_NamedExpr(self, node: ast.NamedExpr) -> str:
        return f"({self.visit(node.target)} = {self.visit(node.value)})"

    def visit_Lambda(self, node: ast.Lambda) -> str:
        with self.scope(_taken(node.args)):
            return f"(({self.parameters(node.args)}) => {self.visit(node.body)})"

    def visit_JoinedStr(self, node: ast.JoinedStr) -> str:
        return " + ".join(['""', *map(self.visit, node.values)])

    def visit_FormattedValue(self, node: ast.FormattedValue) -> str:
        if node.format_spec or node.conversion != -1:
            self.generic_visit(node)
        return f"py.str({self.visit(node.value)})"

    def visit_Yield(self, node: ast.Yield) -> str:
        return f"yield {self.visit(node.value) if node.value else 'null'}"

    def visit_YieldFrom(self, node: ast.YieldFrom) -> str:
        return f"yield* py.iter({self.visit(node.value)})"

    def visit_ListComp(self, node: ast.ListComp) -> str:
        return f"[...{self.generator(node.generators, node.elt)}]"

    def visit_SetComp(self, node: ast.SetComp) -> str:
        return f"py.set({self.generator(node.generators, node.elt)})"

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> str:
        return self.generator(node.generators, node.elt)

    def visit_DictComp(self, node: ast.DictComp) -> str:
        pair = ast.Tuple([node.key, node.value], ast.Load())
        return f"py.dict({self.generator(node.generators, pair)})"

    def generator(self, loops: list[ast.comprehension], made: ast.expr) -> str:
        first = self.visit(loops[0].iter)  # which does not see the names of the loops
        with self.scope(name for loop in loops for name in _stored(loop.target)):
            code = f"yield {self.visit(made)};"
            for loop in reversed(loops):
                code = f"if ({' && '.join(map(self.test, loop.ifs))}) {code}" if loop.ifs else code
                over = first if loop is loops[0] else self.visit(loop.iter)
                code = f"for (const {self.target(loop.target)} of py.iter({over})) {code}"
        return f"(function* () {{ {code} }})()"

    # --- calls ---

    def visit_Call(self, node: ast.Call) -> str:
        function, found = self.visit(node.func), self.meant(node.func)
        arguments = [*map(self.visit, node.args)]
        owner, _, name = function.rpartition(".")
        if found is None and name in METHODS and owner not in ("np", "py", ""):
            function, arguments = f"py.methods.{name}", [owner, *arguments]
        words = [word for word in node.keywords if word.arg not in IGNORED]
        if words:
            arguments += self.words(words, found, len(node.args), node)
        return f"{'new ' * inspect.isclass(found)}{function}({', '.join(arguments)})"

    def meant(self, node: ast.expr) -> Any:
        """The function or class of ours that is called; None for any other."""
        found: Any = None
        if isinstance(node, ast.Name) and not any(node.id in scope for scope in self.scopes):
            found = vars(self.modules[self.name]).get(node.id)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) in self.modules:
            found = getattr(self.modules[ast.unparse(node.value)], node.attr)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) not in ("np", "py"):
            found = self.methods.get(node.attr)
        return found if _short(getattr(found, "__module__", "")) in self.modules else None

    def words(self, words: list[ast.keyword], found: Any, given: int, node: ast.Call) -> list[str]:
        """Words in their places; what is not ours takes them as one object, or as a dictionary."""
        known = {word.arg: self.visit(word.value) for word in words if word.arg}
        spread = [f"...{self.visit(word.value)}" for word in words if not word.arg]
        places: list[str] = []
        if found is not None:
            parameters = [*inspect.signature(found).parameters.values()]
            given += isinstance(node.func, ast.Attribute) and parameters[0].name == "self"
            places = [known.pop(x.name, "undefined") for x in parameters[given:]
                      if x.kind is x.POSITIONAL_OR_KEYWORD]  # fmt: skip
            if parameters[-1].kind is not inspect.Parameter.VAR_KEYWORD:
                while places[-1] == "undefined":
                    places.pop()
                return self.generic_visit(node) if known or spread else places
        elif not spread and ast.unparse(node.func).rpartition(".")[2] != "update":
            return [f"{{ {', '.join(f'{key}: {value}' for key, value in known.items())} }}"]
        pairs = [f"[{json.dumps(key)}, {value}]" for key, value in known.items()]
        return [*places, f"py.dict([{', '.join([*pairs, *spread])}])"]
