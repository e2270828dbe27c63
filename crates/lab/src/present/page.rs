//! A comparison as a self-contained page.

use unstick::files::page::{escape, escape_with_code, report};

use super::{notes, plot, table};
use crate::compare::Comparison;

/// The text around a comparison.
pub struct Page<'a> {
    /// Heading.
    pub title: &'a str,
    /// Paragraphs at the top; words between backticks become code.
    pub lead: &'a [&'a str],
    /// Commands to try next, and what they do.
    pub next: &'a [(&'a str, &'a str)],
}

impl Page<'_> {
    /// The page with table, plot and notes.
    pub fn html(&self, comparison: &Comparison) -> String {
        let lead: String =
            self.lead.iter().map(|paragraph| format!("<p>{}</p>\n", escape_with_code(paragraph))).collect();
        let body = format!(
            "{lead}<h2>Results</h2>\n<p class=\"facts\">{facts}</p>\n{table}{notes}\
             <h2>Residual against work</h2>\n{plot}{next}",
            facts = escape(&table::facts(comparison)).replace('\n', "<br>\n"),
            table = table_of(comparison),
            notes = list(&notes::lines(comparison)),
            plot = plot::residuals(comparison).figure().unwrap_or_default(),
            next = self.next_steps(),
        );
        report(self.title, &body)
    }

    fn next_steps(&self) -> String {
        if self.next.is_empty() {
            return String::new();
        }
        let step = |(command, purpose): &(&str, &str)| {
            format!("<dt><code>{}</code></dt>\n<dd>{}</dd>\n", escape(command), escape(purpose))
        };
        format!("<h2>Go on with</h2>\n<dl>\n{}</dl>\n", self.next.iter().map(step).collect::<String>())
    }
}

fn table_of(comparison: &Comparison) -> String {
    let class = |column: usize| if column < table::WORDS { " class=\"word\"" } else { "" };
    let heads = table::head(comparison);
    let heads = heads.iter().enumerate().map(|(column, text)| format!("<th{}>{text}</th>", class(column)));
    let body = table::rows(comparison).into_iter().zip(&comparison.runs).map(|(cells, run)| {
        let verdict = if run.converged() { "good" } else { "bad" };
        let cells = cells.iter().enumerate().map(|(column, text)| match column {
            1 => format!("<td class=\"word {verdict}\">{}</td>", escape(text)),
            _ => format!("<td{}>{}</td>", class(column), escape(text)),
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    });
    format!(
        "<div class=\"scroll\"><table class=\"names\">\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table></div>\n\
         <p class=\"facts\">Cycles are outer iterations, inner counts those of the linear solver in all cycles; \
         residual is the natural residual, relative divides it by that at zero; active counts the wall rows that \
         have let go.</p>\n",
        heads.collect::<String>(),
        body.collect::<String>(),
    )
}

fn list(lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let items: String = lines.iter().map(|line| format!("<li>{}</li>\n", escape(line))).collect();
    format!("<ul>\n{items}</ul>\n")
}
