"""Loaders: from a source to an encoding."""
