"""Prints what the source of a Python package declares, as one line of JSON: `{"facts": [...]}`, in the form of src/surface/declared.ts.

    python3 declarations.py FOLDER_OF_THE_PACKAGE

The package is parsed and never imported. Public modules are read whole; of private ones, what a public `__all__` passes on.
Exits with 1 and names file and line when a file cannot be read: nothing is left out silently.
"""

import ast
import json
import re
import sys
from pathlib import Path

PACKAGE = Path(sys.argv[1]).resolve()
TRANSPARENT = {"Annotated", "Awaitable", "ClassVar", "Coroutine", "Final", "NotRequired", "ReadOnly", "Required"}
LISTS = {"AsyncGenerator", "AsyncIterable", "AsyncIterator", "frozenset", "Generator", "Iterable", "Iterator", "list"}
LISTS |= {"List", "Sequence", "set", "Set", "tuple", "Tuple", "type", "Type"}
RECORDS = {"dict", "Dict", "Mapping", "MutableMapping"}
OLD_NAMES = {"Dict": "dict", "List": "list", "Set": "set", "Tuple": "tuple", "Type": "type"}
DEPRECATED = re.compile(r"^\s*(?:\.\. deprecated::|deprecated[:.])", re.IGNORECASE | re.MULTILINE)
facts = []
used = {}


class Unreadable(Exception):
    def __init__(self, node, what):
        super().__init__(f"{getattr(node, 'lineno', 0)} cannot be read: {what}")


def add(file, path, kind, type_text="", own=None, marks=()):
    given = sorted({mark for mark in marks if mark})
    own = type_text if own is None else own
    facts.append({"path": path, "kind": kind, "type": type_text, "ownType": own, "marks": given, "files": [file]})


def numbered(file, path):
    """The path itself for the first, then with #2: overloads."""
    used[file, path] = used.get((file, path), 0) + 1
    return path if used[file, path] == 1 else f"{path}#{used[file, path]}"


