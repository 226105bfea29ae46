"""Results as sections, once; and as pages and pictures. A terminal shows them in `cli`."""

from anonagram.present.pages import page
from anonagram.present.saving import require_new_file, require_page_place, save_page, save_text
from anonagram.present.sections import Document, Section, document_of

__all__ = [
    "Document",
    "Section",
    "document_of",
    "page",
    "require_new_file",
    "require_page_place",
    "save_page",
    "save_text",
]
