"""Checkpoints: one file for each container."""
