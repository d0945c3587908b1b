"""What a project asks for beyond its repository, `needs`, and the command that shows and grants it, `plait trust`."""
