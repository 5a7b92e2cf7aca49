"""A table as a picture: a list of shapes, drawn as SVG, as pixels or in a window.

SVG needs no other package; pixels need Pillow, and a window also pygame-ce: ``pip install 'spades-env[render]'``.
"""

from __future__ import annotations

from spades_env.picture.raster import image, rgb_array
from spades_env.picture.scene import scene
from spades_env.picture.svg import svg

__all__ = ["image", "rgb_array", "scene", "svg"]
