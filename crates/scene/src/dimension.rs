//! The plane or space: the dimension as a value, for those who learn it from a file.

use std::any::Any;

/// A thing of the plane or of space.
#[derive(Clone, Debug)]
pub enum PlaneOrSpace<P, S> {
    /// Two dimensions.
    Plane(P),
    /// Three.
    Space(S),
}

impl<P, S> PlaneOrSpace<P, S> {
    /// 2 or 3.
    pub fn dimension(&self) -> usize {
        if matches!(self, Self::Plane(_)) { 2 } else { 3 }
    }

    /// The thing, if it is of the plane.
    pub fn plane(self) -> Option<P> {
        if let Self::Plane(thing) = self { Some(thing) } else { None }
    }

    /// The thing, if it is of space.
    pub fn space(self) -> Option<S> {
        if let Self::Space(thing) = self { Some(thing) } else { None }
    }
}

/// Does the same with a thing of the plane and one of space.
///
/// ```
/// use unstick_scene::{SceneFile, either};
///
/// let scene = SceneFile::find("dam-break")?.scene()?;
/// assert_eq!(either!(&scene, scene => scene.frames), 150);
/// # Ok::<(), unstick_scene::SceneError>(())
/// ```
#[macro_export]
macro_rules! either {
    ($any:expr, $thing:ident => $value:expr) => {
        match $any {
            $crate::PlaneOrSpace::Plane($thing) => $value,
            $crate::PlaneOrSpace::Space($thing) => $value,
        }
    };
}

/// A thing of space as one of a dimension that is not known here; none in the plane.
pub(crate) fn of_space<T: Any, U: Any>(thing: T) -> Option<U> {
    let thing: Box<dyn Any> = Box::new(thing);
    thing.downcast().ok().map(|thing| *thing)
}
