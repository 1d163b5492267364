# SPDX-License-Identifier: BSL-1.0
"""Finds the mutants of C++ files in their syntax trees.

Templates are mutated where they are written: their trees have the same operators, statements and constants as those of other
functions, only some types are not known. Whether a mutant of a template compiles is known when tests instantiate it.
"""

import dataclasses
import hashlib
import re
import sys

try:
    from clang import cindex
except ImportError:
    # Debian installs the module for its own interpreter only.
    sys.path.append("/usr/lib/python3/dist-packages")
    try:
        from clang import cindex
    except ImportError:
        cindex = None

RELATIONAL = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "*", "<<": ">>", ">>": "<<"}
ASSIGNMENT = {"+=": "-=", "-=": "+=", "*=": "+=", "<<=": ">>=", ">>=": "<<=", "|=": "&=", "&=": "|="}
LOGICAL = {"&&": "||", "||": "&&"}
INTEGER = re.compile(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)([uUlLzZ]*)")
SPACE = re.compile(r"\s+")
# A call of these changes only the time or the memory that a program takes.
ONLY_SPEED = re.compile(r"\b(reserve|reserve_more|shrink_to_fit)\s*\(")
EMPTY = ("std::vector<", "std::basic_string<", "std::map<", "std::set<", "std::optional<", "std::unique_ptr<", "std::shared_ptr<")
FUNCTIONS = {"FUNCTION_DECL", "CXX_METHOD", "CONSTRUCTOR", "DESTRUCTOR", "CONVERSION_FUNCTION", "FUNCTION_TEMPLATE"}
VARIABLES = {"VAR_DECL", "FIELD_DECL", "PARM_DECL", "ENUM_CONSTANT_DECL", "UNEXPOSED_DECL"}
SCOPES = {"NAMESPACE", "CLASS_DECL", "STRUCT_DECL", "UNION_DECL", "CLASS_TEMPLATE", "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION"}
# Neither the tests of a program nor its values see a change of these.
LEFT_OUT = {"CONCEPT_DECL", "STATIC_ASSERT", "REQUIRES_EXPR", "CONCEPT_SPECIALIZATION_EXPR", "TEMPLATE_TYPE_PARAMETER",
    "TEMPLATE_NON_TYPE_PARAMETER", "TEMPLATE_TEMPLATE_PARAMETER", "CXX_UNARY_EXPR", "DECL_REF_EXPR", "TYPE_ALIAS_DECL",
    "TYPE_ALIAS_TEMPLATE_DECL", "TYPEDEF_DECL", "USING_DECLARATION", "CXX_NOEXCEPT_EXPR"}


@dataclasses.dataclass
class Mutant:
    """One change of one place. `form` says how the place is written with it: schemata.py."""

    file: str  # relative to the root of the mutated files
    function: str
    operator: str
    text: str  # the line, with {old => new}
    start: int  # offsets in the file
    end: int
    form: str
    new: str
    constant: bool  # in an expression that the compiler evaluates
    constexpr: bool  # in a function that the compiler may evaluate
    line: int
    twin: int = 0  # the number of those before it with the same text
    number: int = 0

    def key(self):
        return (self.file, self.function, self.operator, self.text)

    def __str__(self):
        return f"{self.file}:{self.line} | {self.function} | {self.operator} | {self.text}"


def abridged(text):
    text = SPACE.sub(" ", text)
    return text if len(text) <= 70 else f"{text[:45]} ... {text[-20:]}"


