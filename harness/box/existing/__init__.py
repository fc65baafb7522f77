"""A cluster that is already there, reached by a kubeconfig: muster uses it, touches only its own, and leaves it."""
