"""The reference gang scheduler of the proof, and its mutations: `python -m harness.mutation.scheduler`."""
