//! Judges the claims of a source by our numbers.

use super::table::Table;
use super::{BEST, Check, Claim};

/// A sentence on whether a claim holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Whether the claim holds; none if nothing is claimed or numbers are missing.
    pub holds: Option<bool>,
    /// The sentence, with its full stop.
    pub text: String,
}

impl Judgement {
    fn remark(text: String) -> Self {
        Self { holds: None, text }
    }
}

/// What a check finds in a table: whether it holds, and the numbers.
struct Finding {
    holds: bool,
    numbers: String,
}

/// All judgements on a table, given the published one.
pub fn judge(published: &Table, ours: &Table, claims: &[Claim]) -> Vec<Judgement> {
    let mut judgements: Vec<_> = claims.iter().map(|claim| claim.judge(published, ours)).collect();
    judgements.extend(ratio(published, ours));
    judgements
}

impl Claim {
    fn judge(&self, published: &Table, ours: &Table) -> Judgement {
        let Some(found) = self.check.find(ours) else {
            return Judgement::remark(format!("Cannot be told: {}; numbers are missing.", self.text));
        };
        // Judge the measured rows if they are enough.
        let theirs = self.check.find(&published.with_rows_of(ours)).or_else(|| self.check.find(published));
        let theirs = theirs.map(|theirs| format!(", published {}", theirs.numbers));
        let numbers = format!("here {}{}", found.numbers, theirs.unwrap_or_default());
        let text = match (found.holds, self.because.as_str()) {
            (true, _) => format!("Trend holds: {} ({numbers}).", self.text),
            (false, "") => format!("Does not hold: {} ({numbers}).", self.text),
            (false, because) => format!("Does not hold: {} ({numbers}), because {because}.", self.text),
        };
        Judgement { holds: Some(found.holds), text }
    }
}

impl Check {
    fn find(&self, table: &Table) -> Option<Finding> {
        match self {
            Self::GrowsLess(column, factor) => growth(table, column, |grown| grown < *factor),
            Self::GrowsMore(column, factor) => growth(table, column, |grown| grown > *factor),
            Self::Below(less, more, row) => {
                let row = match row.as_str() {
                    "" => table
                        .rows
                        .iter()
                        .rev()
                        .map(|(name, _)| name.as_str())
                        .find(|name| table.value(name, less).is_some() && table.value(name, more).is_some())?,
                    row => row,
                };
                below(table.value(row, less)?, table.value(row, more)?, row)
            }
            Self::RowBelow(less, more, column) => below(table.value(less, column)?, table.value(more, column)?, column),
            Self::Times(one, other, row, bound) => {
                let times = table.value(row, one)? / table.value(row, other)?;
                Some(Finding { holds: times <= *bound, numbers: format!("{} times", short(times)) })
            }
            Self::AtMost(column, row, bound) => {
                let value = table.value(row, column)?;
                Some(Finding { holds: value <= *bound, numbers: short(value) })
            }
            Self::AtLeast(column, row, bound) => {
                let value = table.value(row, column)?;
                Some(Finding { holds: value >= *bound, numbers: short(value) })
            }
            Self::Near(column, row, bound) => {
                let value = table.value(row, column)?;
                Some(Finding { holds: value.abs() <= *bound, numbers: short(value) })
            }
            Self::Fails(column) => {
                let (row, _) = table.rows.last()?;
                let cell = table.cell(row, column)?;
                Some(Finding { holds: cell.value.is_none(), numbers: format!("{} at {row}", cell.text) })
            }
            Self::Alike(one, other, factor) => {
                let pairs = table.rows.iter().filter_map(|(row, _)| table.value(row, one).zip(table.value(row, other)));
                let ratios: Vec<f64> = pairs.map(|(one, other)| one / other).collect();
                let (low, high) = extent(&ratios)?;
                let numbers = format!("ratios from {} to {}", short(low), short(high));
                Some(Finding { holds: low > 1.0 / factor && high < *factor, numbers })
            }
            Self::RowsAlike(one, other, factor) => {
                Self::Alike(one.clone(), other.clone(), *factor).find(&table.transposed())
            }
            Self::Known(row, value, part) => {
                let found = last_of_row(table, row)?;
                let error = found / value - 1.0;
                let numbers = format!("{} against {}, {:+.2} %", short(found), short(*value), 100.0 * error);
                Some(Finding { holds: error.abs() <= *part, numbers })
            }
            Self::Between(row, low, high) => {
                let found = last_of_row(table, row)?;
                let numbers = format!("{}, accepted from {} to {}", short(found), short(*low), short(*high));
                Some(Finding { holds: *low <= found && found <= *high, numbers })
            }
            Self::Within(bound) => {
                let values: Vec<f64> =
                    table.rows.iter().flat_map(|(_, cells)| cells).filter_map(|cell| cell.value).collect();
                let (low, high) = extent(&values)?;
                let numbers = format!("from {} to {}", short(low), short(high));
                Some(Finding { holds: low.abs().max(high.abs()) < *bound, numbers })
            }
        }
    }
}

