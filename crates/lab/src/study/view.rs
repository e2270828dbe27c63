//! How a study is shown, and what its source claims.

use super::Quantity;

/// A table or plot, with published numbers and claims.
pub struct View {
    /// Heading.
    pub caption: &'static str,
    /// What is shown.
    pub show: Show,
    /// The published table: columns between bars, the head first. Empty if there is none.
    pub published: &'static str,
    /// What the source claims.
    pub claims: &'static [Claim],
}

/// What is shown.
#[derive(Clone, Copy)]
pub enum Show {
    /// A quantity by row and column, averaged over frames.
    Table(Quantity),
    /// The same, as percents above a column.
    Excess {
        /// What is compared.
        quantity: Quantity,
        /// The column that counts as zero.
        base: &'static str,
    },
    /// One row per method, one column per quantity.
    Methods(&'static [Quantity]),
    /// Residual against iterations, on the finest grid.
    Convergence,
    /// The stopping residual of each method against its outer iterations, in the last step.
    Residuals,
    /// Residual against outer iterations: the quartiles over all frames.
    Quartiles,
    /// How many solves took how many outer iterations.
    Histogram,
    /// A quantity over time.
    Course(Quantity),
    /// One row per trial, columns by name.
    Numbers(&'static [&'static str]),
    /// Curves of flows.
    Curves {
        /// Shows the curves whose names begin with this.
        of: &'static str,
        /// What runs across.
        across: &'static str,
        /// What runs up.
        up: &'static str,
        /// Published curves: name and points.
        published: &'static [(&'static str, &'static [(f64, f64)])],
    },
    /// The last picture of each setting, side by side.
    Gallery,
}

/// A claim of a source, and how to check it.
pub struct Claim {
    /// A sentence without a full stop.
    pub text: &'static str,
    /// How it is checked.
    pub check: Check,
    /// Why it may fail here; empty if no reason is known.
    pub because: &'static str,
}

/// How a claim is checked on the rows that were measured. If rows are methods, rows and columns are
/// exchanged.
pub enum Check {
    /// A column grows by less than a factor from the first row to the last.
    GrowsLess(&'static str, f64),
    /// … by more than a factor.
    GrowsMore(&'static str, f64),
    /// One column is below another in the named row, or in the last row if the name is empty.
    Below(&'static str, &'static str, &'static str),
    /// One row is below another in the named column.
    RowBelow(&'static str, &'static str, &'static str),
    /// One column is at most a multiple of another in the named row.
    Times(&'static str, &'static str, &'static str, f64),
    /// The number in a column and a row is at most a bound.
    AtMost(&'static str, &'static str, f64),
    /// The number in a column and a row is at most this far from zero.
    Near(&'static str, &'static str, f64),
    /// A column has no answer in the last row.
    Fails(&'static str),
    /// Two columns differ by less than a factor in every row.
    Alike(&'static str, &'static str, f64),
    /// The number in a row is within a fraction of a value, in the last column that has one.
    Known(&'static str, f64, f64),
    /// … between two values.
    Between(&'static str, f64, f64),
    /// The absolute value of every number is below a bound.
    Within(f64),
}

impl View {
    /// A view without published numbers and claims.
    pub(super) const fn new(caption: &'static str, show: Show) -> Self {
        Self { caption, show, published: "", claims: &[] }
    }

    pub(super) const fn published(self, published: &'static str) -> Self {
        Self { published, ..self }
    }

    pub(super) const fn claims(self, claims: &'static [Claim]) -> Self {
        Self { claims, ..self }
    }
}

impl Claim {
    pub(super) const fn new(text: &'static str, check: Check) -> Self {
        Self { text, check, because: "" }
    }

    pub(super) const fn because(self, because: &'static str) -> Self {
        Self { because, ..self }
    }
}
