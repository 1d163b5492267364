# SPDX-License-Identifier: BSL-1.0
"""Writes sources with all of their mutants, each selected by `strider_is_mutant(NUMBER)`.

One compilation serves many mutants. Each alternative is written with the text of the source, so places within places do not
multiply: only one mutant is selected at a time.
"""

import dataclasses


@dataclasses.dataclass
class Region:
    """A place of the written file where these mutants stand."""

    start: int
    end: int
    mutants: list


class Writer:
    def __init__(self, source, mutants):
        self.source = source
        self.out = bytearray()
        self.regions = []
        places = {}
        for mutant in mutants:
            places.setdefault((mutant.start, mutant.end), []).append(mutant)
        # The outer places first.
        self.places = sorted(places.items(), key=lambda place: (place[0][0], -place[0][1]))

    def copy(self, start, end, places):
        """Writes a part of the source with these places in it."""
        at = start
        while places:
            (first, last), mutants = places.pop(0)
            inner = []
            while places and places[0][0][0] < last:
                inner.append(places.pop(0))
            self.out += self.source[at:first]
            self.place(first, last, mutants, inner)
            at = last
        self.out += self.source[at:end]

    def place(self, start, end, mutants, inner):
        began = len(self.out)
        removed = [mutant for mutant in mutants if mutant.form == "removed"]
        returned = [mutant for mutant in mutants if mutant.form == "returned"]
        others = [mutant for mutant in mutants if mutant.form in ("value", "negated")]
        if removed or returned:
            self.out += b"{ "
            for mutant in removed:
                self.out += f"if (!::strider_is_mutant({mutant.number})) ".encode()
            for mutant in returned:
                self.out += f"if (::strider_is_mutant({mutant.number})) return {mutant.new}; ".encode()
            self.copy(start, end, inner)
            self.out += b" }"
        else:
            self.out += b"("
            for mutant in others:
                new = f"static_cast<bool>({mutant.new})" if mutant.form == "negated" else mutant.new
                self.out += f"::strider_is_mutant({mutant.number}) ? ({new}) : ".encode()
            self.out += b"static_cast<bool>(" if any(mutant.form == "negated" for mutant in others) else b"("
            self.copy(start, end, inner)
            self.out += b"))"
        self.regions.append(Region(began, len(self.out), mutants))


def written(source, mutants):
    """The text of the file with these mutants, and their places in it."""
    writer = Writer(source, mutants)
    writer.copy(0, len(source), writer.places)
    return bytes(writer.out), writer.regions
