// Everything else is done by the server.
