//! Two lanes of connections under one bound: read-write and read-only.
