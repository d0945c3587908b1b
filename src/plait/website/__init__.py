"""The playground: files go in, documents, errors and histories come out, with nothing kept.

`plait.website.evaluation` is what a page asks; `plait website` serves the page and asks it in a sealed process.
"""
