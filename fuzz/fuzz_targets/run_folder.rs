#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| (unstick_fuzz::run_folder::TARGET.run)(data));
