"""Records of matches: everything needed to show a match and to replay it, as JSON, bytes or readable text."""
