//! Runs that ranks share, beside one that nobody does.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use unstick_mlcp::ranks::team;

use super::*;
use crate::file::SceneFile;
use crate::run::{RunFolder, RunRequest, Session};

const SCENE: &str = "[grid]\ncells = [24, 32]\n[time]\nframes = 6\nframe = 0.02\n[output]\nframes = false\n\
    movie = false\ncheckpoint_every = 2\n[[output.particles]]\nformat = \"vtp\"\n[[liquid]]\n\
    shape = { cuboid = { lower = [0.0, 0.0], upper = [0.5, 0.8] } }\n";

fn request(folder: &Path, frames: usize, resume: bool, by: Option<Arc<dyn Ranks>>) -> RunRequest {
    let mut file = SceneFile::parse("dam", "dam.toml", SCENE, Path::new(".")).unwrap();
    file.set(&format!("time.frames={frames}")).unwrap();
    let folder = Some(RunFolder::new(folder));
    RunRequest { folder, resume, shared_by: by.map(SharedBy), ..RunRequest::new(file) }
}

/// Runs up to a frame on some ranks, and alone on none.
fn run(folder: &Path, frames: usize, resume: bool, ranks: usize) {
    let session = |by| {
        let stop: Arc<AtomicBool> = Arc::default();
        let mut session = Session::open(request(folder, frames, resume, by), stop.clone()).unwrap();
        session.run(&stop, |_, _| ()).unwrap();
        assert!(session.finish().unwrap().is_some() && session.is_finished());
    };
    if ranks == 0 {
        return session(None);
    }
    team(ranks, 1, |ranks| {
        if ranks.rank() > 0 {
            return follow(&ranks).unwrap();
        }
        session(Some(ranks.clone()));
        dismiss(&*ranks);
    });
}

/// `stats.csv` without the times.
fn stats(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("stats.csv")).unwrap();
    let columns: Vec<bool> = text.lines().next().unwrap().split(',').map(|name| !name.starts_with("seconds")).collect();
    let kept = |line: &str| {
        line.split(',').zip(&columns).filter(|(_, kept)| **kept).map(|(value, _)| value).collect::<Vec<_>>().join(",")
    };
    text.lines().map(kept).collect()
}

#[test]
fn a_run_that_ranks_share_writes_what_one_process_writes_and_goes_on_with_any_number() {
    let root = tempfile::tempdir().unwrap();
    let [alone, shared, mixed] = ["alone", "shared", "mixed"].map(|name| root.path().join(name));
    run(&alone, 6, false, 0);
    run(&shared, 5, false, 3);
    run(&shared, 6, true, 0);
    run(&mixed, 2, false, 2);
    run(&mixed, 4, true, 4);
    run(&mixed, 5, true, 1);
    run(&mixed, 6, true, 0);
    for folder in [&shared, &mixed] {
        assert_eq!(stats(&alone), stats(folder), "{}", folder.display());
        let state = |folder: &Path| std::fs::read(checkpoints(folder).pop().unwrap()).unwrap();
        assert_eq!(state(&alone), state(folder));
    }
}

