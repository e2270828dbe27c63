//! What a soak has found, as a page.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::audit::{Finding, Findings};
use super::{Account, Soak, Trial};

/// The accounts of all trials, scene by scene.
#[derive(Clone, Debug)]
pub struct Summary {
    soak: Soak,
    scenes: BTreeMap<&'static str, Line>,
    failed: Vec<(Trial, Vec<String>)>,
}

/// The trials of a scene.
#[derive(Clone, Debug, Default)]
struct Line {
    trials: usize,
    failed: usize,
    total: Account,
}

impl Summary {
    pub(super) fn new(soak: Soak) -> Self {
        Self { soak, scenes: BTreeMap::new(), failed: Vec::new() }
    }

    pub(super) fn add(&mut self, trial: &Trial, account: Account) {
        let line = self.scenes.entry(trial.scene).or_default();
        line.trials += 1;
        line.failed += usize::from(!account.failures.is_empty());
        line.total.add(&account);
        if !account.failures.is_empty() {
            self.failed.push((trial.clone(), account.failures));
        }
    }

    /// How many trials failed.
    pub fn failed(&self) -> usize {
        self.failed.len()
    }

    /// The page as Markdown.
    pub fn markdown(&self) -> String {
        let mut all = Line::default();
        let mut rows = String::new();
        for (scene, line) in &self.scenes {
            all.trials += line.trials;
            all.failed += line.failed;
            all.total.add(&line.total);
            rows += &line.row(scene);
        }
        let Soak { seed, frames, .. } = self.soak;
        let mut page = format!(
            "# Soak\n\nSeed {seed}, {frames} frames a trial. A solve is audited by its residual, computed anew: that of the \
             pressure from the fields of the liquid, others from their rows or equations. A false claim is a solve that \
             says it converged and did not.\n\n\
             | scene | trials | failed | steps | unconverged steps | audited solves | unconverged | false claims | worst \
             residual, in targets | volume off by | energy above by |\n|---|---|---|---|---|---|---|---|---|---|---|\n{rows}{}",
            all.row("**all**")
        );
        page += &kinds(&all.total.findings);
        if self.failed.is_empty() {
            page += "\nNo trial failed.\n";
            return page;
        }
        page += "\n## Failed\n\n";
        for (trial, failures) in &self.failed {
            let Trial { number, scene, size, walls, settings } = trial;
            let kind = walls.map_or("its own".into(), |walls| format!("{walls:?}").to_lowercase());
            let _ = writeln!(page, "- {scene}, {size} cells, walls {kind}: {}", failures.join("; "));
            let _ = writeln!(page, "  - `{}`", settings.join("` `"));
            let _ = writeln!(
                page,
                "  - again: `unstick-lab soak --seed {seed} --first {number} --trials 1 --frames {frames}`"
            );
        }
        page
    }
}

impl Line {
    fn row(&self, name: &str) -> String {
        let Account { steps, unconverged_steps, findings, volume, energy, .. } = &self.total;
        let energy = energy.map_or("–".into(), |excess| format!("{:.3} %", 100.0 * excess));
        let mut audited = Finding::default();
        findings.values().for_each(|finding| audited.add(finding));
        format!(
            "| {name} | {} | {} | {steps} | {unconverged_steps} | {} | {:.3} % | {energy} |\n",
            self.trials,
            self.failed,
            columns(&audited),
            100.0 * volume,
        )
    }
}

/// A line for each kind of solve.
fn kinds(findings: &Findings) -> String {
    let mut page = String::from(
        "\n| kind of solve | audited solves | unconverged | false claims | worst residual, in targets |\n|---|---|---|---|---|\n",
    );
    for (kind, finding) in findings {
        let _ = writeln!(page, "| {kind} | {} |", columns(finding));
    }
    page
}

fn columns(Finding { solves, unconverged, false_claims, worst }: &Finding) -> String {
    format!("{solves} | {unconverged} | {false_claims} | {worst:.3}")
}

impl Account {
    /// Adds counts and keeps what is worst.
    fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        self.unconverged_steps += other.unconverged_steps;
        for (kind, finding) in &other.findings {
            self.findings.entry(kind).or_default().add(finding);
        }
        self.volume = self.volume.max(other.volume);
        self.energy = match (self.energy, other.energy) {
            (Some(one), Some(two)) => Some(one.max(two)),
            (one, two) => one.or(two),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_counts_and_tells_how_to_repeat_what_failed() {
        let (trials, only) = (Some(2), Vec::new());
        let soak = Soak { seed: 3, first: 0, trials, time: None, frames: 4, longest: None, only };
        let mut summary = Summary::new(soak);
        let contacts = Finding { solves: 4, unconverged: 1, false_claims: 0, worst: 0.5 };
        let findings = Findings::from([("contacts", contacts)]);
        summary.add(&Trial::of(3, 0), Account { steps: 5, findings, ..Account::default() });
        let failed = Account { steps: 7, failures: vec!["panic: no".into()], energy: Some(0.5), ..Account::default() };
        summary.add(&Trial::of(3, 1), failed);
        let page = summary.markdown();
        assert_eq!(summary.failed(), 1);
        assert!(
            page.contains("| **all** | 2 | 1 | 12 | 0 | 4 | 1 | 0 | 0.500 |") && page.contains("50.000 %"),
            "{page}"
        );
        assert!(page.contains("\n| contacts | 4 | 1 | 0 | 0.500 |\n"), "{page}");
        assert!(page.contains("again: `unstick-lab soak --seed 3 --first 1 --trials 1 --frames 4`"), "{page}");
    }
}
