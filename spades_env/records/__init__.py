"""Records of matches: everything needed to show a match and to play it again, as JSON, bytes or readable text."""
