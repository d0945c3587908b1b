"""The dialect of ytt: templates, overlays, data values, schemas, modules and libraries."""
