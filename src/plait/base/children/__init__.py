"""Child processes. Only modules of this package start processes.

`python` starts Python processes of plait, `pool` manages several of them, `programs` runs external programs (git, sops,
commands of the user), and `forking` forks the current process.
"""
