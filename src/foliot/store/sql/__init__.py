"""The store on SQL databases: tables, one file per aggregate, dialects, migrations."""
