"""What a measurement of load is: figures of a history, their statistics over rounds, and limits that they are held to.

Everything here is pure. `harness.bench` makes the measurements, `harness.report` draws them.
"""
