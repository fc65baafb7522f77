"""muster's own node image for kind, for machines without access to a registry.

    image = provide("1.37", progress)     # a NodeImage: its tag, and the archive that `docker load` takes

Built from Debian packages and locked Go modules; cached under the hash of its whole content.
"""

from harness.box.image.node import NodeImage, find, provide, stored_images

__all__ = ["NodeImage", "find", "provide", "stored_images"]
