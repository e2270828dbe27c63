//! Readers meet files that nobody meant to write: they refuse them or return something well-formed,
//! and what is written comes back bit by bit.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use tempfile::TempDir;
use unstick_mlcp::CsrMatrix;
use unstick_problems::{GridInfo, Problem, read_array, read_matrix, write_array, write_matrix};

/// What can befall a file.
#[derive(Clone, Debug)]
enum Damage {
    Truncated(Index),
    Flipped(Index, u8),
    Inserted(Index, Vec<u8>),
}

impl Damage {
    fn befall(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Truncated(end) => bytes.truncate(end.index(bytes.len() + 1)),
            Self::Flipped(place, bits) if !bytes.is_empty() => *place.get_mut(bytes) ^= bits,
            Self::Flipped(..) => {}
            Self::Inserted(place, garbage) => {
                let place = place.index(bytes.len() + 1);
                bytes.splice(place..place, garbage.iter().copied());
            }
        }
    }
}

/// Garbage that looks as if it belonged there.
const PLAUSIBLE: [&str; 14] =
    ["\n", " ", "%", "0", "-", "9999999999", "1e999", "NaN", "3 3 1.0\n", ",", "(", "[[", "'", "\r"];

fn damage() -> impl Strategy<Value = Damage> {
    let plausible = select(&PLAUSIBLE[..]).prop_map(|text| text.as_bytes().to_vec());
    let garbage = prop_oneof![vec(any::<u8>(), 1..20), plausible];
    prop_oneof![
        any::<Index>().prop_map(Damage::Truncated),
        (any::<Index>(), 1..=255u8).prop_map(|(place, bits)| Damage::Flipped(place, bits)),
        (any::<Index>(), garbage).prop_map(|(place, garbage)| Damage::Inserted(place, garbage)),
    ]
}

fn finite() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO
}

/// Any pattern, any magnitude; symmetric to the bit, diagonal positive.
fn symmetric_matrix() -> impl Strategy<Value = CsrMatrix<'static>> {
    use proptest::num::f64::{NORMAL, POSITIVE, SUBNORMAL};
    let rows = vec((POSITIVE | NORMAL | SUBNORMAL, vec(proptest::option::of(finite()), 12)), 0..12);
    rows.prop_map(|rows| {
        let mut triplets = Vec::new();
        for (row, (diagonal, left)) in rows.iter().enumerate() {
            triplets.push((row, row, *diagonal));
            for (column, value) in left[..row].iter().enumerate() {
                triplets.extend(value.iter().flat_map(|&value| [(row, column, value), (column, row, value)]));
            }
        }
        CsrMatrix::from_triplets(rows.len(), triplets).unwrap()
    })
}

fn same_bits(one: &[f64], other: &[f64]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.to_bits() == other.to_bits())
}

fn is_well_formed(matrix: &CsrMatrix) -> bool {
    CsrMatrix::from_raw(matrix.starts(), matrix.columns(), matrix.values()).as_ref() == Ok(matrix)
}

/// A file of that content, gone with the first of the pair.
fn file(content: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, content).unwrap();
    (folder, path)
}

const MATRICES: [&str; 2] = [
    "%%MatrixMarket matrix coordinate real symmetric\n% three cells\n3 3 5\n1 1 2\n2 1 -1\n2 2 2.5\n3 2 -1e0\n3 3 2\n",
    "%%MatrixMarket matrix coordinate integer general\n\n2 2 4\n2 2 12\n1 2 -1\n2 1 -1\n1 1 12",
];

fn check_matrix_reader(content: &[u8]) -> Result<(), TestCaseError> {
    let (_folder, path) = file(content);
    if let Ok(matrix) = read_matrix(&path) {
        prop_assert!(is_well_formed(&matrix));
    }
    Ok(())
}

