"""Reports: results side by side, as one page and its JSON twin."""
