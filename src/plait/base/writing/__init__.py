"""The only module that opens files for writing, creates directories, renames and removes.

A `Directory` is an open directory. Every path below it is resolved component by component, with calls relative to the
open directory (`dir_fd`) that follow no symbolic link and never block; only regular files are written. If another
process replaces a directory by a link between check and write, the link is not followed.

The resolution of a path depends on its author:

- A path typed by the user is followed through links, and its file may be a FIFO or a device: `followed`, `target`,
`write_file`. Exception: a link inside a Git repository that leads out of it is rejected, unless
`--allow-symlink-output` names its target or `plait.base.content.OUTPUT_LINKS` allows every link (as ytt and bosh do).
- A path from a file, or one that plait appends to a typed one, is strict below the typed directory: pass that directory
as `top`, or use `Directory.below`.

Every path is first passed to `plait.base.writing.real_paths.authorize`, which checks the permissions of the current
project (see `plait.base.permissions`), and returns True if a file chose the path.

Without `dir_fd` (Windows), real paths are compared before and after each call. Another process can win that race.

All functions raise OSError. `WriteRefused` is the OSError of these rules, and `failure` converts either to an error for
users.
"""
