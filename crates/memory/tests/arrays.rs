//! Arrays of all sizes keep what is written to them.

use unstick_memory::HugePages;

#[global_allocator]
static MEMORY: HugePages = HugePages;

/// Sizes in numbers of 8 bytes, on both sides of what counts as large, and far beyond.
const SIZES: [usize; 7] = [1, 1000, (1 << 19) - 1, 1 << 19, (1 << 19) + 1, 3_000_001, 20_000_000];

#[test]
fn arrays_of_zeros_are_zero_also_where_others_were_before() {
    for size in SIZES {
        for _ in 0..3 {
            let mut values = vec![0u64; size];
            assert!(values.iter().all(|&value| value == 0));
            values.fill(u64::MAX);
        }
    }
}

#[test]
fn arrays_that_grow_and_shrink_keep_their_numbers() {
    for from in SIZES {
        for to in SIZES {
            let mut values: Vec<u64> = (0..from as u64).collect();
            match to > from {
                true => values.reserve_exact(to - from),
                false => values.truncate(to),
            }
            values.shrink_to(to);
            assert!(values.iter().copied().eq(0..from.min(to) as u64), "{from} to {to}");
            values.extend(values.len() as u64..to as u64);
            assert!(values.iter().copied().eq(0..to as u64), "{from} to {to}");
        }
    }
}

#[test]
fn large_arrays_begin_where_a_huge_page_does() {
    let values = vec![1u8; 5 << 20];
    assert!(!cfg!(target_os = "linux") || values.as_ptr().addr().is_multiple_of(2 << 20));
}

#[test]
fn more_than_there_is_is_refused_and_nothing_else_happens() {
    assert!(Vec::<u8>::new().try_reserve_exact(isize::MAX as usize).is_err());
    let mut values = vec![7u8; 8 << 20];
    assert!(values.try_reserve_exact(isize::MAX as usize - (8 << 20)).is_err());
    assert!(values.iter().all(|&value| value == 7));
}

#[test]
fn threads_give_each_others_arrays_back() {
    let arrays: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|worker| scope.spawn(move || vec![worker; 1 << 20])).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    assert!(arrays.iter().zip(0..).all(|(array, worker)| array.iter().all(|&value| value == worker)));
}
