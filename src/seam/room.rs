//! Room for a text that grows row by row: asked for once, by the length of the rows so far.
//!
//! A text that doubles is held twice while it moves, and may end with half of its room empty. Rows of one result are about
//! equally long, so some of them tell how long the text becomes. That is a guess: a text that outgrows it gets more room, and
//! what is written never depends on it.

/// Bytes that are asked for before the first row.
const FIRST: usize = 64 * 1024;

/// How many rows are written between two looks at the room.
const STEP: usize = 256;

/// The room of a text.
#[derive(Debug)]
pub(super) struct Room {
    /// Where the rows begin.
    start: usize,
    /// Where the rows since the last look begin.
    looked: usize,
    /// How many rows there will be.
    rows: usize,
    /// No more bytes than this are asked for: a longer text is given up, or is not expected.
    most: usize,
}

impl Room {
    /// A text in which there is room for what stands before the rows and for the first of them.
    pub(super) fn first(most: usize) -> String {
        String::with_capacity(FIRST.min(most))
    }

    /// The room for so many rows after what was written.
    pub(super) fn after(out: &str, rows: usize, most: usize) -> Self {
        Self { start: out.len(), looked: out.len(), rows, most }
    }

    /// Makes room for the rows to come, of which `written` are there. To be called before each row.
    #[inline]
    pub(super) fn make(&mut self, out: &mut String, written: usize) {
        if written.is_multiple_of(STEP) && written > 0 {
            self.extend(out, written);
        }
    }

    fn extend(&mut self, out: &mut String, written: usize) {
        let rows_to_come = self.rows.saturating_sub(written);
        // Rows may become longer, so the last ones count where they are the longer ones.
        let of_all = (out.len() - self.start).div_ceil(written);
        let of_last = (out.len() - self.looked).div_ceil(STEP);
        self.looked = out.len();
        let average = of_all.max(of_last);
        let next = average.saturating_mul(STEP.min(rows_to_come));
        let free = out.capacity() - out.len();
        if free < next.saturating_add(next / 4) {
            let all = average.saturating_mul(rows_to_come);
            let room = all.saturating_add(all / 16).min(self.most.saturating_sub(out.len()));
            out.reserve_exact(room);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often a text of such rows moves, and how much room it has in the end.
    fn written(rows: usize, row: impl Fn(usize) -> usize) -> (usize, String) {
        let mut out = Room::first(usize::MAX);
        let mut room = Room::after(&out, rows, usize::MAX);
        let (mut moves, mut capacity) = (0, out.capacity());
        for index in 0..rows {
            room.make(&mut out, index);
            out.extend(std::iter::repeat_n('x', row(index)));
            moves += usize::from(out.capacity() != capacity);
            capacity = out.capacity();
        }
        (moves, out)
    }

    #[test]
    fn a_text_of_equal_rows_moves_once_and_is_hardly_larger_than_needed() {
        let (moves, out) = written(10_000, |_| 100);
        assert_eq!((moves, out.len()), (1, 1_000_000));
        assert!(out.capacity() <= 1_070_000, "{}", out.capacity());
    }

    #[test]
    fn a_short_text_keeps_the_room_that_it_got_first() {
        assert_eq!(written(600, |_| 100).0, 0);
    }

    #[test]
    fn rows_that_become_longer_get_more_room_without_many_moves() {
        let (moves, out) = written(20_000, |index| index / 100);
        assert!(moves <= 10, "{moves}");
        assert!(out.capacity() <= out.len() * 5 / 4, "{} for {}", out.capacity(), out.len());
    }

    #[test]
    fn no_more_is_asked_for_than_a_text_may_have() {
        let mut out = Room::first(200_000);
        let mut room = Room::after(&out, 1_000_000, 200_000);
        out.push_str(&"x".repeat(60_000));
        room.make(&mut out, STEP);
        assert!(out.capacity() <= 200_000, "{}", out.capacity());
        assert_eq!(Room::first(10).capacity(), 10);
    }
}