fn below(low: f64, high: f64, place: &str) -> Option<Finding> {
    let place = if place.parse::<f64>().is_ok() { format!("at {place}") } else { format!("in {place}") };
    let numbers = format!("{} against {} {place}", short(low), short(high));
    Some(Finding { holds: low < high, numbers })
}

/// The number of a row in the last column that has one.
fn last_of_row(table: &Table, row: &str) -> Option<f64> {
    table.columns.iter().rev().find_map(|column| table.value(row, column))
}

fn growth(table: &Table, column: &str, holds: impl Fn(f64) -> bool) -> Option<Finding> {
    let values = table.column(column);
    let ((first, low), (last, high)) = (values.first()?, values.last()?);
    if first == last || *low == 0.0 {
        return None;
    }
    let grown = high / low;
    Some(Finding { holds: holds(grown), numbers: format!("{} times from {first} to {last}", short(grown)) })
}

/// The largest ratio of the numbers that both columns have.
fn ratio(published: &Table, ours: &Table) -> Option<Judgement> {
    let mut ratios = Vec::new();
    for (row, _) in &ours.rows {
        for column in &ours.columns {
            let pair = ours.value(row, column).zip(published.value(row, column));
            ratios.extend(pair.filter(|&(_, theirs)| theirs != 0.0).map(|(ours, theirs)| ours / theirs));
        }
    }
    ratios.sort_by(f64::total_cmp);
    let (low, high) = extent(&ratios)?;
    let (count, middle) = (ratios.len(), ratios[ratios.len() / 2]);
    let numbers = if count == 1 { "number".into() } else { format!("{count} numbers") };
    Some(Judgement::remark(format!(
        "Ours over published, for the {numbers} that both have: median {}, from {} to {}.",
        short(middle),
        short(low),
        short(high)
    )))
}

/// How `best` compares in the last row. This makes sense for times; counts of different methods count
/// different things.
pub fn best(ours: &Table) -> Option<Judgement> {
    let (row, _) = ours.rows.iter().rev().find(|(row, _)| ours.value(row, BEST).is_some())?;
    let best = ours.value(row, BEST)?;
    let others = ours.columns.iter().filter(|column| *column != BEST);
    let valued = others.filter_map(|column| Some((column, ours.value(row, column)?)));
    let (column, least) = valued.min_by(|one, other| one.1.total_cmp(&other.1))?;
    let place = if best <= least { "less than or as much as" } else { "more than" };
    let (best, least) = (short(best), short(least));
    Some(Judgement::remark(format!(
        "At {row} `best` takes {best}, {place} the least of the others, {column} with {least}."
    )))
}

fn extent(values: &[f64]) -> Option<(f64, f64)> {
    Some((values.iter().copied().reduce(f64::min)?, values.iter().copied().reduce(f64::max)?))
}

/// A number in a sentence.
fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 || value == 0.0 => format!("{value:.0}"),
        size if size >= 1.0 => format!("{value:.2}"),
        size if size >= 0.01 => format!("{value:.3}"),
        _ => format!("{value:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        Table::published(text)
    }

    fn say(check: Check, ours: &str, because: &str) -> Judgement {
        let published = table("Size | A | B\n32 | 2 | 4\n64 | 3 | 40");
        Claim { text: "A hardly grows".into(), check, because: because.into() }.judge(&published, &table(ours))
    }

    #[test]
    fn a_claim_is_judged_by_our_numbers_and_shows_both() {
        let judgement = say(Check::GrowsLess("A".into(), 2.0), "size | A\n32 | 10\n64 | 12", "");
        assert_eq!(
            judgement.text,
            "Trend holds: A hardly grows (here 1.20 times from 32 to 64, published 1.50 times from 32 to 64)."
        );
        let judgement = say(Check::GrowsLess("A".into(), 2.0), "size | A\n32 | 10\n64 | 30", "it is late");
        assert!(judgement.text.starts_with("Does not hold") && judgement.text.ends_with("because it is late."));
    }

    #[test]
    fn missing_numbers_decide_nothing() {
        assert_eq!(say(Check::Below("A".into(), "B".into(), "".into()), "size | A\n32 | 10", "").holds, None);
        assert_eq!(say(Check::Fails("A".into()), "size | A\n32 | stalled", "").holds, Some(true));
    }

    #[test]
    fn best_is_compared_with_the_least_of_the_others() {
        let judgement = best(&table("size | A | B | best\n32 | 9 | 7 | 3")).unwrap();
        assert_eq!(
            judgement.text,
            "At 32 `best` takes 3.00, less than or as much as the least of the others, B with 7.00."
        );
    }
}
