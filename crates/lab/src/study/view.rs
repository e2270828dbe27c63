//! How a study is shown, and what its source claims.

use serde::Deserialize;

use super::Quantity;

/// A table or plot, with published numbers and claims.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Heading.
    pub caption: String,
    /// What is shown.
    pub show: Show,
    /// The published table: columns between bars, the head first. Empty if there is none.
    #[serde(default)]
    pub published: String,
    /// What the source claims.
    #[serde(default)]
    pub claims: Vec<Claim>,
}

/// What is shown.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Show {
    /// A quantity by row and column, averaged over frames.
    Table(Quantity),
    /// A quantity by size and column, averaged over scenes too.
    Sizes(Quantity),
    /// A quantity by row and column, as percents above a column.
    Excess {
        /// What is compared.
        quantity: Quantity,
        /// The column that counts as zero.
        base: String,
    },
    /// One row per method, one column per quantity.
    Methods(Vec<Quantity>),
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
    Numbers(Vec<String>),
    /// Curves of flows.
    Curves {
        /// Shows the curves whose names begin with this.
        of: String,
        /// What runs across.
        across: String,
        /// What runs up.
        up: String,
    },
    /// The last picture of each setting, side by side.
    Gallery,
}

/// A claim of a source, and how to check it.
#[derive(Debug, Deserialize)]
pub struct Claim {
    /// A sentence without a full stop.
    pub text: String,
    /// How it is checked.
    #[serde(flatten)]
    pub check: Check,
    /// Why it may fail here; empty if no reason is known.
    #[serde(default)]
    pub because: String,
}

/// How a claim is checked on the rows that were measured. If rows are methods, rows and columns are
/// exchanged.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// A column grows by less than a factor from the first row to the last.
    GrowsLess(String, f64),
    /// … by more than a factor.
    GrowsMore(String, f64),
    /// One column is below another in the named row, or in the last row if the name is empty.
    Below(String, String, String),
    /// One row is below another in the named column.
    RowBelow(String, String, String),
    /// One column is at most a multiple of another in the named row.
    Times(String, String, String, f64),
    /// The number in a column and a row is at most a bound.
    AtMost(String, String, f64),
    /// … at least a bound.
    AtLeast(String, String, f64),
    /// The number in a column and a row is at most this far from zero.
    Near(String, String, f64),
    /// A column has no answer in the last row.
    Fails(String),
    /// Two columns differ by less than a factor in every row.
    Alike(String, String, f64),
    /// Two rows differ by less than a factor in every column.
    RowsAlike(String, String, f64),
    /// The number in a row is within a fraction of a value, in the last column that has one.
    Known(String, f64, f64),
    /// … between two values.
    Between(String, f64, f64),
    /// The absolute value of every number is below a bound.
    Within(f64),
}
