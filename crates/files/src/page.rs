//! HTML documents that need nothing but themselves.

use crate::plot;

/// The style of reports: text, tables, figures, galleries.
const STYLE: &str = include_str!("page.css");

/// A document with its style inside; `body` is HTML.
///
/// ```
/// let page = unstick_files::page::document("a < b", "p { color: teal; }", "<p>text</p>");
/// assert!(page.contains("<title>a &lt; b</title>"));
/// ```
pub fn document(title: &str, style: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// A document in the style of all reports, with its title as heading; `body` is HTML.
pub fn report(title: &str, body: &str) -> String {
    let (heading, version) = (escape(title), env!("CARGO_PKG_VERSION"));
    let footer = format!("<footer>Written by unstick {version}.</footer>");
    let style = format!("{STYLE}{}", plot::draw::STYLE);
    document(title, &style, &format!("<main>\n<h1>{heading}</h1>\n{body}{footer}\n</main>\n"))
}

/// Text that HTML takes literally.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Escaped text whose parts between backticks are code.
pub fn escape_with_code(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts
        .map(|(index, part)| if index % 2 == 1 { format!("<code>{}</code>", escape(part)) } else { escape(part) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_break_out_of_the_page() {
        assert_eq!(escape_with_code("a < `b & c`"), "a &lt; <code>b &amp; c</code>");
        assert!(report("<script>", "").contains("<h1>&lt;script&gt;</h1>"));
    }
}
