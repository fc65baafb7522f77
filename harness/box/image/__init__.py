"""muster's own node image for kind, for places where no registry can be reached.

    image = provide("1.37", progress)     # a NodeImage: its tag, and the archive that `docker load` takes

Built from Debian packages and locked Go modules; cached under the hash of everything that goes in.
"""

from harness.box.image.node import NodeImage, find, provide, stored

__all__ = ["NodeImage", "find", "provide", "stored"]
