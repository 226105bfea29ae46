"""Tables whose rows are elsewhere: more than memory holds, on the disk of one machine or on a cluster.

What is done is the same everywhere (`publishing`); where the rows are is behind `Rows` and `CodedRows`.
"""

from anonagram.divided.publishing import BLOCK, publish
from anonagram.divided.rows import CodedRows, Rows

__all__ = ["BLOCK", "CodedRows", "Rows", "publish"]
