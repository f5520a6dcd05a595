"""Witnesses over HTTP (C2SP tlog-witness): being one for other people's logs, and asking one."""
