-- The example database, part 1: its tables.
--
-- It holds what many companies keep: a fleet of managed database instances, and a small shop. `tools.yaml` serves it and
-- the tests call every tool on it. All of it is made up: mail addresses are under example.com, network addresses come from
-- the ranges that RFC 5737 sets aside for documentation, telephone numbers from the ranges kept free for fiction.
--
-- Conventions, the same in every table:
--
--   types   STRICT tables: SQLite refuses a value of the wrong type instead of storing it as it comes.
--   money   whole euro cents in an INTEGER, in columns that end in `_cents`. SQLite has no decimal type; a REAL would round,
--           and text would not add up.
--   time    TEXT in UTC as RFC 3339 writes it, to the second: 2026-03-01T09:15:00Z. It sorts as it reads, and the CHECK
--           refuses every other form and every date that does not exist.
--   ids     64-bit integers beyond 2^53, as many services hand them out. Read into a double, neighbors become equal.
--   JSON    TEXT with a CHECK that it is one object.

CREATE TABLE instances (
    name    TEXT NOT NULL PRIMARY KEY CHECK (name <> ''),
    version TEXT NOT NULL,                 -- engine and major version, such as POSTGRES_18
    region  TEXT NOT NULL,
    tier    TEXT NOT NULL,                 -- machine size: family, virtual CPUs, memory
    state   TEXT NOT NULL CHECK (state IN ('CREATING', 'RUNNING', 'MAINTENANCE', 'STOPPED', 'FAILED')),
    address TEXT UNIQUE,                   -- IPv4; unknown while the instance is being created
    created TEXT NOT NULL CHECK (created IS strftime('%Y-%m-%dT%H:%M:%SZ', created)),
    CHECK ((state = 'CREATING') = (address IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX instances_by_region ON instances (region, state);

CREATE TABLE customers (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL CHECK (name <> ''),              -- as its owner writes it, in any script; not unique
    email       TEXT COLLATE NOCASE UNIQUE CHECK (email LIKE '_%@_%'),
    phone       TEXT CHECK (phone <> '' AND phone NOT GLOB '*[^0-9]*'),  -- digits as dialed; leading zeros count
    country     TEXT NOT NULL CHECK (country GLOB '[A-Z][A-Z]'),         -- ISO 3166-1 alpha-2
    preferences TEXT CHECK (preferences IS NULL OR (json_valid(preferences) AND json_type(preferences) = 'object')),
    created     TEXT NOT NULL CHECK (created IS strftime('%Y-%m-%dT%H:%M:%SZ', created))
) STRICT;

CREATE INDEX customers_by_country ON customers (country);

CREATE TABLE products (
    sku         TEXT NOT NULL PRIMARY KEY CHECK (sku <> ''),   -- looks like a number at times, and is none: 007100, 12E4
    name        TEXT NOT NULL CHECK (name <> ''),
    price_cents INTEGER NOT NULL CHECK (price_cents >= 0),     -- of one piece, today
    weight_kg   REAL CHECK (weight_kg > 0)                     -- of one piece; none for what is not shipped
) STRICT, WITHOUT ROWID;

CREATE TABLE orders (
    id          INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    status      TEXT NOT NULL DEFAULT 'open'
                CHECK (status IN ('open', 'paid', 'shipped', 'delivered', 'cancelled')),
    placed      TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
                CHECK (placed IS strftime('%Y-%m-%dT%H:%M:%SZ', placed)),
    shipped     TEXT CHECK (shipped IS strftime('%Y-%m-%dT%H:%M:%SZ', shipped)),
    shipping    TEXT NOT NULL CHECK (json_valid(shipping) AND json_type(shipping) = 'object'),  -- where to and how
    note        TEXT CHECK (note <> ''),
    CHECK ((status IN ('shipped', 'delivered')) = (shipped IS NOT NULL)),
    CHECK (shipped >= placed)
) STRICT;

CREATE INDEX orders_by_customer ON orders (customer_id, placed);

CREATE TABLE order_lines (
    order_id         INTEGER NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
    line             INTEGER NOT NULL CHECK (line >= 1),
    sku              TEXT    NOT NULL REFERENCES products (sku),
    quantity         INTEGER NOT NULL CHECK (quantity >= 1),
    unit_price_cents INTEGER NOT NULL CHECK (unit_price_cents >= 0),  -- on the day of the order
    PRIMARY KEY (order_id, line)
) STRICT, WITHOUT ROWID;

CREATE INDEX order_lines_by_sku ON order_lines (sku);
