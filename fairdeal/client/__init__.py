"""What an integrator installs: a player's program, with its keys, its memory and its checks of the server's word."""
