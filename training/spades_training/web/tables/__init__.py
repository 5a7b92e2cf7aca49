"""The games of the server, without a page: rules of the table, storage, agents, and what a seat is shown."""
