//! How fields and lists of vectors are read from a stored state: straight into their place. Memory grows with the values
//! that are really there, whatever number of them is announced.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::field::CellField;

/// Bytes that a list may take before their values are there.
const AHEAD: usize = 1 << 24;

impl<T: Serialize, const D: usize> Serialize for CellField<T, D> {
    /// The values alone: the shape is that of the grid.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.values())
    }
}

/// Reads as many values as there are places, and refuses more or fewer.
pub struct ReadInto<'a, T>(pub &'a mut [T]);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for ReadInto<'_, T> {
    type Value = ();

    fn deserialize<S: Deserializer<'de>>(self, from: S) -> Result<(), S::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for ReadInto<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} values, as the grid has", self.0.len())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        for number in 0..self.0.len() {
            match values.next_element()? {
                Some(value) => self.0[number] = value,
                None => return Err(A::Error::invalid_length(number, &self)),
            }
        }
        match values.next_element::<T>()? {
            Some(_) => Err(A::Error::invalid_length(self.0.len() + 1, &self)),
            None => Ok(()),
        }
    }
}

/// Reads a list of vectors or matrices from one of numbers. serde knows no arrays of generic length.
pub struct ReadRows<T> {
    flat: fn(&mut T) -> &mut [f64],
    row: PhantomData<T>,
}

impl<const D: usize> ReadRows<[f64; D]> {
    /// Vectors.
    pub fn vectors() -> Self {
        Self { flat: |row| row, row: PhantomData }
    }
}

impl<const D: usize> ReadRows<[[f64; D]; D]> {
    /// Matrices.
    pub fn matrices() -> Self {
        Self { flat: |row| row.as_flattened_mut(), row: PhantomData }
    }
}

impl<'de, T: Row> DeserializeSeed<'de> for ReadRows<T> {
    type Value = Vec<T>;

    fn deserialize<S: Deserializer<'de>>(self, from: S) -> Result<Vec<T>, S::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de, T: Row> Visitor<'de> for ReadRows<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "groups of {} numbers", (self.flat)(&mut T::zero()).len())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Vec<T>, A::Error> {
        let length = (self.flat)(&mut T::zero()).len();
        let announced = values.size_hint().unwrap_or(0) / length;
        let mut rows: Vec<T> = Vec::new();
        loop {
            let mut row = T::zero();
            for (number, place) in (self.flat)(&mut row).iter_mut().enumerate() {
                match values.next_element()? {
                    Some(value) => *place = value,
                    None if number == 0 => return Ok(rows),
                    None => return Err(A::Error::invalid_length(rows.len() * length + number, &self)),
                }
            }
            if rows.len() == rows.capacity() {
                let ahead = (AHEAD / size_of::<T>()).max(rows.len() / 2);
                rows.reserve_exact(announced.saturating_sub(rows.len()).clamp(1, ahead));
            }
            rows.push(row);
        }
    }
}

/// A vector or a matrix.
pub trait Row: Copy {
    /// All zeros.
    fn zero() -> Self;
}

impl<const D: usize> Row for [f64; D] {
    fn zero() -> Self {
        [0.0; D]
    }
}

impl<const D: usize> Row for [[f64; D]; D] {
    fn zero() -> Self {
        [[0.0; D]; D]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<'de, T: DeserializeSeed<'de>>(seed: T, text: &'de str) -> Result<T::Value, serde_json::Error> {
        seed.deserialize(&mut serde_json::Deserializer::from_str(text))
    }

    #[test]
    fn a_field_is_read_back_into_its_place() {
        let field = CellField::of_shape([2, 2], |[x, y]| (x + 10 * y) as f64);
        let text = serde_json::to_string(&field).unwrap();
        let mut found = CellField::filled([2, 2], 0.0);
        read(ReadInto(found.values_mut()), &text).unwrap();
        assert_eq!(found, field);
        for other in [3, 5] {
            let refused = read(ReadInto(&mut vec![0.0; other]), &text).unwrap_err().to_string();
            assert!(refused.contains(&format!("expected {other} values")), "{refused}");
        }
    }

    #[test]
    fn numbers_become_vectors_and_matrices() {
        let text = "[1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0]";
        assert_eq!(read(ReadRows::<[f64; 2]>::vectors(), text).unwrap()[3], [7.0, 8.0]);
        let matrices = read(ReadRows::<[[f64; 2]; 2]>::matrices(), text).unwrap();
        assert_eq!(matrices, [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]);
        assert!(read(ReadRows::<[f64; 3]>::vectors(), text).is_err());
    }

    /// Announces more than any machine holds, and has three values.
    struct Boaster(usize);

    impl<'de> SeqAccess<'de> for Boaster {
        type Error = serde_json::Error;

        fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Self::Error> {
            self.0 += 1;
            let value = serde::de::value::F64Deserializer::new(1.5);
            (self.0 <= 3).then(|| seed.deserialize(value)).transpose()
        }

        fn size_hint(&self) -> Option<usize> {
            Some(usize::MAX)
        }
    }

    #[test]
    fn memory_follows_the_values_and_not_their_announced_number() {
        let rows = ReadRows::<[f64; 3]>::vectors().visit_seq(Boaster(0)).unwrap();
        assert_eq!(rows, [[1.5; 3]]);
        assert!(rows.capacity() * size_of::<[f64; 3]>() <= AHEAD);
    }
}
