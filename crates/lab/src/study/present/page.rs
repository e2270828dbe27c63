//! The page of a study, and the index of all pages.

use std::path::Path;

use unstick::files::page::{escape, escape_with_code, report};
use unstick::files::plot::Plot;
use unstick::scene::report::embed;
use unstick::scene::run::RunError;

use crate::LabError;
use crate::study::judge::Judgement;
use crate::study::result::{Completeness, Score, Section, StudyResult};
use crate::study::store::Provenance;
use crate::study::table::TextTable;

/// The first paragraph of the index.
const LEAD: &str = "Published tables and figures on liquids that let go of walls, measured again with `unstick study`: \
    the same scenes, solvers and quantities, with `best`, the solver of this project, as the last column. Published \
    numbers are typed in from their source; all others come from a run on the machine named here.";

/// The page of a study.
pub fn page(result: &StudyResult, provenance: &Provenance, folder: &Path) -> Result<String, LabError> {
    let study = result.study;
    let mut body = format!("<p class=\"facts\">[{}]; {}</p>\n", escape(&study.source), escape(&provenance.describe()));
    body += &format!("<p>{}</p>\n", escape_with_code(&study.about));
    if let Some(reason) = &result.reason {
        body += &format!("<p class=\"bad\">Not measured: {}.</p>\n", escape_with_code(reason));
    }
    let Completeness { found, expected } = result.completeness;
    if result.reason.is_none() && found < expected {
        body += &format!("<p class=\"bad\">{found} of {expected} measurements are there.</p>\n");
    }
    for section in &result.sections {
        body += &section_of(section, folder)?;
    }
    if !result.failures.is_empty() {
        let items: String = result.failures.iter().map(|line| format!("<li>{}</li>\n", escape(line))).collect();
        body += &format!("<h2>What did not come to its end</h2>\n<ul>\n{items}</ul>\n");
    }
    body += "<p><a href=\"index.html\">All studies</a></p>\n";
    Ok(report(&format!("{}: {}", study.name, study.title), &body))
}

fn section_of(section: &Section, folder: &Path) -> Result<String, LabError> {
    let mut text = format!("<h2>{}</h2>\n", escape(&section.caption));
    text += &section.judgements.iter().map(sentence).collect::<String>();
    if let Some(texts) = &section.table {
        text += &table(texts);
    }
    text += &section.charts.iter().filter_map(Plot::figure).collect::<String>();
    if !section.pictures.is_empty() {
        text += "<div class=\"gallery\">\n";
        for (caption, path) in &section.pictures {
            let image = embed(&folder.join(path)).map_err(RunError::from)?;
            text += &format!("<figure>{image}<figcaption>{}</figcaption></figure>\n", escape(caption));
        }
        text += "</div>\n";
    }
    Ok(text)
}

fn sentence(judgement: &Judgement) -> String {
    let class = match judgement.holds {
        Some(true) => " class=\"good\"",
        Some(false) => " class=\"bad\"",
        None => "",
    };
    format!("<p{class}>{}</p>\n", escape_with_code(&judgement.text))
}

fn table(texts: &TextTable) -> String {
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

/// The index: for each study its outcome, or why there is none.
pub fn index(results: &[StudyResult], provenance: &Provenance) -> String {
    let mut body =
        format!("<p class=\"facts\">{}</p>\n<p>{}</p>\n", escape(&provenance.describe()), escape_with_code(LEAD));
    let mut source = "";
    for result in results {
        let key = result.study.source.split(',').next().unwrap_or_default();
        if key != source {
            source = key;
            body += &format!("<h2>[{}]</h2>\n", escape(key));
        }
        body += &entry(result);
    }
    report("The state of the field", &body)
}

fn entry(result: &StudyResult) -> String {
    let study = result.study;
    let Score { hold, judged } = result.score();
    let title = format!("<b>{}</b>: {}", escape(&study.name), escape(&study.title));
    if let Some(reason) = &result.reason {
        let title = if result.is_waiting() { title } else { linked(&study.name, &title) };
        return format!("<p>{title} <span class=\"facts\">– {}</span></p>\n", escape_with_code(reason));
    }
    let score = match judged {
        0 => String::new(),
        _ => format!(" – {hold} of {judged} published trends hold"),
    };
    let sentences: String = result.sections.iter().flat_map(|section| &section.judgements).map(sentence).collect();
    let Completeness { found, expected } = result.completeness;
    let missing = if found < expected { format!(" ({found} of {expected} measurements)") } else { String::new() };
    let words = match sentences.as_str() {
        "" => String::new(),
        sentences => format!("<details><summary>In words</summary>\n{sentences}</details>\n"),
    };
    format!("<p>{}{score}{missing}</p>\n{words}", linked(&study.name, &title))
}

fn linked(name: &str, text: &str) -> String {
    format!("<a href=\"{}.html\">{text}</a>", escape(name))
}
