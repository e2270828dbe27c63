//! Ranks that follow the first one.

use std::path::Path;
use std::sync::Arc;

use unstick_liquid::SharedSimulation;
use unstick_mlcp::ranks::Ranks;

use super::order::{Order, hear_texts};
use super::together::{measure, resume_parts, store_part, store_piece, with_reason};
use crate::either;
use crate::file::{SceneError, SceneFile};
use crate::run::RunError;
use crate::scene::{AnyScene, Scene};

/// Follows the first rank until it [dismisses](super::dismiss) all. An error is one that the first rank does not know of.
pub fn follow(ranks: &Arc<dyn Ranks>) -> Result<(), RunError> {
    loop {
        match Order::hear(&**ranks) {
            order @ (Order::Begin | Order::Resume | Order::ResumeParts) => {
                let scene = hear_scene(&**ranks)?;
                either!(&scene, scene => follow_in(scene, order, ranks));
            }
            _ => return Ok(()),
        }
    }
}

/// Follows through one simulation. Where the scene is refused or a step fails, the first rank knows as much.
fn follow_in<const D: usize>(scene: &Scene<D>, order: Order, ranks: &Arc<dyn Ranks>) {
    let (setup, ranks) = (scene.setup.clone(), ranks.clone());
    let made = match order {
        Order::Begin => SharedSimulation::new(setup, &scene.liquids, ranks.clone()).ok(),
        Order::ResumeParts => {
            let [folder, parts] = hear_texts(&*ranks);
            let parts = postcard::from_bytes(&parts).expect("the first rank has sent it");
            resume_parts(scene, Path::new(&*String::from_utf8_lossy(&folder)), &parts, &ranks).ok()
        }
        _ => SharedSimulation::resume(setup, None, ranks.clone()).ok(),
    };
    let Some(mut simulation) = made else { return };
    loop {
        match Order::hear(&*ranks) {
            Order::Advance(length) => _ = with_reason(&*ranks, simulation.advance(length)),
            Order::Check => _ = with_reason(&*ranks, simulation.check_state()),
            Order::View => _ = simulation.view(),
            Order::Gather => _ = simulation.gather(),
            Order::Measure => _ = measure(&simulation),
            Order::Store => {
                let [folder] = hear_texts(&*ranks);
                _ = store_part(&*ranks, &simulation, Path::new(&*String::from_utf8_lossy(&folder)));
            }
            Order::Show(content) => {
                let [folder] = hear_texts(&*ranks);
                _ = store_piece(&*ranks, &simulation, content, Path::new(&*String::from_utf8_lossy(&folder)));
            }
            Order::Begin | Order::Resume | Order::ResumeParts | Order::Drop | Order::Leave => return,
        }
    }
}

/// Hears the scene: its name, where its meshes are, and its text.
fn hear_scene(ranks: &dyn Ranks) -> Result<AnyScene, SceneError> {
    let [name, folder, toml] = hear_texts(ranks).map(|text| String::from_utf8_lossy(&text).into_owned());
    SceneFile::parse(&name, "the scene of the first rank", &toml, Path::new(&folder))?.scene()
}
