"""Facts about single files, for tools that examine a whole project: the language server, `plait lint`.

files      a file read as far as it can be: its kind, its nodes by line
code       the names in its code; placing gives them their columns
symbols    the places of one name in all files of some runs
unused     names that nobody reads
verifying  the check of a change: the runs evaluated with edited texts
places     where a source is on the disk
"""
