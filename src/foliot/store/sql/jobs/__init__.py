"""Jobs, their versions, lanes and calendars: what an edit, a pause or a delete does to them and to what waits."""
