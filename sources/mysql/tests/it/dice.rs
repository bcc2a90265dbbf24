//! Random values of each type, as literals of SQL, with the values at the edges more often than chance would have them.

use std::time::{SystemTime, UNIX_EPOCH};

/// Random numbers (splitmix64).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let seed = u64::try_from(now.as_nanos() % u128::from(u64::MAX)).unwrap();
        eprintln!("seed {seed}");
        Self(seed)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit
    }

    /// A number of so many bits, often a small one or one at the edge.
    pub(crate) fn unsigned(&mut self, width: u32) -> u64 {
        let largest = u64::MAX >> (64 - width);
        match self.below(8) {
            0 => 0,
            1 => largest,
            2 => largest / 2,
            3 => largest / 2 + 1,
            _ => {
                let shift = self.below(u64::from(width));
                (self.bits() & largest) >> shift
            }
        }
    }

    pub(crate) fn signed(&mut self, width: u32) -> String {
        let magnitude = self.unsigned(width - 1);
        match self.below(3) {
            0 => format!("-{}", u128::from(magnitude) + 1),
            1 => format!("-{magnitude}"),
            _ => magnitude.to_string(),
        }
    }

    pub(crate) fn digits(&mut self, most: u64) -> String {
        let count = self.below(most) + 1;
        (0..count).map(|_| char::from(b'0' + u8::try_from(self.below(10)).unwrap())).collect()
    }

    pub(crate) fn decimal(&mut self, whole: u64, fraction: u64) -> String {
        let sign = if self.below(2) == 0 { "" } else { "-" };
        format!("{sign}{}.{}", self.digits(whole), self.digits(fraction.max(1)))
    }

    /// A finite number of any magnitude, in the digits of Rust, which read back exactly.
    pub(crate) fn double(&mut self) -> String {
        loop {
            let number = f64::from_bits(self.bits());
            if number.is_finite() {
                return format!("{number:e}");
            }
        }
    }

    pub(crate) fn float(&mut self) -> String {
        loop {
            let number = f32::from_bits(u32::try_from(self.bits() >> 32).unwrap());
            if number.is_normal() {
                return format!("{number:e}");
            }
        }
    }

    pub(crate) fn date(&mut self) -> String {
        match self.below(12) {
            0 => "0000-00-00".to_owned(),
            1 => format!("{:04}-00-00", self.below(10_000)),
            2 => format!("{:04}-{:02}-00", self.below(10_000), self.below(12) + 1),
            3 => "9999-12-31".to_owned(),
            4 => "2024-02-29".to_owned(),
            _ => format!("{:04}-{:02}-{:02}", self.below(9_999) + 1, self.below(12) + 1, self.below(28) + 1),
        }
    }

    pub(crate) fn fraction(&mut self, digits: usize) -> String {
        let micros = match self.below(4) {
            0 => 0,
            1 => self.below(10) * 100_000,
            _ => self.below(1_000_000),
        };
        let text = format!("{micros:06}");
        if digits == 0 { String::new() } else { format!(".{}", &text[..digits]) }
    }

    pub(crate) fn clock(&mut self, digits: usize) -> String {
        let fraction = self.fraction(digits);
        format!("{:02}:{:02}:{:02}{fraction}", self.below(24), self.below(60), self.below(60))
    }

    pub(crate) fn datetime(&mut self, digits: usize) -> String {
        format!("'{} {}'", self.date(), self.clock(digits))
    }

    pub(crate) fn timestamp(&mut self, digits: usize) -> String {
        if self.below(12) == 0 {
            return "'0000-00-00 00:00:00'".to_owned();
        }
        let (month, day) = (self.below(12) + 1, self.below(28) + 1);
        format!("'{:04}-{month:02}-{day:02} {}'", 1971 + self.below(66), self.clock(digits))
    }

    pub(crate) fn time(&mut self, digits: usize) -> String {
        let sign = if self.below(2) == 0 { "" } else { "-" };
        let fraction = self.fraction(digits);
        format!("'{sign}{}:{:02}:{:02}{fraction}'", self.below(838), self.below(60), self.below(60))
    }

    /// Characters of these, quoted.
    pub(crate) fn text(&mut self, alphabet: &str, most: u64) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        let count = self.below(most + 1);
        let text: String = (0..count)
            .map(|_| alphabet[usize::try_from(self.below(alphabet.len() as u64)).unwrap()])
            .collect();
        format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
    }

    pub(crate) fn hexadecimal(&mut self, most: u64) -> String {
        let count = self.below(most + 1);
        let bytes: Vec<String> = (0..count).map(|_| format!("{:02X}", self.below(256))).collect();
        format!("X'{}'", bytes.concat())
    }

    pub(crate) fn json(&mut self, depth: u32) -> String {
        match self.below(if depth == 0 { 6 } else { 8 }) {
            0 => "null".to_owned(),
            1 => "true".to_owned(),
            2 => self.signed(64),
            3 => self.unsigned(64).to_string(),
            4 => format!("{}.{}", self.below(1_000_000), self.below(1_000_000)),
            5 => format!(
                "\"{}\"",
                ["", "ä🦊", "\\\"", "a\\nb", "\\u0001", "\\\\", "/"][usize::try_from(self.below(7)).unwrap()]
            ),
            6 => {
                let items: Vec<String> = (0..self.below(4)).map(|_| self.json(depth - 1)).collect();
                format!("[{}]", items.join(","))
            }
            _ => {
                let count = self.below(4);
                let fields: Vec<String> = (0..count)
                    .map(|key| {
                        format!(
                            "\"k{key}{}\":{}",
                            "x".repeat(usize::try_from(key).unwrap()),
                            self.json(depth - 1)
                        )
                    })
                    .collect();
                format!("{{{}}}", fields.join(","))
            }
        }
    }
}
