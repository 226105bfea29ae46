"""SQL expressions as small trees, which can be printed and cut down."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Node:
    """An expression: text between its parts."""

    sort: str
    pieces: tuple[str, ...]
    kids: tuple[Node, ...] = ()

    def sql(self) -> str:
        """Its text."""
        text = self.pieces[0]
        for kid, piece in zip(self.kids, self.pieces[1:], strict=True):
            text += kid.sql() + piece
        return text

    def smaller(self) -> list[Node]:
        """Simpler expressions of the same sort, the simplest first."""
        found = [kid for kid in self.kids if kid.sort == self.sort]
        for place, kid in enumerate(self.kids):
            for less in kid.smaller():
                kids = (*self.kids[:place], less, *self.kids[place + 1 :])
                found.append(replace(self, kids=kids))
        return found


def node(sort: str, form: str, *kids: Node) -> Node:
    """A tree from a form with {} for each part."""
    return Node(sort, tuple(form.split("{}")), kids)


def leaf(sort: str, text: str) -> Node:
    """A name or a literal."""
    return Node(sort, (text,))
