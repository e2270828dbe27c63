//! The page of a study, and the page on top of them.

use std::path::Path;

use unstick::scene::report::embed;
use unstick::scene::run::RunError;

use crate::LabError;
use crate::present::page::{STYLE, escaped, marked_up};
use crate::study::judge::Verdict;
use crate::study::sheet::{Part, Sheet};
use crate::study::store::Head;
use crate::study::table::Texts;

/// What the page of a study needs beside the usual style.
const EXTRA: &str = "td:nth-child(2) { color: var(--soft); }\n\
    tr.ours td { font-weight: 600; }\n\
    .holds { color: var(--good); }\n.fails { color: var(--bad); }\n\
    .gallery { display: flex; flex-wrap: wrap; gap: 1rem; }\n\
    .gallery figure { padding: .5rem; }\n.gallery img { max-width: 17rem; display: block; }\n";

/// What the site is about, before anything else.
const LEAD: &str = "Published tables and figures on liquids that let go of walls, measured anew with `unstick study`: \
    the same scenes, solvers and quantities, with `best`, the solver of this project, as the last column. Published \
    numbers are typed in from their source; all others come from a run on the machine named here.";

/// The page of a study; plots are SVG documents, part by part.
pub fn page(sheet: &Sheet, head: &Head, plots: &[Vec<String>], folder: &Path) -> Result<String, LabError> {
    let study = sheet.study;
    let mut body = format!("<p class=\"facts\">[{}]; {}</p>\n", escaped(study.source), escaped(&head.describe()));
    body += &format!("<p>{}</p>\n", marked_up(study.about));
    if let Some(reason) = &sheet.reason {
        body += &format!("<p class=\"fails\">Not measured: {}.</p>\n", marked_up(reason));
    }
    if let ([found, count], None) = (sheet.measured, &sheet.reason)
        && found < count
    {
        body += &format!("<p class=\"fails\">{found} of {count} measurements are there.</p>\n");
    }
    for (part, plots) in sheet.parts.iter().zip(plots) {
        body += &section(part, plots, folder)?;
    }
    if !sheet.failures.is_empty() {
        let items: String = sheet.failures.iter().map(|line| format!("<li>{}</li>\n", escaped(line))).collect();
        body += &format!("<h2>What did not come to its end</h2>\n<ul>\n{items}</ul>\n");
    }
    body += "<p><a href=\"index.html\">All studies</a></p>\n";
    Ok(document(&format!("{}: {}", study.name, study.title), &body))
}

fn section(part: &Part, plots: &[String], folder: &Path) -> Result<String, LabError> {
    let mut text = format!("<h2>{}</h2>\n", escaped(&part.caption));
    text += &part.verdicts.iter().map(sentence).collect::<String>();
    if let Some(texts) = &part.table {
        text += &table(texts);
    }
    text += &plots.iter().map(|svg| format!("<figure>\n{svg}\n</figure>\n")).collect::<String>();
    if !part.pictures.is_empty() {
        text += "<div class=\"gallery\">\n";
        for (caption, path) in &part.pictures {
            let image = embed(&folder.join(path)).map_err(RunError::from)?;
            text += &format!("<figure>{image}<figcaption>{}</figcaption></figure>\n", escaped(caption));
        }
        text += "</div>\n";
    }
    Ok(text)
}

fn sentence(verdict: &Verdict) -> String {
    let class = match verdict.holds {
        Some(true) => " class=\"holds\"",
        Some(false) => " class=\"fails\"",
        None => "",
    };
    format!("<p{class}>{}</p>\n", marked_up(&verdict.text))
}

fn table(texts: &Texts) -> String {
    let head: String = texts.head.iter().map(|text| format!("<th>{}</th>", escaped(text))).collect();
    let row = |cells: &Vec<String>| {
        let class = if cells.get(1).is_some_and(|whose| whose == "ours") { " class=\"ours\"" } else { "" };
        let cells: String = cells.iter().map(|text| format!("<td>{}</td>", escaped(text))).collect();
        format!("<tr{class}>{cells}</tr>\n")
    };
    let rows: String = texts.rows.iter().map(row).collect();
    format!("<div class=\"scroll\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n")
}

/// The state of the field on one page. Says of each study what came of it, and why not if nothing did.
pub fn index(sheets: &[Sheet], head: &Head) -> String {
    let mut body = format!("<p class=\"facts\">{}</p>\n<p>{}</p>\n", escaped(&head.describe()), marked_up(LEAD));
    let mut source = "";
    for sheet in sheets {
        let key = sheet.study.source.split(',').next().unwrap_or_default();
        if key != source {
            source = key;
            body += &format!("<h2>[{}]</h2>\n", escaped(key));
        }
        body += &entry(sheet);
    }
    document("The state of the field", &body)
}

fn entry(sheet: &Sheet) -> String {
    let study = sheet.study;
    let [holds, judged] = sheet.score();
    let title = format!("<b>{}</b>: {}", escaped(study.name), escaped(study.title));
    if let Some(reason) = &sheet.reason {
        let title = if sheet.is_waiting() { title } else { linked(study.name, &title) };
        return format!("<p>{title} <span class=\"facts\">– {}</span></p>\n", marked_up(reason));
    }
    let score = match judged {
        0 => String::new(),
        _ => format!(" – {holds} of {judged} published trends hold"),
    };
    let sentences: String = sheet.parts.iter().flat_map(|part| &part.verdicts).map(sentence).collect();
    let [found, count] = sheet.measured;
    let part = if found < count { format!(" ({found} of {count} measurements)") } else { String::new() };
    let words = match sentences.as_str() {
        "" => String::new(),
        sentences => format!("<details><summary>In words</summary>\n{sentences}</details>\n"),
    };
    format!("<p>{}{score}{part}</p>\n{words}", linked(study.name, &title))
}

fn linked(name: &str, text: &str) -> String {
    format!("<a href=\"{}.html\">{text}</a>", escaped(name))
}

fn document(title: &str, body: &str) -> String {
    let (title, version) = (escaped(title), env!("CARGO_PKG_VERSION"));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}{EXTRA}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}\
         <footer>Written by unstick {version}.</footer>\n</body>\n</html>\n"
    )
}
