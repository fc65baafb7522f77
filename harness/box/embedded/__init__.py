"""Boxes of processes of this machine with fake nodes; see `harness.box.embedded.box.EmbeddedBox`."""
