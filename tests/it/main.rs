//! Tests that cross a boundary.

mod seam;
