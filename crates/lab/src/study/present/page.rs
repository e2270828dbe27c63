//! The page of a study, and the page on top of them.

use std::path::Path;

use unstick::files::page::{escape, escape_with_code, report};
use unstick::files::plot::Plot;
use unstick::scene::report::embed;
use unstick::scene::run::RunError;

use crate::LabError;
use crate::study::judge::Verdict;
use crate::study::sheet::{Part, Sheet};
use crate::study::store::Head;
use crate::study::table::Texts;

/// What the site is about, before anything else.
const LEAD: &str = "Published tables and figures on liquids that let go of walls, measured anew with `unstick study`: \
    the same scenes, solvers and quantities, with `best`, the solver of this project, as the last column. Published \
    numbers are typed in from their source; all others come from a run on the machine named here.";

/// The page of a study.
pub fn page(sheet: &Sheet, head: &Head, folder: &Path) -> Result<String, LabError> {
    let study = sheet.study;
    let mut body = format!("<p class=\"facts\">[{}]; {}</p>\n", escape(study.source), escape(&head.describe()));
    body += &format!("<p>{}</p>\n", escape_with_code(study.about));
    if let Some(reason) = &sheet.reason {
        body += &format!("<p class=\"bad\">Not measured: {}.</p>\n", escape_with_code(reason));
    }
    if let ([found, count], None) = (sheet.measured, &sheet.reason)
        && found < count
    {
        body += &format!("<p class=\"bad\">{found} of {count} measurements are there.</p>\n");
    }
    for part in &sheet.parts {
        body += &section(part, folder)?;
    }
    if !sheet.failures.is_empty() {
        let items: String = sheet.failures.iter().map(|line| format!("<li>{}</li>\n", escape(line))).collect();
        body += &format!("<h2>What did not come to its end</h2>\n<ul>\n{items}</ul>\n");
    }
    body += "<p><a href=\"index.html\">All studies</a></p>\n";
    Ok(report(&format!("{}: {}", study.name, study.title), &body))
}

fn section(part: &Part, folder: &Path) -> Result<String, LabError> {
    let mut text = format!("<h2>{}</h2>\n", escape(&part.caption));
    text += &part.verdicts.iter().map(sentence).collect::<String>();
    if let Some(texts) = &part.table {
        text += &table(texts);
    }
    text += &part.charts.iter().filter_map(Plot::figure).collect::<String>();
    if !part.pictures.is_empty() {
        text += "<div class=\"gallery\">\n";
        for (caption, path) in &part.pictures {
            let image = embed(&folder.join(path)).map_err(RunError::from)?;
            text += &format!("<figure>{image}<figcaption>{}</figcaption></figure>\n", escape(caption));
        }
        text += "</div>\n";
    }
    Ok(text)
}

fn sentence(verdict: &Verdict) -> String {
    let class = match verdict.holds {
        Some(true) => " class=\"good\"",
        Some(false) => " class=\"bad\"",
        None => "",
    };
    format!("<p{class}>{}</p>\n", escape_with_code(&verdict.text))
}

fn table(texts: &Texts) -> String {
    let head: String = texts.head.iter().map(|text| format!("<th>{}</th>", escape(text))).collect();
    let row = |cells: &Vec<String>| {
        let class = if cells.get(1).is_some_and(|whose| whose == "ours") { " class=\"ours\"" } else { "" };
        let cells: String = cells.iter().map(|text| format!("<td>{}</td>", escape(text))).collect();
        format!("<tr{class}>{cells}</tr>\n")
    };
    let rows: String = texts.rows.iter().map(row).collect();
    format!(
        "<div class=\"scroll\"><table class=\"names\">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// The state of the field on one page. Says of each study what came of it, and why not if nothing did.
pub fn index(sheets: &[Sheet], head: &Head) -> String {
    let mut body = format!("<p class=\"facts\">{}</p>\n<p>{}</p>\n", escape(&head.describe()), escape_with_code(LEAD));
    let mut source = "";
    for sheet in sheets {
        let key = sheet.study.source.split(',').next().unwrap_or_default();
        if key != source {
            source = key;
            body += &format!("<h2>[{}]</h2>\n", escape(key));
        }
        body += &entry(sheet);
    }
    report("The state of the field", &body)
}

fn entry(sheet: &Sheet) -> String {
    let study = sheet.study;
    let [holds, judged] = sheet.score();
    let title = format!("<b>{}</b>: {}", escape(study.name), escape(study.title));
    if let Some(reason) = &sheet.reason {
        let title = if sheet.is_waiting() { title } else { linked(study.name, &title) };
        return format!("<p>{title} <span class=\"facts\">– {}</span></p>\n", escape_with_code(reason));
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
    format!("<a href=\"{}.html\">{text}</a>", escape(name))
}
