"""Facts about single files, for tools that examine a whole project: the language server, `plait lint`.

files      a file read as far as possible: its kind, its nodes by line code       the names in its code; placing adds
their columns symbols    the occurrences of one name in all files of some runs unused     names that are never read
verifying  the check of a change: the runs evaluated with edited texts places     the path of a source on disk
"""
