#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| (unstick_fuzz::problem_folder::TARGET.run)(data));