def last_name(node):
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def unquoted(node):
    """An annotation in quotes is an annotation."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return ast.parse(node.value, mode="eval").body
    return node


def arguments_of(node):
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def union_members(node):
    """Members of `A | B`, Union, Optional and Literal; one member is no union."""
    node = unquoted(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return union_members(node.left) + union_members(node.right)
    if isinstance(node, ast.Subscript):
        name = last_name(node.value)
        if name == "Union":
            return [member for each in arguments_of(node) for member in union_members(each)]
        if name == "Optional":
            return [*union_members(node.slice), ast.Constant(None)]
        if name == "Literal":
            return [ast.Subscript(value=ast.Name("Literal"), slice=each) for each in arguments_of(node)]
    return [node]


class TypeText:
    """Texts of types. With a file, what has facts of its own is left out of the text and becomes those facts."""

    def __init__(self, file=None):
        self.file = file

    def of(self, node, path):
        if node is None:
            return "Any"
        node = unquoted(node)
        members = union_members(node)
        if len(members) > 1:
            return self.union(members, path)
        node = members[0]
        if isinstance(node, ast.Subscript):
            return self.subscript(node, path)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return OLD_NAMES.get(last_name(node), last_name(node))
        if isinstance(node, ast.List):
            return f"[{', '.join(self.of(each, f'{path}({index})') for index, each in enumerate(node.elts))}]"
        return ast.unparse(node)

    def union(self, members, path):
        if self.file is None:
            return " | ".join(sorted({self.of(each, path) for each in members}))
        for member in members:
            own = self.of(member, path)
            add(self.file, f"{path} | {own}", "member", TypeText().of(member, path), own)
        return "…"

    def subscript(self, node, path):
        name = last_name(node.value)
        given = arguments_of(node)
        if name == "Literal":
            return ast.unparse(given[0])
        if name == "Annotated":
            return self.of(given[0], path)
        if name == "Callable" and len(given) == 2:
            return f"{self.of(given[0], path)} -> {self.of(given[1], f'{path}()')}"
        inner = [self.of(each, path + self.suffix(name, index, len(given))) for index, each in enumerate(given)]
        return f"{OLD_NAMES.get(name, name)}[{', '.join(inner)}]"

    @staticmethod
    def suffix(name, index, count):
        if name in TRANSPARENT and index == (count - 1 if name == "Coroutine" else 0):
            return ""
        if name in LISTS and index == 0:
            return "[]"
        if name in RECORDS:
            return "[*]" if index == 1 else "<key>"
        return f"<{index}>"


def type_parts(file, node, path):
    return TypeText().of(node, path), TypeText(file).of(node, path)


def exported(name):
    return None if name.startswith("_") else "exported"


def is_public(name):
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def is_deprecated(node):
    decorators = getattr(node, "decorator_list", [])
    names = [last_name(each.func if isinstance(each, ast.Call) else each) for each in decorators]
    return "deprecated" in names or bool(DEPRECATED.search(ast.get_docstring(node) or ""))


def decorators_of(node):
    return {ast.unparse(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list}


def read_function(file, node, path, kind, is_bound=False):
    decorators = {name.split(".")[-1]: name for name in decorators_of(node)}
    if "property" in decorators or "cached_property" in decorators:
        type_text, own = type_parts(file, node.returns, path)
        add(file, path, "field", type_text, own, ["readonly", is_deprecated(node) and "deprecated"])
        return
    if decorators.keys() & {"setter", "deleter"}:
        return
    path = numbered(file, path)
    own = read_parameters(file, node, path, is_bound and "staticmethod" not in decorators)
    result = TypeText(file).of(node.returns, f"{path}()")
    spelled = f"({spelled_parameters(node)}) -> {TypeText().of(node.returns, path)}"
    marks = [
        isinstance(node, ast.AsyncFunctionDef) and "async",
        "abstractmethod" in decorators and "abstract",
        decorators.keys() & {"classmethod", "staticmethod"} and "static",
        is_deprecated(node) and "deprecated",
        kind == "function" and "exported",
    ]
    add(file, f"{path}()", kind, spelled, f"({own}) -> {result}", marks)


def read_parameters(file, node, path, skips_first):
    """Facts of the parameters; returns their names with the marks of Python's kinds."""
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
    names = []
    for index, (each, default) in enumerate(zip(positional, defaults)):
        if index == 0 and skips_first:
            continue
        names.append(read_parameter(file, each, default, path))
        if each in given.posonlyargs and each is given.posonlyargs[-1]:
            names.append("/")
    if given.vararg:
        names.append("*" + read_parameter(file, given.vararg, None, path, "rest"))
    elif given.kwonlyargs:
        names.append("*")
    for each, default in zip(given.kwonlyargs, given.kw_defaults):
        names.append(read_parameter(file, each, default, path))
    if given.kwarg:
        names.append("**" + read_parameter(file, given.kwarg, None, path, "rest"))
    return ", ".join(names)


def read_parameter(file, node, default, path, mark=None):
    at = f"{path}({node.arg})"
    type_text, own = type_parts(file, node.annotation, at)
    value = "" if default is None else f" = {ast.unparse(default)}"
    add(file, at, "parameter", type_text + value, own + value, [mark, default is not None and "optional"])
    return node.arg


def spelled_parameters(node):
    bare = ast.parse(ast.unparse(node)).body[0].args
    for each in [*bare.posonlyargs, *bare.args, *bare.kwonlyargs, bare.vararg, bare.kwarg]:
        if each is not None and each.annotation is not None:
            each.annotation = ast.Name(TypeText().of(each.annotation, ""))
    return re.sub(r"^(?:self|cls)(?:, |$)", "", ast.unparse(bare))


