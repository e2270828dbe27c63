//! The comparison as a page that needs nothing but itself.

use super::{notes, table};
use crate::compare::Comparison;

pub(crate) const STYLE: &str = include_str!("page.css");

/// The words around a comparison.
pub struct Page<'a> {
    /// Heading.
    pub title: &'a str,
    /// Paragraphs at the top; words between backticks become code.
    pub lead: &'a [&'a str],
    /// Commands to go on with and what they do.
    pub next: &'a [(&'a str, &'a str)],
}

impl Page<'_> {
    /// The page with its table, the plot (an SVG document) and the notes.
    pub fn html(&self, comparison: &Comparison, svg: &str) -> String {
        let lead: String = self.lead.iter().map(|paragraph| format!("<p>{}</p>\n", marked_up(paragraph))).collect();
        format!(
            "<!DOCTYPE html>\n\
             <html lang=\"en\">\n\
             <head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n\
             <body>\n<h1>{title}</h1>\n{lead}\
             <h2>Results</h2>\n<p class=\"facts\">{facts}</p>\n{table}{notes}\
             <h2>Residual against work</h2>\n<figure>\n{svg}\n</figure>\n\
             {next}\
             <footer>Written by unstick {version}.</footer>\n</body>\n</html>\n",
            title = escaped(self.title),
            facts = escaped(&table::facts(comparison)).replace('\n', "<br>\n"),
            table = table_of(comparison),
            notes = list(&notes::lines(comparison)),
            next = self.next_steps(),
            version = env!("CARGO_PKG_VERSION"),
        )
    }

    fn next_steps(&self) -> String {
        if self.next.is_empty() {
            return String::new();
        }
        let step = |(command, purpose): &(&str, &str)| {
            format!("<dt><code>{}</code></dt>\n<dd>{}</dd>\n", escaped(command), escaped(purpose))
        };
        format!("<h2>Go on with</h2>\n<dl>\n{}</dl>\n", self.next.iter().map(step).collect::<String>())
    }
}

fn table_of(comparison: &Comparison) -> String {
    let class = |column: usize| if column < table::WORDS { " class=\"word\"" } else { "" };
    let heads = table::head(comparison);
    let heads = heads.iter().enumerate().map(|(column, text)| format!("<th{}>{text}</th>", class(column)));
    let body = table::rows(comparison).into_iter().zip(&comparison.runs).map(|(cells, run)| {
        let verdict = if run.converged() { "converged" } else { "unsolved" };
        let cells = cells.iter().enumerate().map(|(column, text)| match column {
            1 => format!("<td class=\"word {verdict}\">{}</td>", escaped(text)),
            _ => format!("<td{}>{}</td>", class(column), escaped(text)),
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    });
    format!(
        "<div class=\"scroll\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table></div>\n\
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
    let items: String = lines.iter().map(|line| format!("<li>{}</li>\n", escaped(line))).collect();
    format!("<ul>\n{items}</ul>\n")
}

/// Text that HTML takes literally.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Escaped text whose parts between backticks are code.
pub fn marked_up(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts
        .map(|(index, part)| if index % 2 == 1 { format!("<code>{}</code>", escaped(part)) } else { escaped(part) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_break_out_of_the_page() {
        assert_eq!(marked_up("a < `b & c`"), "a &lt; <code>b &amp; c</code>");
    }
}
