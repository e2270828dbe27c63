//! What differs between the plane and space.

use unstick_bodies::Shape;
use unstick_grid::{CellField, Grid, MeshError, SignedDistance, Spin, TriangleMesh};

use crate::draw::Image;
use crate::draw::plane::{self, Fill, PlaneOptions};
use crate::draw::space::{self, SpaceOptions};
use crate::frame::Frame;
use crate::sink::view::{ViewPack, plane_fields, plane_solids, space_mesh, space_solids};
use crate::sink::{Look, Shot, Surface, surface};

/// The dimension as a type, to hang on it what differs.
#[derive(Clone, Copy, Debug)]
pub struct Dim<const D: usize>;

/// What differs between the plane and space.
pub trait Dimension<const D: usize> {
    /// A rotation by radians; about the direction of `axis` in space.
    fn turn(axis: [f64; 3], angle: f64) -> Spin<D>;

    /// The inside of a mesh; none in the plane.
    fn mesh(mesh: &TriangleMesh) -> Option<SignedDistance<D>>;

    /// The inside of a mesh as the shape of a body, and its centre of mass; none in the plane.
    fn body(mesh: &TriangleMesh) -> Option<Result<(Shape<D>, [f64; D]), MeshError>>;

    /// The same shot as one of space; none in the plane.
    fn space<'a>(shot: &Shot<'a, D>) -> Option<Shot<'a, 3>>;

    /// The surface of the liquid as a mesh; none in the plane.
    fn surface(shot: &Shot<'_, D>) -> Option<Surface> {
        Self::space(shot).map(|shot| surface(&shot))
    }

    /// The liquid as the viewer shows it: a mesh in space, fields in the plane.
    fn view_surface(shot: &Shot<'_, D>, pack: &mut ViewPack);

    /// Solids as the viewer shows them, from their distance at the nodes.
    fn view_solids(grid: &Grid<D>, solid: &CellField<f64, D>, pack: &mut ViewPack);

    /// A picture of a frame.
    fn draw(frame: &Frame<D>, look: &Look) -> Image;
}

impl Dimension<2> for Dim<2> {
    fn turn(_axis: [f64; 3], angle: f64) -> Spin<2> {
        Spin::in_plane(angle)
    }

    fn mesh(_mesh: &TriangleMesh) -> Option<SignedDistance<2>> {
        None
    }

    fn body(_mesh: &TriangleMesh) -> Option<Result<(Shape<2>, [f64; 2]), MeshError>> {
        None
    }

    fn space<'a>(_shot: &Shot<'a, 2>) -> Option<Shot<'a, 3>> {
        None
    }

    fn view_surface(shot: &Shot<'_, 2>, pack: &mut ViewPack) {
        plane_fields(shot, pack);
    }

    fn view_solids(grid: &Grid<2>, solid: &CellField<f64, 2>, pack: &mut ViewPack) {
        plane_solids(grid, solid, pack);
    }

    fn draw(frame: &Frame<2>, look: &Look) -> Image {
        let fill = if look.pressure { Fill::Pressure { highest: None } } else { Fill::Speed };
        let options = PlaneOptions { width: look.width, fastest: Some(look.fastest), fill, ..PlaneOptions::default() };
        plane::draw(frame, &options)
    }
}

impl Dimension<3> for Dim<3> {
    fn turn(axis: [f64; 3], angle: f64) -> Spin<3> {
        let size = axis.iter().map(|value| value * value).sum::<f64>().sqrt();
        Spin::about_axis(axis.map(|value| value * angle / size))
    }

    fn mesh(mesh: &TriangleMesh) -> Option<SignedDistance<3>> {
        Some(SignedDistance::mesh(mesh))
    }

    fn body(mesh: &TriangleMesh) -> Option<Result<(Shape<3>, [f64; 3]), MeshError>> {
        Some(Shape::mesh(mesh))
    }

    fn space<'a>(shot: &Shot<'a, 3>) -> Option<Shot<'a, 3>> {
        Some(*shot)
    }

    fn view_surface(shot: &Shot<'_, 3>, pack: &mut ViewPack) {
        space_mesh(shot, pack);
    }

    fn view_solids(grid: &Grid<3>, solid: &CellField<f64, 3>, pack: &mut ViewPack) {
        space_solids(grid, solid, pack);
    }

    fn draw(frame: &Frame<3>, look: &Look) -> Image {
        let options = SpaceOptions { width: look.width, height: look.width * 3 / 4, ..SpaceOptions::default() };
        space::draw(frame, &options)
    }
}