def read_class(file, node, path):
    bases = [ast.unparse(each) for each in [*node.bases, *node.keywords]]
    decorators = sorted(f"@{ast.unparse(each)}" for each in node.decorator_list)
    text = " ".join([*decorators, f"({', '.join(bases)})" if bases else ""]).strip()
    add(file, path, "class", text, marks=[exported(path), is_deprecated(node) and "deprecated"])
    is_total = not any(each.arg == "total" and ast.unparse(each.value) == "False" for each in node.keywords)
    is_enum = any(base.split(".")[-1].endswith(("Enum", "Flag")) for base in bases)
    for index, each in enumerate(node.body):
        follower = node.body[index + 1] if index + 1 < len(node.body) else None
        docs = follower.value.value if is_text(follower) else ""
        read_member(file, each, path, is_total, is_enum, docs)


def is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def read_member(file, node, path, is_total, is_enum, docs):
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        if is_public(node.name):
            read_function(file, node, f"{path}.{node.name}", "method", is_bound=True)
    elif isinstance(node, ast.ClassDef):
        if is_public(node.name):
            read_class(file, node, f"{path}.{node.name}")
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        if is_public(node.target.id):
            read_field(file, f"{path}.{node.target.id}", node.annotation, node.value, is_total, docs)
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name) and is_public(target.id):
                text = ast.unparse(node.value)
                add(file, f"{path}.{target.id}", "member" if is_enum else "value", text if is_enum else f"= {text}")
    elif isinstance(node, (ast.If, ast.Try)):
        for each in branches(node):
            read_member(file, each, path, is_total, is_enum, "")
    elif not isinstance(node, (ast.Expr, ast.Pass, ast.Delete)):
        raise Unreadable(node, f"{type(node).__name__} in a class is not known")


def read_field(file, path, annotation, value, is_total, docs):
    """A dataclass's field with its default, or a TypedDict's key: optional unless it is required."""
    annotation = unquoted(annotation)
    wrapper = last_name(annotation.value) if isinstance(annotation, ast.Subscript) else ""
    if wrapper in {"NotRequired", "Required"}:
        is_total = wrapper == "Required"
        annotation = annotation.slice
    type_text, own = type_parts(file, annotation, path)
    default = "" if value is None else f" = {ast.unparse(value)}"
    has_default = value is not None and not re.match(r"^ = field\((?!.*default)", default)
    marks = [(has_default or not is_total) and "optional", DEPRECATED.search(docs) and "deprecated"]
    add(file, path, "field", type_text + default, own + default, marks)


def read_assignment(file, name, node, annotation=None):
    value = node.value
    if isinstance(value, ast.Call) and last_name(value.func) == "TypedDict" and len(value.args) == 2:
        is_total = not any(each.arg == "total" and ast.unparse(each.value) == "False" for each in value.keywords)
        add(file, name, "class", "(TypedDict)" if is_total else "(TypedDict, total=False)", marks=[exported(name)])
        if not isinstance(value.args[1], ast.Dict):
            raise Unreadable(value, "the keys of a TypedDict are not a dict")
        for key, each in zip(value.args[1].keys, value.args[1].values):
            read_field(file, f"{name}.{ast.literal_eval(key)}", each, None, is_total, "")
    elif value is not None and is_type(value, annotation):
        type_text, own = type_parts(file, value, name)
        add(file, name, "type", type_text, own, [exported(name)])
    else:
        type_text, own = ("", "") if annotation is None else type_parts(file, annotation, name)
        text = "" if value is None else f" = {ast.unparse(value)}"
        add(file, name, "value", (type_text + text).strip(), (own + text).strip(), [exported(name)])


def is_type(value, annotation):
    if annotation is not None:
        return last_name(annotation) == "TypeAlias"
    if isinstance(value, ast.Subscript):
        return last_name(value.value)[:1].isupper() or last_name(value.value) in RECORDS | LISTS
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr):
        return not isinstance(value.left, ast.Constant)
    return isinstance(value, ast.Name) and value.id[:1].isupper() and not value.id.isupper()


