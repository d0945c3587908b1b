"""What files say by themselves, for tools that look at a project as a whole: the language server, `plait lint`.

files   a file read as far as it can be: its kind, its nodes by line
code    the names in its code
unused  names that nobody reads
places  where a source is on the disk
"""
