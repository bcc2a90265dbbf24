#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(sheets) = toolbox::payload::gcx::read(text) {
        toolbox_fuzz::survives(sheets);
    }
});
