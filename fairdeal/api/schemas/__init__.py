"""What goes over the wire, strictly: nothing is coerced, and a member that is not named here is refused."""
