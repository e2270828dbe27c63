#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| (unstick_fuzz::name::TARGET.run)(data));