class Finder:
    """The mutants of one file."""

    def __init__(self, unit, path, name):
        self.name = name
        self.source = path.read_bytes()
        file = cindex.File.from_name(unit, str(path))
        whole = cindex.SourceRange.from_locations(cindex.SourceLocation.from_offset(unit, file, 0),
            cindex.SourceLocation.from_offset(unit, file, len(self.source)))
        self.tokens = [(t.extent.start.offset, t.extent.end.offset, t.spelling) for t in unit.get_tokens(extent=whole)
            if t.kind != cindex.TokenKind.COMMENT]
        self.at = {start: number for number, (start, _, _) in enumerate(self.tokens)}
        self.found = {}
        self.scopes = []
        self.results = [None]  # of the functions around the place
        self.constexpr = False
        self.constant = False
        self.macros = []
        for node in unit.cursor.get_children():
            if node.location.file is None or node.location.file.name != str(path):
                continue
            if node.kind == cindex.CursorKind.MACRO_INSTANTIATION:
                self.macros.append((node.extent.start.offset, node.extent.end.offset))
            elif not node.kind.is_preprocessing():
                self.visit(node)

    # The source.

    def text(self, start, end):
        return self.source[start:end].decode()

    def range(self, node):
        return node.extent.start.offset, node.extent.end.offset

    def before(self, offset):
        """The last token that ends at the offset, or before it."""
        number = self.at.get(offset)
        return self.tokens[number - 1][2] if number else ""

    def between(self, start, end):
        return [token for token in self.tokens if start <= token[0] and token[1] <= end]

    def after(self, offset):
        """The first token that begins at the offset, or after it."""
        return next((token for token in self.tokens if token[0] >= offset), (len(self.source), len(self.source), ""))

    def closing(self, offset):
        """The offset of the parenthesis that closes the first one at the offset or after it."""
        depth = 0
        for start, _, spelling in self.tokens:
            if start < offset:
                continue
            depth += {"(": 1, ")": -1}.get(spelling, 0)
            if spelling == ")" and depth == 0:
                return start
        return len(self.source)

    def semicolons(self, start, end):
        """Those of the head of a `for`."""
        depth, found = 0, []
        for first, _, spelling in self.between(start, end):
            depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(spelling, 0)
            if spelling == ";" and depth == 1:
                found.append(first)
        return found

    # Mutants.

    def add(self, operator, start, end, form, new, place=None, shown=None):
        """A mutant of this range. The text shows the change of `place`, if that is another one."""
        if any(first < end and start < last for first, last in self.macros if not (start < first and last < end)):
            return
        first, last = place or (start, end)
        line_start = self.source.rfind(b"\n", 0, first) + 1
        line_end = self.source.find(b"\n", last)
        text = f"{self.text(line_start, first)}{{{abridged(self.text(first, last))} => {abridged(new if shown is None else shown)}}}" \
            f"{self.text(last, line_end).split('//')[0]}"
        self.found.setdefault((start, end, form, new), Mutant(self.name, "::".join(scope for scope in self.scopes if scope), operator,
            SPACE.sub(" ", text).strip(), start, end, form, new, self.constant, self.constexpr, self.source.count(b"\n", 0, start) + 1))

    # Statements.

    def statement(self, node):
        """A place where a statement stands: it can be removed."""
        start, end = self.range(node)
        after = self.after(end)
        kind = node.kind.name
        text = self.text(start, end)
        if kind in ("BREAK_STMT", "CONTINUE_STMT") or (kind == "RETURN_STMT" and text == "return"):
            if after[2] == ";":
                self.add("removed statement", start, after[1], "removed", "", (start, end), "")
        elif node.kind.is_expression() and after[2] == ";" and not ONLY_SPEED.search(text):
            if not re.match(r"\(void\)|static_cast<void>|std::ignore", text):
                self.add("removed statement", start, after[1], "removed", "", (start, end), "")
        elif kind == "RETURN_STMT":
            self.returned(node, start, after)

    def returned(self, node, start, after):
        values = list(node.get_children())
        if not values or self.results[-1] is None or after[2] != ";":
            return
        first, last = self.range(values[0])
        value, result = self.text(first, last), self.results[-1].get_canonical()
        if self.is_compared(values[0]) or INTEGER.fullmatch(value) or value in ("true", "false", "{}", "nullptr", "std::nullopt"):
            return
        kind = result.kind.name
        if kind == "BOOL":
            new = f"!static_cast<bool>({value})"
        elif kind in ("INT", "UINT", "LONG", "ULONG", "LONGLONG", "ULONGLONG", "SHORT", "USHORT"):
            new = f"({value}) + 1"
        elif kind == "POINTER":
            new = "nullptr"
        elif result.spelling.startswith(EMPTY):
            new = "{}"
        else:
            return
        self.add("changed return value", start, after[1], "returned", new, (first, last))

    def is_compared(self, node):
        """A negation or comparison: its own mutants are the negated condition."""
        while node.kind.name in ("PAREN_EXPR", "UNEXPOSED_EXPR"):
            if self.operator_of(node):
                break
            inner = list(node.get_children())
            if len(inner) != 1 or (node.kind.name == "UNEXPOSED_EXPR" and self.range(inner[0]) != self.range(node)
                    and not self.rewritten(inner[0])):
                break
            node = inner[0]
        found = self.operator_of(node)
        text = self.text(*self.range(node))
        return (found and found[2] in RELATIONAL) or self.rewritten(node) or text in ("true", "false") or \
            (node.kind.name == "UNARY_OPERATOR" and text.startswith("!"))

    def rewritten(self, node):
        """`a != b` that is `!(a == b)`: the node begins at the operator."""
        return node.kind.name == "UNARY_OPERATOR" and self.text(*self.range(node)).startswith("!=")

    # Expressions.

    def operator_of(self, node):
        """The operands' range and the operator, if the expression has two operands."""
        if node.kind.name not in ("BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR", "CALL_EXPR"):
            return None
        parts = list(node.get_children())
        if len(parts) < 2:
            return None
        left, right = self.range(parts[0]), self.range(parts[-1])
        if left[1] >= right[0]:
            return None
        between = self.between(left[1], right[0])
        if len(between) != 1 or self.source[right[0] - 1:right[0]] == b"":
            return None
        return left[0], right[1], between[0][2], left, right

    def binary(self, node):
        found = self.operator_of(node)
        if found is None:
            return
        start, end, spelling, left, right = found
        place = self.between(left[1], right[0])[0][:2]

        def change(operator, new):
            self.add(operator, start, end, "value", f"{self.text(start, place[0])}{new}{self.text(place[1], end)}", place, new)

        if spelling in RELATIONAL:
            for new in RELATIONAL[spelling]:
                change("relational", new)
        elif spelling in LOGICAL:
            change("logical", LOGICAL[spelling])
        elif spelling in ARITHMETIC and self.is_number(node, spelling):
            change("arithmetic", ARITHMETIC[spelling])
        elif spelling in ASSIGNMENT and self.is_number(node, spelling):
            change("arithmetic", ASSIGNMENT[spelling])
        elif spelling in ("&", "|", "^") and node.type.get_canonical().kind.name in INTEGERS:
            change("arithmetic", "&" if spelling != "&" else "|")

    def is_number(self, node, spelling):
        kind = node.type.get_canonical().kind.name
        if node.kind.name == "CALL_EXPR":
            return False
        return kind in INTEGERS or (kind in ("DEPENDENT", "UNEXPOSED") and spelling not in ("<<", ">>", "|="))

    def condition(self, node):
        if not self.is_compared(node):
            start, end = self.range(node)
            self.add("negated condition", start, end, "negated", f"!({self.text(start, end)})")

    def literal(self, node):
        start, end = self.range(node)
        text = self.text(start, end)
        if text in ("true", "false"):
            self.add("constant", start, end, "value", "false" if text == "true" else "true")
            return
        number = INTEGER.fullmatch(text)
        if number is None:
            return
        base = 16 if text[:2] in ("0x", "0X") else 2 if text[:2] in ("0b", "0B") else 10
        value = int(number[1].replace("'", ""), 0 if base != 10 else 10)
        other = value - 1 if value >= 0x7FFF_FFFF else value + 1
        self.add("constant", start, end, "value", (hex(other) if base == 16 else str(other)) + number[2])

    # The tree.

    def visit(self, node):
        kind = node.kind.name
        if kind in LEFT_OUT or node.kind.is_attribute():
            return
        if kind in SCOPES:
            self.scopes.append("" if node.spelling in ("strider", "") else node.spelling.split("<")[0])
            for child in node.get_children():
                if not child.kind.is_expression():  # a requirement
                    self.visit(child)
            self.scopes.pop()
        elif kind in FUNCTIONS:
            self.function(node)
        elif kind == "LAMBDA_EXPR":
            self.results.append(None)
            for child in node.get_children():
                self.visit(child)
            self.results.pop()
        elif kind in VARIABLES:
            self.variable(node)
        else:
            self.other(node, kind)

    def function(self, node):
        children = list(node.get_children())
        body = [child for child in children if child.kind.name in ("COMPOUND_STMT", "CXX_TRY_STMT")]
        if not body or not self.text(*self.range(body[-1])).startswith(("{", "try")):
            return
        head = {token[2] for token in self.between(node.extent.start.offset, body[-1].extent.start.offset)}
        outer = self.constexpr
        self.constexpr = bool(head & {"constexpr", "consteval"})
        outer_constant, self.constant = self.constant, "consteval" in head
        self.scopes.append(node.spelling.split("<")[0] if not node.spelling.startswith("operator") else node.spelling)
        self.results.append(node.result_type)
        for number, child in enumerate(children):
            if child.kind.name == "PARM_DECL" or child in body:
                self.visit(child)
            elif child.kind.is_expression() and number and children[number - 1].kind.name in ("MEMBER_REF", "TYPE_REF", "TEMPLATE_REF") \
                    and node.kind.name == "CONSTRUCTOR":
                self.visit(child)  # the initial value of a member
        self.results.pop()
        self.scopes.pop()
        self.constexpr, self.constant = outer, outer_constant

    def variable(self, node):
        start, end = self.range(node)
        tokens = [token[2] for token in self.between(start, end)]
        head = tokens[:tokens.index("=")] if "=" in tokens else tokens
        outer, scoped = self.constant, node.kind.name in ("FIELD_DECL", "VAR_DECL") and self.results[-1] is None
        self.constant = outer or node.kind.name == "ENUM_CONSTANT_DECL" or bool({"constexpr", "constinit"} & set(head))
        if scoped:
            self.scopes.append(node.spelling)
        for child in node.get_children():
            # The size of an array, the width of a bit field and an argument of a template are left out.
            if node.kind.name == "ENUM_CONSTANT_DECL" or self.before(child.extent.start.offset) not in ("[", ":", "<", ","):
                self.visit(child)
        if scoped:
            self.scopes.pop()
        self.constant = outer

    def other(self, node, kind):
        children = list(node.get_children())
        start, end = self.range(node)
        if kind == "COMPOUND_STMT":
            for child in children:
                self.statement(child)
        elif kind == "IF_STMT":
            is_constexpr = "constexpr" in [token[2] for token in self.between(start, start + 20)][:2]
            close = self.closing(start)
            head = [child for child in children if child.extent.start.offset < close]
            for child in children[len(head):]:
                self.statement(child)
            if is_constexpr:
                children = children[len(head):]
            elif head and head[-1].kind.is_expression() and not any(
                    self.range(each)[1] >= self.range(head[-1])[1] for each in head[:-1]):
                self.condition(head[-1])
        elif kind == "WHILE_STMT" and children[0].kind.is_expression():
            self.condition(children[0])
            self.statement(children[-1])
        elif kind == "DO_STMT":
            self.condition(children[-1])
        elif kind == "FOR_STMT":
            marks = self.semicolons(start, self.closing(start))
            for child in children:
                if len(marks) == 2 and marks[0] < child.extent.start.offset < marks[1]:
                    self.condition(child)
            self.statement(children[-1])
        elif kind == "CXX_FOR_RANGE_STMT":
            self.statement(children[-1])
        elif kind in ("CASE_STMT", "DEFAULT_STMT"):
            self.statement(children[-1])
            children = children[-1:]
        elif kind == "CONDITIONAL_OPERATOR":
            self.condition(children[0])
        elif kind in ("BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR", "CALL_EXPR"):
            self.binary(node)
        elif kind == "UNARY_OPERATOR":
            self.unary(node)
        elif kind in ("INTEGER_LITERAL", "CXX_BOOL_LITERAL_EXPR"):
            self.literal(node)
        elif kind == "MEMBER_REF_EXPR":
            children = [child for child in children if child.extent.end.offset <= node.location.offset]
        for child in children:
            self.visit(child)

    def unary(self, node):
        start, end = self.range(node)
        text = self.text(start, end)
        if text.startswith("!") and not text.startswith("!="):
            self.add("logical", start, end, "negated", text[1:])
        for old, new in (("++", "--"), ("--", "++")):
            if text.startswith(old):
                self.add("arithmetic", start, end, "value", new + text[2:])
            elif text.endswith(old):
                self.add("arithmetic", start, end, "value", text[:-2] + new)