/// ParaView reads lists of pieces; a run that one process goes on with lists its own files behind them.
#[test]
fn ranks_write_pieces_that_lists_name() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("run");
    let open = |frames: usize, resume: bool, by: Option<Arc<dyn Ranks>>| {
        let mut request = request(&folder, frames, resume, by);
        request.file.set("output.volume=\"vti\"").unwrap();
        let stop: Arc<AtomicBool> = Arc::default();
        let mut session = Session::open(request, stop.clone()).unwrap();
        session.run(&stop, |_, _| ()).unwrap();
        assert!(session.finish().unwrap().is_some());
    };
    team(3, 1, |ranks| match ranks.rank() {
        0 => {
            open(2, false, Some(ranks.clone()));
            dismiss(&*ranks);
        }
        _ => follow(&ranks).unwrap(),
    });
    open(3, true, None);
    let text = |path: &str| {
        let bytes = std::fs::read(folder.join(path)).unwrap_or_else(|_| panic!("{path}"));
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let after = |text: &str, mark: &str| -> Vec<String> {
        text.split(mark).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    };
    let list = text("volume/0002.pvti");
    let (extents, sources) = (after(&list, "<Piece Extent=\""), after(&list, "Source=\""));
    assert_eq!(after(&list, "WholeExtent=\""), ["0 24 0 32 0 0"]);
    let cells = |extent: &String| {
        let ends: Vec<usize> = extent.split(' ').map(|end| end.parse().unwrap()).collect();
        (ends[1] - ends[0]) * (ends[3] - ends[2])
    };
    assert_eq!((extents.len(), extents.iter().map(cells).sum::<usize>()), (3, 24 * 32));
    for (extent, source) in extents.iter().zip(&sources) {
        assert_eq!(after(&text(&format!("volume/{source}")), "Piece Extent=\""), std::slice::from_ref(extent));
    }
    let counts = |source: &String| -> usize {
        after(&text(&format!("particles/{source}")), "NumberOfPoints=\"")[0].parse().unwrap()
    };
    let found: usize = after(&text("particles/0002.pvtp"), "Source=\"").iter().map(counts).sum();
    assert_eq!(after(&text("particles/0003.vtp"), "NumberOfPoints=\""), [found.to_string()]);
    assert_eq!(
        after(&text("volume.pvd"), "file=\""),
        ["volume/0000.pvti", "volume/0001.pvti", "volume/0002.pvti", "volume/0003.vti"]
    );
    // A new run in the folder leaves nothing of it.
    let mut request = request(&folder, 1, false, None);
    request.force = true;
    drop(Session::open(request, Arc::default()).unwrap());
    assert!(!folder.join("volume").exists() && !folder.join("particles/pieces").exists());
}

/// Files and folders with checkpoints, in their order.
fn checkpoints(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.join("checkpoint")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Ranks that are killed while they write leave parts without a list; a disk may spoil one of them.
#[test]
fn a_checkpoint_in_parts_is_whole_or_the_one_before_counts() {
    let root = tempfile::tempdir().unwrap();
    let alone = root.path().join("alone");
    run(&alone, 6, false, 0);
    let damages: [fn(&Path); 3] = [
        |list| std::fs::remove_file(list).unwrap(),
        |list| std::fs::remove_file(list.with_extension("parts").join("1.part")).unwrap(),
        |list| {
            let part = list.with_extension("parts").join("2.part");
            let bytes = std::fs::read(&part).unwrap();
            std::fs::write(&part, &bytes[..bytes.len() / 2]).unwrap();
        },
    ];
    for (number, damage) in damages.into_iter().enumerate() {
        for ranks in [0, 2] {
            let folder = root.path().join(format!("{number}-{ranks}"));
            run(&folder, 4, false, 3);
            let before = checkpoints(&folder);
            assert_eq!(before.len(), 4, "two lists, two folders: {before:?}");
            damage(&before[2]);
            run(&folder, 5, true, ranks);
            run(&folder, 6, true, 0);
            assert_eq!(stats(&alone), stats(&folder), "damage {number}, resumed on {ranks}");
            let after = checkpoints(&folder);
            let folders = after.iter().filter(|path| path.is_dir());
            assert!(folders.clone().all(|parts| parts.with_extension("checkpoint").is_file()), "{after:?}");
            assert_eq!(folders.count(), usize::from(ranks > 0), "{after:?}");
        }
    }
}

#[test]
fn what_cannot_be_shared_is_refused_before_anything_is_written() {
    let root = tempfile::tempdir().unwrap();
    let refused = |setting: &str| {
        let folder = root.path().join("run");
        let said = team(2, 1, |ranks| {
            if ranks.rank() > 0 {
                follow(&ranks).unwrap();
                return String::new();
            }
            let mut request = request(&folder, 2, false, Some(ranks.clone()));
            request.file.set(setting).unwrap();
            let said = Session::open(request, Arc::default()).err().map_or_else(String::new, |error| error.to_string());
            dismiss(&*ranks);
            said
        });
        assert!(!folder.exists());
        said[0].clone()
    };
    for (setting, word) in
        [("air=\"enclosed\"", "enclosed air"), ("viscosity=0.1", "viscosity"), ("pressure.solver=\"policy\"", "best")]
    {
        let said = refused(setting);
        assert!(said.contains(word) && said.contains("shared"), "{setting}: {said}");
    }
}
