-- The example database, part 1: its tables, for MySQL 8.0 and MariaDB 10.6 and later.
--
-- It holds what many companies keep: a fleet of managed database instances, and a small shop. All of it is made up: mail
-- addresses are under example.com, network addresses come from the ranges that RFC 5737 sets aside for documentation,
-- telephone numbers from the ranges kept free for fiction. The rows are those of `migrations/sqlite`.
--
-- Conventions, the same in every table:
--
--   text    utf8mb4_bin: equal texts have equal bytes, so neither letter case nor accents nor the way in which a letter is
--           composed are lost in a comparison. Mail addresses alone ignore case.
--   money   euros in a DECIMAL, exact to the cent.
--   time    TIMESTAMP: an instant, read and written in the time zone of the session, which is UTC.
--   ids     64-bit integers beyond 2^53, as many services hand them out. Read into a double, neighbors become equal.
--   JSON    JSON, checked to be one object.

CREATE TABLE instances (
    name    VARCHAR(64) NOT NULL PRIMARY KEY,
    version VARCHAR(32) NOT NULL,           -- engine and major version, such as POSTGRES_18
    region  VARCHAR(32) NOT NULL,
    tier    VARCHAR(32) NOT NULL,           -- machine size: family, virtual CPUs, memory
    state   ENUM ('CREATING', 'RUNNING', 'MAINTENANCE', 'STOPPED', 'FAILED') NOT NULL,
    address VARCHAR(15) UNIQUE,             -- IPv4; unknown while the instance is being created
    created TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CHECK (name <> ''),
    CHECK ((state = 'CREATING') = (address IS NULL)),
    INDEX instances_by_region (region, state)
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE customers (
    id          BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    name        VARCHAR(200) NOT NULL,      -- as its owner writes it, in any script; not unique
    email       VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci UNIQUE,
    phone       VARCHAR(20),                -- digits as dialed; leading zeros count
    country     CHAR(2) NOT NULL,           -- ISO 3166-1 alpha-2
    preferences JSON,
    created     TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CHECK (name <> ''),
    CHECK (email LIKE '_%@_%'),
    CHECK (phone REGEXP '^[0-9]+$'),
    CHECK (country REGEXP '^[A-Z][A-Z]$'),
    CHECK (preferences IS NULL OR JSON_TYPE(preferences) = 'OBJECT'),
    INDEX customers_by_country (country)
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE products (
    sku       VARCHAR(16) NOT NULL PRIMARY KEY,  -- looks like a number at times, and is none: 007100, 12E4
    name      VARCHAR(200) NOT NULL,
    price     DECIMAL(12, 2) NOT NULL,      -- of one piece, today
    weight_kg DOUBLE,                       -- of one piece; none for what is not shipped
    CHECK (sku <> ''),
    CHECK (name <> ''),
    CHECK (price >= 0),
    CHECK (weight_kg > 0)
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE orders (
    id          BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    customer_id BIGINT NOT NULL,
    status      ENUM ('open', 'paid', 'shipped', 'delivered', 'cancelled') NOT NULL DEFAULT 'open',
    placed      TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    shipped     TIMESTAMP NULL,
    shipping    JSON NOT NULL,              -- where to and how
    note        TEXT,
    CHECK (JSON_TYPE(shipping) = 'OBJECT'),
    CHECK (note <> ''),
    CHECK ((status IN ('shipped', 'delivered')) = (shipped IS NOT NULL)),
    CHECK (shipped >= placed),
    FOREIGN KEY (customer_id) REFERENCES customers (id),
    INDEX orders_by_customer (customer_id, placed)
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE order_lines (
    order_id   BIGINT NOT NULL,
    line       INT NOT NULL,
    sku        VARCHAR(16) NOT NULL,
    quantity   INT NOT NULL,
    unit_price DECIMAL(12, 2) NOT NULL,     -- on the day of the order
    PRIMARY KEY (order_id, line),
    CHECK (line >= 1),
    CHECK (quantity >= 1),
    CHECK (unit_price >= 0),
    FOREIGN KEY (order_id) REFERENCES orders (id) ON DELETE CASCADE,
    FOREIGN KEY (sku) REFERENCES products (sku),
    INDEX order_lines_by_sku (sku)
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