/// Whatever an array holds, writing and reading it changes nothing.
fn check_array_reader(content: &[u8]) -> Result<(), TestCaseError> {
    let (_folder, path) = file(content);
    if let Ok(values) = read_array(&path) {
        write_array(&path, &values).unwrap();
        prop_assert!(same_bits(&read_array(&path).unwrap(), &values));
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_bytes_are_a_matrix_or_refused(content in vec(any::<u8>(), 0..200)) {
        check_matrix_reader(&content)?;
    }

    #[test]
    fn any_words_under_a_banner_are_a_matrix_or_refused(
        banner in select(&MATRICES[..]).prop_map(|matrix| matrix.lines().next().unwrap()),
        size in 0..4usize,
        words in vec(select(&["1", "2", "3", "-1", "0.5", "\n", "%", "4294967296", "x"][..]), 0..40),
    ) {
        check_matrix_reader(format!("{banner}\n{size} {size} {}\n{}", words.len() / 4, words.join(" ")).as_bytes())?;
    }

    #[test]
    fn a_damaged_matrix_is_a_matrix_or_refused(
        content in select(&MATRICES[..]),
        damages in vec(damage(), 1..4),
    ) {
        let mut content = content.as_bytes().to_vec();
        damages.iter().for_each(|damage| damage.befall(&mut content));
        check_matrix_reader(&content)?;
    }

    #[test]
    fn a_matrix_comes_back_bit_by_bit(matrix in symmetric_matrix()) {
        let (_folder, path) = file(b"");
        write_matrix(&path, &matrix).unwrap();
        let read = read_matrix(&path).unwrap();
        prop_assert_eq!(read.starts(), matrix.starts());
        prop_assert_eq!(read.columns(), matrix.columns());
        prop_assert!(same_bits(read.values(), matrix.values()));
    }

    #[test]
    fn the_order_of_lines_makes_no_difference(matrix in symmetric_matrix(), seed in any::<u64>()) {
        let (_folder, path) = file(b"");
        write_matrix(&path, &matrix).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        let shuffle = |line: &&str| line.bytes().fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        lines[2..].sort_by_key(shuffle);
        fs::write(&path, lines.join("\r\n")).unwrap();
        prop_assert_eq!(read_matrix(&path).unwrap(), matrix);
    }

    #[test]
    fn any_bytes_are_an_array_or_refused(content in vec(any::<u8>(), 0..200), version in 0..4u8) {
        check_array_reader(&content)?;
        check_array_reader(&[b"\x93NUMPY", &[version, 0][..], &content].concat())?;
    }

    #[test]
    fn a_damaged_array_is_an_array_or_refused(
        values in vec(any::<f64>(), 0..20),
        damages in vec(damage(), 1..4),
    ) {
        let (_folder, path) = file(b"");
        write_array(&path, &values).unwrap();
        let mut content = fs::read(&path).unwrap();
        damages.iter().for_each(|damage| damage.befall(&mut content));
        check_array_reader(&content)?;
    }

    #[test]
    fn an_array_comes_back_bit_by_bit(values in vec(any::<u64>().prop_map(f64::from_bits), 0..200)) {
        let (_folder, path) = file(b"");
        write_array(&path, &values).unwrap();
        prop_assert!(same_bits(&read_array(&path).unwrap(), &values));
    }

}

proptest! {
    // Each case writes a dozen files and waits for the disk.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_damaged_folder_is_a_problem_or_refused(
        name in select(&["A.mtx", "b.npy", "wall.npy", "lower.npy", "x.npy", "grid.json"][..]),
        damages in vec(damage(), 1..4),
    ) {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("problem");
        three_cells().write(&folder).unwrap();
        let mut content = fs::read(folder.join(name)).unwrap();
        damages.iter().for_each(|damage| damage.befall(&mut content));
        fs::write(folder.join(name), content).unwrap();
        match Problem::read(&folder) {
            // Not always the damaged file: a new wall lacks a bound in `lower.npy`.
            Err(error) => prop_assert!(error.to_string().starts_with(folder.to_str().unwrap()), "{error}"),
            Ok(read) => check_problem(&read, &parent.path().join("again"))?,
        }
    }

    #[test]
    fn a_folder_comes_back_bit_by_bit(
        matrix in symmetric_matrix(),
        numbers in vec((finite(), finite(), proptest::option::of(finite())), 12),
        with_start in any::<bool>(),
    ) {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("problem");
        let numbers = &numbers[..matrix.rows()];
        let b: Vec<f64> = numbers.iter().map(|number| number.0).collect();
        let x: Vec<f64> = numbers.iter().map(|number| number.1).collect();
        let lower = numbers.iter().map(|number| number.2.unwrap_or(f64::NEG_INFINITY)).collect();
        let written = Problem::new(matrix, b).unwrap().with_lower(lower).unwrap();
        let written = if with_start { written.with_start(x).unwrap() } else { written };
        written.write(&folder).unwrap();
        let read = Problem::read(&folder).unwrap();
        prop_assert!(same_bits(read.mlcp().b(), written.mlcp().b()));
        prop_assert_eq!(read, written);
    }
}

fn three_cells() -> Problem {
    let (_folder, path) = file(MATRICES[0].as_bytes());
    let grid = GridInfo::new(vec![2, 2], 0.5, vec![0.0, -1.0], vec![0, 1, 3]);
    let problem = Problem::on_grid(grid, read_matrix(&path).unwrap(), vec![1.0, -2.0, 0.25]).unwrap();
    problem.with_lower(vec![0.0, f64::NEG_INFINITY, 0.5]).unwrap().with_start(vec![0.0, 1.0, 0.5]).unwrap()
}

/// Whatever was read can be written and read again.
fn check_problem(problem: &Problem, folder: &Path) -> Result<(), TestCaseError> {
    prop_assert!(is_well_formed(problem.matrix()));
    problem.write(folder).unwrap();
    prop_assert_eq!(&Problem::read(folder).unwrap(), problem);
    Ok(())
}
