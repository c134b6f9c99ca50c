"""Analyzers: one question a file."""
