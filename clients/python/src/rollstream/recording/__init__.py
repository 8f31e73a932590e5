"""Records rollouts as step events: into a local spool first, from there to the server."""
