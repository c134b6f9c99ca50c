"""Whole commands side by side with what people write by hand."""
