"""A window that shows a table, using pygame-ce."""

from __future__ import annotations

import os
from typing import Any

from spades_env.game.position import Position
from spades_env.picture.needs import package
from spades_env.picture.raster import image
from spades_env.picture.shapes import HEIGHT, WIDTH


class Window:
    """Shows one picture after another, at most ``fps`` per second.

    The first picture opens the window. If the user closes it, the program continues without it; after :meth:`close`
    the next picture opens it again. A copy is a separate window, which is not open yet.

    Args:
        title: title of the window.
        fps: pictures per second.

    Raises:
        gymnasium.error.DependencyNotInstalled: without pygame-ce or Pillow.
    """

    def __init__(self, title: str, fps: float) -> None:
        package("PIL", 'render_mode="human"')
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        self.title, self.fps = title, fps
        self._pygame = package("pygame", 'render_mode="human"')
        self._screen: Any = None
        self._clock: Any = None
        self._shut = False

    def show(self, table: Position, action: int | None = None) -> None:
        """Draw the table, and what the seat on turn is about to do, and wait until the next picture is due."""
        pygame = self._pygame
        if self._shut:
            return
        if self._screen is None:
            pygame.display.init()
            pygame.display.set_caption(self.title)
            self._screen = pygame.display.set_mode((WIDTH, HEIGHT))
            self._clock = pygame.time.Clock()
        pixels = image(table, action=action)
        self._screen.blit(pygame.image.frombytes(pixels.tobytes(), pixels.size, "RGB"), (0, 0))
        pygame.display.flip()
        self._clock.tick(self.fps)
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
            self._shut = True

    def close(self) -> None:
        """Close the window if it is open."""
        if self._screen is not None:
            self._pygame.display.quit()
            self._screen = None
        self._shut = False

    def __reduce__(self) -> tuple[Any, ...]:
        return Window, (self.title, self.fps)
