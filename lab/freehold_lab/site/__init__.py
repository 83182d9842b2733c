"""The site of ./freehold docs: the Markdown of the repository, a reference from the headers, and tables of costs."""
