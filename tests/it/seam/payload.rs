//! What the seam sends is read back by the readers of payloads to the rows that its JSON says, in every form.

use proptest::prelude::*;
use toolbox::payload;

use super::{random, *};

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn any_result_reads_back_from_every_form((names, rows) in random::any_result()) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let json = encode_table(&names, rows.clone(), Encoding::Json);
        for wish in Encoding::ALL {
            let sent = encode_table(&names, rows.clone(), wish);
            let text = sent.blocks().join("\n");
            let read = match sent.encoding() {
                Encoding::Json => payload::json::rows(&text),
                Encoding::Table | Encoding::Auto => payload::json::read(&text),
                Encoding::Gcf => payload::gcf::read(&text),
                Encoding::Gcx => payload::gcx::read(&text),
                Encoding::Toon => payload::toon::read(&text),
            };
            let read = match read {
                Ok(sheets) => payload::events(sheets),
                // Text that looks like a number with too many digits; refused rather than rounded.
                Err(error) if matches!(sent.encoding(), Encoding::Gcf | Encoding::Toon) => {
                    prop_assert!(error.message.contains("more digits"), "{}: {}", error, text);
                    continue;
                }
                Err(error) => panic!("{error}: {text}"),
            };
            let limits = Limits::default();
            let again = seam::encode(read, Encoding::Json.into(), &limits);
            let again = again.now_or_never().expect("always ready").expect("no source");
            prop_assert_eq!(again.blocks(), json.blocks(), "{}", text);
        }
    }
}
