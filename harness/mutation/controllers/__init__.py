"""Mutants of the reference controllers: `python -m harness.mutation.controllers.NAME --mutant MUTANT ...`.

Each package stands for one reference controller and takes every flag of `muster controller` for it. `--crash-after`
lets the controller end after so many writes, for tests of what is left halfway.
"""
