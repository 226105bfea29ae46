"""An original table and a masked one, and which row became which.

`tables` reads the two, `order` finds out which rows belong together, `evidence` whether rows at the
same place do, `scale` puts a column of both on one scale, `sets` reads cells that stand for several
values, and `pair` is what comes of it.
"""

from anonagram.attacks.aligned.order import Order
from anonagram.attacks.aligned.pair import Aligned
from anonagram.attacks.aligned.scale import Attribute

__all__ = ["Aligned", "Attribute", "Order"]
