"""The schema's history: one revision a change, run by `fairdeal.store.upgrade`."""