INTEGERS = {"INT", "UINT", "LONG", "ULONG", "LONGLONG", "ULONGLONG", "SHORT", "USHORT", "CHAR_S", "CHAR_U", "UCHAR", "SCHAR", "DOUBLE",
    "FLOAT"}


def mutants_of(paths, root, arguments):
    """The mutants of these files below the root, which one unit includes; sorted by place."""
    index = cindex.Index.create()
    found = []
    unit = index.parse("mutated.cpp", args=["-xc++", *arguments],
        unsaved_files=[("mutated.cpp", "".join(f'#include "{path}"\n' for path in paths))],
        options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
    for problem in unit.diagnostics:
        if problem.severity >= cindex.Diagnostic.Error:
            raise SystemExit(f"error: {problem}")
    for path in paths:
        found += sorted(Finder(unit, path, str(path.relative_to(root))).found.values(), key=lambda each: (each.start, each.end))
    seen = {}
    for mutant in found:
        mutant.twin = seen.get(mutant.key(), 0)
        seen[mutant.key()] = mutant.twin + 1
    return found


def drawn(mutants, seed):
    """All of them in an order that depends on the seed. A change of one function leaves the order of the mutants of others."""
    def place(mutant):
        return hashlib.sha256("\0".join([str(seed), *mutant.key(), str(mutant.twin)]).encode()).digest()
    return sorted(mutants, key=place)
