"""Results as pages for people: self-contained HTML that loads nothing from anywhere."""

from anonagram.present.audit_page import audit_page
from anonagram.present.page import require_new_file, require_page_place, save_page, save_text

__all__ = ["audit_page", "require_new_file", "require_page_place", "save_page", "save_text"]
