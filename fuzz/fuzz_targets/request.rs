#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| (unstick_fuzz::request::TARGET.run)(data));
