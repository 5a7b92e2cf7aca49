"""What the pages Review and Bid lab show, without the pages: nothing here needs a web server."""
