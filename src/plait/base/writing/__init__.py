"""The one module that opens files for writing, creates directories, renames and removes.

A `Directory` is an open directory. Below it every path is resolved component by component, with calls relative to the
open directory (`dir_fd`) that follow no symbolic link and never block; only regular files are written. So a directory
that another process replaces with a link between the check and the write is not followed.

How a directory, or the place of a file, is found depends on who chose the path:

- A path that the user typed is followed through its links, and a file may be a FIFO or a device: `followed`, `target`,
`write_file`. One exception: a link inside a Git repository that leads out of it is rejected, unless
`--allow-symlink-output` names its destination or `plait.base.content.OUTPUT_LINKS` allows every link (as ytt and bosh do).
- A path from a file, or one that plait adds to a typed one, is strict below the typed directory: pass that directory as
`top`, or use `Directory.below`.

Every path passes `plait.base.writing.real_paths.authorize` first, which checks the permissions of the current project (see
`plait.base.permissions`), and returns whether a file chose the path.

Without `dir_fd` (Windows) real paths are compared before and after each call. Another process can win that race.

All of it raises OSError; `WriteRefused` is the OSError of these rules, and `failure` converts either to an error for users.
"""
