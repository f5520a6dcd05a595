-- Run once, by the owner of the tables, in the database that is to have them (psql): the service's own user, who writes
-- and reads rows, and can take no guard away. The password is the first line of a file.
\set password `head -n 1 /run/secrets/service-password`
CREATE ROLE fairdeal LOGIN PASSWORD :'password';
ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO fairdeal;
ALTER DEFAULT PRIVILEGES GRANT USAGE ON SEQUENCES TO fairdeal;
