"""What is known of a release together: what it promises, what intruders get, what it costs."""

from anonagram.reports.report import Report, report_on

__all__ = ["Report", "report_on"]
