"""Child processes: every process that plait starts is started by a module of this package, and by no other.

`python` starts Python processes of plait itself, `pool` keeps several of them at work, `programs` runs programs of others
(git, sops, commands of the user), and `forking` divides the process that there is.
"""
