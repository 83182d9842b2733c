"""What the user is told: types, leaks, expired objects, and who owns one object."""
