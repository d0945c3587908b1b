"""Permissions that a project needs beyond its repository (`needs`), and the command that shows and grants them."""
