"""The commands of `fairdeal-verify`, each with its parser and what it runs."""
