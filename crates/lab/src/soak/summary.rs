//! What a soak has found, as a page.

use std::collections::BTreeMap;
use std::fmt::Write as _;

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
            "# Soak\n\nSeed {seed}, {frames} frames a trial. A solve is audited by its natural residual, computed from the \
             fields of the liquid. A false claim is a solve that says it converged and did not.\n\n\
             | scene | trials | failed | steps | unconverged steps | audited solves | unconverged | false claims | worst \
             residual, in targets | volume off by | energy above by |\n|---|---|---|---|---|---|---|---|---|---|---|\n{rows}{}",
            all.row("**all**")
        );
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
        format!(
            "| {name} | {} | {} | {steps} | {unconverged_steps} | {} | {} | {} | {:.3} | {:.3} % | {energy} |\n",
            self.trials,
            self.failed,
            findings.solves,
            findings.unconverged,
            findings.false_claims,
            findings.worst,
            100.0 * volume,
        )
    }
}

impl Account {
    /// Adds counts and keeps what is worst.
    fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        self.unconverged_steps += other.unconverged_steps;
        self.findings.solves += other.findings.solves;
        self.findings.unconverged += other.findings.unconverged;
        self.findings.false_claims += other.findings.false_claims;
        self.findings.worst = self.findings.worst.max(other.findings.worst);
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
        let soak = Soak { seed: 3, first: 0, trials: Some(2), time: None, frames: 4, only: String::new() };
        let mut summary = Summary::new(soak);
        summary.add(&Trial::of(3, 0), Account { steps: 5, ..Account::default() });
        let failed = Account { steps: 7, failures: vec!["panic: no".into()], energy: Some(0.5), ..Account::default() };
        summary.add(&Trial::of(3, 1), failed);
        let page = summary.markdown();
        assert_eq!(summary.failed(), 1);
        assert!(page.contains("| **all** | 2 | 1 | 12 |") && page.contains("50.000 %"), "{page}");
        assert!(page.contains("again: `unstick-lab soak --seed 3 --first 1 --trials 1 --frames 4`"), "{page}");
    }
}
