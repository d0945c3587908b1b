"""Questions about the output of a run, without writing anything and without showing secrets."""
