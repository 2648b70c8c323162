"""How Alembic meets a store: on the connection handed in by `store.sql.schema`, or as plain SQL for `--plan`."""

from alembic import context

from foliot.store.sql.kernel import (  # noqa: F401  of the same metadata
    tables_for_people,
    tables_of_alerts,
    tables_of_history,
    tables_of_limits,
)
from foliot.store.sql.kernel.schema import VERSION_TABLE
from foliot.store.sql.kernel.tables import metadata

connection = context.config.attributes.get("connection")
if context.is_offline_mode():
    context.configure(
        dialect_name=context.config.attributes["dialect"],
        target_metadata=metadata,
        version_table=VERSION_TABLE,
        version_table_pk=context.config.attributes["dialect"] != "mysql",  # which warns that it ignores the key's name
        literal_binds=True,
        output_buffer=context.config.output_buffer,
    )
    context.run_migrations()
else:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        version_table=VERSION_TABLE,
        version_table_pk=connection is not None and connection.dialect.name != "mysql",
        transactional_ddl=True,  # the caller's transaction holds all steps, on SQLite too
    )
    context.run_migrations()
