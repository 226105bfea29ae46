"""Results as pages for people: self-contained HTML that loads nothing from anywhere."""

from anonagram.reports.audit_page import audit_page
from anonagram.reports.page import require_page_place, save_page

__all__ = ["audit_page", "require_page_place", "save_page"]