def branches(node):
    """What stands in an `if` or a `try`, whichever branch Python would take."""
    handlers = [each for handler in getattr(node, "handlers", []) for each in handler.body]
    return [*node.body, *handlers, *node.orelse, *getattr(node, "finalbody", [])]


class Module:
    def __init__(self, path):
        self.path = path
        self.file = path.relative_to(PACKAGE.parent).as_posix()
        try:
            self.body = self.flat(ast.parse(path.read_text("utf-8-sig"), self.file).body)
        except SyntaxError as error:
            raise SystemExit(f"{self.file}:{error.lineno} cannot be read: {error.msg}. Use a newer Python.")
        self.names = self.listed_names()

    def flat(self, body):
        return [each for node in body for each in ([node] if not isinstance(node, (ast.If, ast.Try)) else self.flat(branches(node)))]

    def listed_names(self):
        """The names in `__all__`, or None without one."""
        names = None
        for node in self.body:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, (ast.AugAssign, ast.AnnAssign)) else []
            if any(isinstance(each, ast.Name) and each.id == "__all__" for each in targets):
                try:
                    names = [*(names or []), *ast.literal_eval(node.value)]
                except ValueError as error:
                    raise Unreadable(node, "__all__ is not a list of names") from error
        return names

    def read(self, only=None):
        for node in self.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                if self.wants(node.name, only):
                    read = read_class if isinstance(node, ast.ClassDef) else read_function
                    read(self.file, node, node.name, *([] if isinstance(node, ast.ClassDef) else ["function"]))
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name) and self.wants(target.id, only):
                        read_assignment(self.file, target.id, node)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                if self.wants(node.target.id, only):
                    read_assignment(self.file, node.target.id, node, node.annotation)
            elif type(node).__name__ == "TypeAlias" and self.wants(node.name.id, only):
                read_assignment(self.file, node.name.id, node, ast.Name("TypeAlias"))

    @staticmethod
    def wants(name, only):
        if name in {"__all__", "__version__"}:
            return False
        # A private class may be the base of a public one.
        return name in only if only is not None else is_public(name) or name[1:2].isupper()

    def imports(self):
        """(module, name there, name here) of imports from this package."""
        for node in self.body:
            if isinstance(node, ast.ImportFrom):
                folder = self.path.parent
                if node.level == 0 and (node.module or "").split(".")[0] == PACKAGE.name:
                    parts = node.module.split(".")[1:]
                    folder = PACKAGE
                elif node.level > 0:
                    for _ in range(node.level - 1):
                        folder = folder.parent
                    parts = (node.module or "").split(".") if node.module else []
                else:
                    continue
                place = folder.joinpath(*parts)
                for each in node.names:
                    yield module_file(place), each.name, each.asname or each.name


def module_file(place):
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def is_private(path):
    return any(part.startswith("_") and part != "__init__.py" for part in path.relative_to(PACKAGE).parts)


def main():
    modules = {path: Module(path) for path in sorted(PACKAGE.rglob("*.py"))}
    if not modules:
        raise SystemExit(f"{PACKAGE} has no Python files.")
    wanted = {}
    for path, module in modules.items():
        if is_private(path):
            continue
        module.read()
        package = module.file.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")
        for name in module.names or []:
            add(module.file, f"{package} exports {name}", "export")
            follow(modules, module, name, wanted)
    for path, names in wanted.items():
        modules[path].read(names)
    print(json.dumps({"facts": facts}))


def follow(modules, module, name, wanted):
    """Notes the private module that defines what a public one passes on."""
    for source, original, local in module.imports():
        if local == name and source in modules and is_private(source):
            wanted.setdefault(source, set()).add(original)
            follow(modules, modules[source], original, wanted)


try:
    main()
except Unreadable as error:
    raise SystemExit(f"{PACKAGE.name}: line {error}. Teach {Path(__file__).name} this syntax.")
