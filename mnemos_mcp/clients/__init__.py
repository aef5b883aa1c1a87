"""What each client's configuration looks like, and how it is merged, removed and tried out (setup, doctor)."""
