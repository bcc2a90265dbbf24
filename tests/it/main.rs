//! Tests of the built program, from outside.

mod example;
mod readme;
mod sdk;
mod support;
