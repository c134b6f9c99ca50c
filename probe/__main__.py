"""``python -m probe`` is the ``probe`` command."""

from probe.cli import main

if __name__ == "__main__":
    main()
