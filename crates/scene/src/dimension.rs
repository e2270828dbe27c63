//! What differs between the plane and space.

use unstick_bodies::Shape;
use unstick_grid::{MeshError, SignedDistance, Spin, TriangleMesh};

use crate::draw::plane::{self, Fill, PlaneOptions};
use crate::draw::space::{self, SpaceOptions};
use crate::draw::{Image, PictureStyle};
use crate::frame::Frame;
use crate::sink::view::{ViewPack, plane_fields, plane_solids, space_mesh, space_solids};

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

    /// The liquid as the viewer shows it: a mesh in space, fields in the plane.
    fn view_surface(frame: &Frame<D>, pack: &mut ViewPack);

    /// Solids as the viewer shows them.
    fn view_solids(frame: &Frame<D>, pack: &mut ViewPack);

    /// A picture of a liquid with a surface.
    fn draw(frame: &Frame<D>, style: &PictureStyle) -> Image;
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

    fn view_surface(frame: &Frame<2>, pack: &mut ViewPack) {
        plane_fields(frame, pack);
    }

    fn view_solids(frame: &Frame<2>, pack: &mut ViewPack) {
        plane_solids(frame, pack);
    }

    fn draw(frame: &Frame<2>, style: &PictureStyle) -> Image {
        let fill = if style.pressure { Fill::Pressure { highest: None } } else { Fill::Speed };
        let options =
            PlaneOptions { width: style.width, fastest: Some(style.fastest), fill, ..PlaneOptions::default() };
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

    fn view_surface(frame: &Frame<3>, pack: &mut ViewPack) {
        space_mesh(frame, pack);
    }

    fn view_solids(frame: &Frame<3>, pack: &mut ViewPack) {
        space_solids(frame, pack);
    }

    fn draw(frame: &Frame<3>, style: &PictureStyle) -> Image {
        let options = SpaceOptions { width: style.width, height: style.width * 3 / 4, ..SpaceOptions::default() };
        space::draw(frame, &options)
    }
}
