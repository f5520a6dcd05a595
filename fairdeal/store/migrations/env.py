"""What Alembic runs for every command; `upgrade` hands it the connection, in a transaction of its own."""

from alembic import context

from fairdeal.store import log_rows as log_rows
from fairdeal.store.rows import Row

context.configure(
    connection=context.config.attributes["connection"], target_metadata=Row.metadata, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()
