"""Simulates the kubelet for pods that wait at a barrier: `python -m harness.controllers.simulated_kubelet`."""
